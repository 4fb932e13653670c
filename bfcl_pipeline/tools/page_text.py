"""A page as the text that a model asked for: raw, markdown or truncate.

Markdown is made by html2text and truncate by Beautiful Soup on html.parser, both as they are set when
nothing is said, as in the release. Covers bounds on what hostile HTML costs: on some markup both
libraries take time that grows with the square of the page, and html2text reads a broken style sheet for
ever. A page that stays below the bounds comes out as the libraries give it. Pure: pages are fetched
elsewhere.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from bs4 import BeautifulSoup
from bs4.builder import ParserRejectedMarkup
from bs4.builder._htmlparser import BeautifulSoupHTMLParser, HTMLParserTreeBuilder
from html2text import HTML2Text

from bfcl_pipeline.tools.limits import MAX_RESULT, BoundExceeded

MAX_HTML = 2_000_000
"""Characters of a page that are read for markdown and truncate; the rest is left out."""

MAX_NESTED = 40
"""Quotes in quotes and lists in lists that markdown shows: each is an indent before every line in it."""

MAX_OPEN = 20
"""Tags that a page may leave without their `>` at its end and that are still looked at one by one."""

MAX_ABBREVIATION = 20_000
"""Characters of what an abbreviation stands on."""

_LONG_SPACE = re.compile(r"\s{20,}")


def page_text(html: str, mode: str) -> str:
    """The text of a page. `mode`: raw (as it came), markdown, or truncate (bare text, one piece a line).

    Raises ValueError, with the text that the release shows, for another mode and for markup that the
    parser refuses; BoundExceeded if the markdown would be longer than any result may be.
    """
    if mode == "raw":
        return html
    if mode not in ("markdown", "truncate"):
        raise ValueError(f"Unsupported mode: {mode}")
    readable = _without_open_tail(html[:MAX_HTML])
    try:
        return _Markdown().handle(readable) if mode == "markdown" else _truncate(readable)
    except (AssertionError, ParserRejectedMarkup) as error:  # html.parser's word for markup it gives up on
        raise ValueError(str(error)) from error


def _without_open_tail(html: str) -> str:
    """The page, with the tags that never end at its end written as the text that they are shown as.

    For each of them the parser would look through all that is left.
    """
    end = html.rfind(">") + 1
    if html.count("<", end) <= MAX_OPEN:
        return html
    return html[:end] + html[end:].replace("<", "&lt;")


class _Seeker(HTMLParser):
    """Looks for the end of a comment or a marked section only until one of its kind had none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._endless: set[str] = set()
        super().__init__(*args, **kwargs)

    def parse_comment(self, i: int, report: bool = True) -> int:
        """Where the comment at `i` ends, -1 if nowhere."""
        if "<!--" in self._endless:
            return -1
        end = super().parse_comment(i, report)
        if end < 0:
            self._endless.add("<!--")
        return end

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Where the marked section at `i` ends, -1 if nowhere."""
        kind = self.rawdata[i : i + 6].lower()
        if kind in self._endless:
            return -1
        end = super().parse_marked_section(i, report)
        if end < 0:
            self._endless.add(kind)
        return end


class _Markdown(_Seeker, HTML2Text):
    """html2text, bounded."""

    def __init__(self) -> None:
        self._left = MAX_RESULT
        self._passed_over: dict[str, int] = {}
        super().__init__()

    def handle_tag(self, tag: str, attrs: dict[str, str | None], start: bool) -> None:
        """Passes over quotes and lists that are nested too deep, from start to end."""
        if start and self._too_deep(tag):
            self._passed_over[tag] = self._passed_over.get(tag, 0) + 1
        elif not start and self._passed_over.get(tag):
            self._passed_over[tag] -= 1
        else:
            super().handle_tag(tag, attrs, start)
            self.style = 0  # or style sheets are read, which nothing here uses and which may never end

    def handle_data(self, data: str, entity_char: bool = False) -> None:
        """Shortens long white space first where it becomes one space anyway: escaping looks at it often."""
        if not self.pre:
            data = _LONG_SPACE.sub(lambda space: "\n" if "\n" in space[0] else " ", data)
        super().handle_data(data, entity_char)

    def o(self, data: str, puredata: bool = False, force: bool | str = False) -> None:
        """Keeps what an abbreviation stands on short: each piece of it is a copy of all before."""
        if self.abbr_data is not None:
            self.abbr_data = self.abbr_data[:MAX_ABBREVIATION]
        super().o(data, puredata, force)

    def outtextf(self, s: str) -> None:
        """Takes a piece of the markdown."""
        self._left -= len(s)
        if self._left < 0:
            raise BoundExceeded(f"a page of more than {MAX_RESULT:,} characters of markdown is too long")
        super().outtextf(s)

    def _too_deep(self, tag: str) -> bool:
        return (tag == "blockquote" and self.blockquote >= MAX_NESTED) or (
            tag in ("ol", "ul") and len(self.list) >= MAX_NESTED
        )


class _SoupParser(_Seeker, BeautifulSoupHTMLParser):
    """Beautiful Soup's parser, bounded, and silent about XML."""

    @classmethod
    def _warn(cls, stacklevel: int = 5) -> None:
        pass  # whatever a page is, it is read as HTML


class _SoupBuilder(HTMLParserTreeBuilder):
    def feed(self, markup: Any, _parser_class: type[BeautifulSoupHTMLParser] = _SoupParser) -> None:
        super().feed(markup, _parser_class)


def _truncate(html: str) -> str:
    # The line break, which is stripped again, keeps short text from being warned of as a file's name.
    soup = BeautifulSoup("\n" + html, builder=_SoupBuilder())
    for unshown in soup(["script", "style"]):
        unshown.extract()
    return soup.get_text(separator="\n", strip=True)
