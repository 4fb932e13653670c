"""Converts an HTML page to the text form that a model requested: raw, markdown or truncate.

As in the release, markdown is made by html2text and truncate by Beautiful Soup on html.parser, both with
their default settings. The conversion is bounded against hostile HTML: on some markup the time of both
libraries grows with the square of the page, and html2text never finishes a broken style sheet. Truncate
therefore has Beautiful Soup's parser, but not its tree, which needs hours for texts in deep nesting. A page
within the bounds is converted exactly as by the libraries.
"""

import re
from collections import Counter
from html.parser import HTMLParser
from itertools import islice
from typing import Any, cast

from bs4 import BeautifulSoup
from bs4.builder import ParserRejectedMarkup
from bs4.builder._htmlparser import BeautifulSoupHTMLParser, HTMLParserTreeBuilder
from bs4.element import CData, PageElement
from html2text import HTML2Text

from bfcl_pipeline.world.tools.api import MAX_RESULT, BoundExceeded

MAX_HTML = 2_000_000
"""Characters of a page that markdown and truncate read; the rest is omitted."""

MAX_MARKS = 300_000
"""Tags and entities (`<` and `&`) of a page that markdown and truncate read; the rest is omitted."""

MAX_NESTED = 40
"""Nesting depth of quotes and of lists in markdown; each level indents every line in it."""

MAX_OPEN = 20
"""Tags without `>` at the end of a page that are still parsed one by one."""

MAX_ABBREVIATION = 20_000
"""Characters of the text of an abbreviation."""

_LONG_SPACE = re.compile(r"\s{20,}")
_MARK = re.compile("[<&]")


def page_text(html: str, mode: str) -> str:
    """The text of a page. `mode`: raw (unchanged), markdown, or truncate (plain text, a line per piece).

    Raises ValueError, with the release's text, for another mode and for markup that the parser rejects;
    BoundExceeded if the markdown would be longer than MAX_RESULT.
    """
    if mode == "raw":
        return html
    if mode not in ("markdown", "truncate"):
        raise ValueError(f"Unsupported mode: {mode}")
    readable = _without_open_tail(_start(html))
    try:
        return _Markdown().handle(readable) if mode == "markdown" else _truncate(readable)
    except (AssertionError, ParserRejectedMarkup) as error:  # raised by html.parser for invalid markup
        raise ValueError(str(error)) from error


def _start(html: str) -> str:
    """The part of the page that is read."""
    html = html[:MAX_HTML]
    if html.count("<") + html.count("&") <= MAX_MARKS:
        return html
    omitted = next(islice(_MARK.finditer(html), MAX_MARKS, None))
    return html[: omitted.start()]


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


class _Text:
    """The pieces of text between the tags of a page; the parser reports to it instead of to a tree.

    A tree looks at all ancestors of each text, so its time grows with the depth of the nesting.
    """

    def __init__(self) -> None:
        self.builder = HTMLParserTreeBuilder()
        self.contains_replacement_characters = False  # set by the parser
        self.shown: list[str] = []
        self._data: list[str] = []  # since the last tag
        self._open: list[str] = []  # names of the open tags
        self._count: Counter[str] = Counter()  # of each name in `_open`

    def open(self, tag: str) -> None:
        """A tag starts."""
        self.endData()
        self._open.append(tag)
        self._count[tag] += 1

    def close(self, tag: str) -> None:
        """The last open tag of this name ends, with all tags in it; nothing does if none is open."""
        self.endData()
        closed = "" if self._count[tag] else tag
        while closed != tag:
            closed = self._open.pop()
            self._count[closed] -= 1

    def handle_data(self, data: str) -> None:
        """A part of the text between two tags."""
        self._data.append(data)

    def endData(self, kind: type[PageElement] | None = None) -> None:  # the parser's name
        """The text since the last tag is complete. kind: of comments and the like; None for plain text."""
        text = "".join(self._data).strip()
        self._data.clear()
        hidden = self.builder.string_containers if kind is None else ("script", "style")
        if text and kind in (None, CData) and not any(self._count[tag] for tag in hidden):
            self.shown.append(text)


class _SoupParser(_Seeker, BeautifulSoupHTMLParser):
    """Beautiful Soup's parser, bounded, and silent about XML."""

    def __init__(self, text: _Text) -> None:
        self._text = text
        self._closed: Counter[str] = Counter()  # tags without content, whose end tags are ignored if any
        super().__init__(cast(BeautifulSoup, text), convert_charrefs=False)

    def handle_starttag(self, tag: str, attrs: Any, handle_empty_element: bool = True) -> None:  # noqa: ARG002
        """Opens a tag; closes it if it is of a kind without content."""
        self._text.open(tag)
        if handle_empty_element and self._text.builder.can_be_empty_element(tag):
            self._text.close(tag)
            self._closed[tag] += 1

    def handle_endtag(self, tag: str, check_already_closed: bool = True) -> None:
        """Closes a tag."""
        if check_already_closed and self._closed[tag]:
            self._closed[tag] -= 1
        else:
            self._text.close(tag)

    @classmethod
    def _warn(cls, stacklevel: int = 5) -> None:
        pass  # every page is read as HTML


class _TextBuilder(HTMLParserTreeBuilder):
    """Has Beautiful Soup's parser report to `_Text`, so that the tree stays empty."""

    def __init__(self) -> None:
        super().__init__()
        self.text = _Text()

    def feed(self, markup: Any, _parser_class: Any = None) -> None:
        """Reads the page. Raises ParserRejectedMarkup, whose text Beautiful Soup extends."""
        parser = _SoupParser(self.text)
        try:
            parser.feed(markup)
            parser.close()
        except AssertionError as error:
            raise ParserRejectedMarkup(error) from error
        self.text.endData()


def _truncate(html: str) -> str:
    builder = _TextBuilder()
    # The line break, which is stripped again, prevents the warning that a short text may be a file name.
    BeautifulSoup("\n" + html, builder=builder)
    return "\n".join(builder.text.shown)
