"""Whether a response is text, and its bytes as text.

What is not text (images, PDF, archives) is refused here, where the release shows the bytes as if they
were text. The charset is found as browsers find it: byte order mark, header, what the page says of
itself, UTF-8 if it fits, and only then a guess; the release takes Latin-1 for every page without a header.
"""

from __future__ import annotations

import codecs
import re
from email.message import Message

from charset_normalizer import from_bytes

_TEXT_TYPES = frozenset(
    {
        "application/atom+xml",
        "application/ecmascript",
        "application/javascript",
        "application/json",
        "application/ld+json",
        "application/rss+xml",
        "application/x-httpd-php",
        "application/x-javascript",
        "application/x-ndjson",
        "application/x-sh",
        "application/x-tex",
        "application/x-yaml",
        "application/xhtml+xml",
        "application/xml",
        "application/yaml",
    }
)

_BINARY_STARTS = (
    b"%PDF-",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\x89PNG\r\n",
    b"GIF8",
    b"\xff\xd8\xff",
    b"7z\xbc\xaf",
)

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_NOT_OF_PAGES = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-7"}
)  # codecs of Python that no page is in; some take time that grows with the square of the page

_HEAD = 4096  # bytes in which a page says its charset
_SAMPLE = 65_536  # bytes from which a charset is guessed

_SAYS_CHARSET = re.compile(
    rb"""<meta[^>]{1,500}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,40})"""
    rb"""|^\s{0,99}<\?xml[^>]{1,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})""",
    re.IGNORECASE,
)


def media_type(content_type: str) -> str:
    """The type of a Content-Type header without its parameters, in lower case; empty if there is none."""
    return content_type.partition(";")[0].strip().lower()


def is_text_type(kind: str) -> bool:
    """Whether a media type is one of text; no type at all may be text."""
    return (
        not kind
        or kind.startswith("text/")
        or kind in _TEXT_TYPES
        or kind.endswith(("+xml", "+json", "+yaml"))
    )


def looks_binary(body: bytes) -> bool:
    """Whether bytes that are said to be text are not."""
    if body.startswith(_BINARY_STARTS):
        return True
    return (
        b"\0" in body[:1024]
        and _marked(body) is None
        and b"<\0" not in body[:64]
        and b"\0<" not in body[:64]
    )


def decoded(body: bytes, content_type: str) -> str:
    """The bytes of a page as text; what does not fit its charset becomes U+FFFD."""
    return body.decode(_charset(body, content_type), errors="replace")


def _charset(body: bytes, content_type: str) -> str:
    return (
        _marked(body)
        or _known(_said_in_header(content_type))
        or _known(_said_in_page(body))
        or _guessed(body)
    )


def _marked(body: bytes) -> str | None:
    return next((charset for mark, charset in _MARKS if body.startswith(mark)), None)


def _said_in_header(content_type: str) -> str:
    message = Message()
    message["Content-Type"] = content_type.replace("\r", " ").replace("\n", " ")
    said = message.get_param("charset", "")
    return said.strip(" '\"") if isinstance(said, str) else ""


def _said_in_page(body: bytes) -> str:
    found = _SAYS_CHARSET.search(body[:_HEAD])
    said = (found[1] or found[2]).decode("ascii", "replace") if found else ""
    return "utf-8" if said.lower().startswith("utf-16") else said  # it could not have been read


def _known(charset: str) -> str | None:
    try:
        name = codecs.lookup(charset).name
        b"a".decode(name, "replace")  # LookupError for codecs that are not of text
    except (LookupError, ValueError):
        return None
    return None if name.replace("_", "-") in _NOT_OF_PAGES else name


def _guessed(body: bytes) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        best = from_bytes(body[:_SAMPLE]).best()
        return best.encoding if best else "cp1252"
    return "utf-8"
