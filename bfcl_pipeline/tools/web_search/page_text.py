"""Converts an HTML page to the text form that a model requested: raw, markdown or truncate.

As in the release, markdown is made by html2text and truncate by Beautiful Soup on html.parser, both with
their default settings. The conversion is bounded against hostile HTML: on some markup the time of both
libraries grows with the square of the page, and html2text never finishes a broken style sheet. A page
within the bounds is converted exactly as by the libraries.
"""

import re
from html.parser import HTMLParser
from typing import Any

from bs4 import BeautifulSoup
from bs4.builder import ParserRejectedMarkup
from bs4.builder._htmlparser import BeautifulSoupHTMLParser, HTMLParserTreeBuilder
from html2text import HTML2Text

from bfcl_pipeline.tools.api import MAX_RESULT, BoundExceeded

MAX_HTML = 2_000_000
"""Characters of a page that markdown and truncate read; the rest is omitted."""

MAX_NESTED = 40
"""Nesting depth of quotes and of lists in markdown; each level indents every line in it."""

MAX_OPEN = 20
"""Tags without `>` at the end of a page that are still parsed one by one."""

MAX_ABBREVIATION = 20_000
"""Characters of the text of an abbreviation."""

_LONG_SPACE = re.compile(r"\s{20,}")


def page_text(html: str, mode: str) -> str:
    """The text of a page. `mode`: raw (unchanged), markdown, or truncate (plain text, a line per piece).

    Raises ValueError, with the release's text, for another mode and for markup that the parser rejects;
    BoundExceeded if the markdown would be longer than MAX_RESULT.
    """
    if mode == "raw":
        return html
    if mode not in ("markdown", "truncate"):
        raise ValueError(f"Unsupported mode: {mode}")
    readable = _without_open_tail(html[:MAX_HTML])
    try:
        return _Markdown().handle(readable) if mode == "markdown" else _truncate(readable)
    except (AssertionError, ParserRejectedMarkup) as error:  # raised by html.parser for invalid markup
        raise ValueError(str(error)) from error


def _without_open_tail(html: str) -> str:
    """The page with the unclosed tags at its end escaped, which has the same result.

    For each of these tags the parser would search through the rest of the page.
    """
    end = html.rfind(">") + 1
    if html.count("<", end) <= MAX_OPEN:
        return html
    return html[:end] + html[end:].replace("<", "&lt;")


class _Seeker(HTMLParser):
    """Searches the end of a comment or marked section only until one of that kind has no end."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._endless: set[str] = set()
        super().__init__(*args, **kwargs)

    def parse_comment(self, i: int, report: bool = True) -> int:
        """The end of the comment at `i`; -1 if it has none."""
        if "<!--" in self._endless:
            return -1
        end = super().parse_comment(i, report)
        if end < 0:
            self._endless.add("<!--")
        return end

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """The end of the marked section at `i`; -1 if it has none."""
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
        """Skips the tags of quotes and lists that are nested too deep."""
        if start and self._too_deep(tag):
            self._passed_over[tag] = self._passed_over.get(tag, 0) + 1
        elif not start and self._passed_over.get(tag):
            self._passed_over[tag] -= 1
        else:
            super().handle_tag(tag, attrs, start)
            self.style = 0  # skips style sheets, which are not used and could loop forever

    def handle_data(self, data: str, entity_char: bool = False) -> None:
        """Shortens long white space that becomes one space anyway, because escaping scans it repeatedly."""
        if not self.pre:
            data = _LONG_SPACE.sub(lambda space: "\n" if "\n" in space[0] else " ", data)
        super().handle_data(data, entity_char)

    def o(self, data: str, puredata: bool = False, force: bool | str = False) -> None:
        """Bounds the text of an abbreviation, because each piece of it copies all earlier pieces."""
        if self.abbr_data is not None:
            self.abbr_data = self.abbr_data[:MAX_ABBREVIATION]
        super().o(data, puredata, force)

    def outtextf(self, s: str) -> None:
        """Adds a piece of the markdown. Raises BoundExceeded if the total is too long."""
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
        pass  # every page is read as HTML


class _SoupBuilder(HTMLParserTreeBuilder):
    def feed(self, markup: Any, _parser_class: type[BeautifulSoupHTMLParser] = _SoupParser) -> None:
        super().feed(markup, _parser_class)


def _truncate(html: str) -> str:
    # The line break, which is stripped again, prevents the warning that a short text may be a file name.
    soup = BeautifulSoup("\n" + html, builder=_SoupBuilder())
    for unshown in soup(["script", "style"]):
        unshown.extract()
    return soup.get_text(separator="\n", strip=True)
