"""Decodes a response to text, and detects responses that are not text.

Content that is not text (images, PDF, archives) is refused, whereas the release shows its bytes as text.
The charset is determined as in browsers: byte order mark, header, declaration in the page, UTF-8 if valid,
and only then a guess; the release assumes Latin-1 for every page without a header. `bs4.dammit` is not used
because it guesses before it tries UTF-8 and accepts codecs that are not charsets of pages.
"""

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
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its prefix
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_NOT_OF_PAGES = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-7"}
)  # Python codecs that no page uses; some take quadratic time

_LONGEST_TYPE = 4096  # characters of a Content-Type header that are searched for a charset
_HEAD = 4096  # bytes that are searched for a charset declaration
_SAMPLE = 65_536  # bytes from which a charset is guessed

_DECLARATION = re.compile(
    rb"""<meta[^>]{1,500}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,40})"""
    rb"""|^\s{0,99}<\?xml[^>]{1,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})""",
    re.IGNORECASE,
)


def media_type(content_type: str) -> str:
    """The type of a Content-Type header without its parameters, in lower case; empty if there is none."""
    return content_type.partition(";")[0].strip().lower()


def is_text_type(kind: str) -> bool:
    """Whether a media type is a text type; an absent type counts as text."""
    return (
        not kind
        or kind.startswith("text/")
        or kind in _TEXT_TYPES
        or kind.endswith(("+xml", "+json", "+yaml"))
    )


def looks_binary(body: bytes) -> bool:
    """Whether the bytes of a response that is declared as text are not text."""
    if body.startswith(_BINARY_STARTS):
        return True
    return (
        b"\0" in body[:1024]
        and _from_mark(body) is None
        and b"<\0" not in body[:64]
        and b"\0<" not in body[:64]
    )


def decode_page(body: bytes, content_type: str) -> str:
    """The bytes of a page as text; bytes that are invalid in its charset become U+FFFD."""
    return body.decode(_charset(body, content_type), errors="replace")


def _charset(body: bytes, content_type: str) -> str:
    return (
        _from_mark(body)
        or known_charset(_from_header(content_type))
        or known_charset(_from_page(body))
        or _guessed(body)
    )


def _from_mark(body: bytes) -> str | None:
    return next((charset for mark, charset in _MARKS if body.startswith(mark)), None)


def _from_header(content_type: str) -> str:
    message = Message()  # whose parser takes quadratic time
    message["Content-Type"] = content_type[:_LONGEST_TYPE].replace("\r", " ").replace("\n", " ")
    charset = message.get_param("charset", "")
    return charset.strip(" '\"") if isinstance(charset, str) else ""


def _from_page(body: bytes) -> str:
    declared = _DECLARATION.search(body[:_HEAD])
    charset = (declared[1] or declared[2]).decode("ascii", "replace") if declared else ""
    return "utf-8" if charset.lower().startswith("utf-16") else charset  # UTF-16 would not match in ASCII


def known_charset(charset: str) -> str | None:
    """The codec of a charset; None if there is none, or it is not a charset of pages."""
    try:
        name = codecs.lookup(charset).name
        b"a".decode(name, "replace")  # LookupError for codecs that do not decode to text
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
