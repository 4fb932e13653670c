"""Detection of text, and of charsets."""

from __future__ import annotations

from email.message import Message

import pytest

from bfcl_pipeline.world.web.content import decode_page, is_text_type, looks_binary, media_type

GREEK = "Καλημέρα κόσμε, τι κάνετε σήμερα; Ο καιρός είναι πολύ ωραίος στην Αθήνα. "


@pytest.mark.parametrize(
    ("kind", "is_text"),
    [
        # Text, JSON, XML and an absent type are text; images, documents and archives are not.
        *((kind, True) for kind in ("", "text/html", "text/plain", "application/json")),
        *((kind, True) for kind in ("application/rss+xml", "image/svg+xml")),
        *((kind, False) for kind in ("application/pdf", "image/png", "application/zip", "video/mp4")),
        ("application/octet-stream", False),
    ],
)
def test_types_of_text(kind: str, is_text: bool) -> None:
    """Case, white space and parameters of the header are ignored."""
    assert is_text_type(kind) is is_text
    assert media_type(f" {kind.upper()} ; charset=utf-8") == kind


@pytest.mark.parametrize(
    ("body", "is_binary"),
    [
        *((body, True) for body in (b"%PDF-1.7 x", b"PK\x03\x04x", b"\x89PNG\r\n\x1a\n", b"a\0b" * 9)),
        # The zero bytes of UTF-16 do not make a page binary.
        *((body, False) for body in (b"", b"<p>x", "<p>x".encode("utf-16"), "<p>x".encode("utf-16-le"))),
        ("é".encode("latin-1"), False),
    ],
)
def test_binary_bodies_are_recognised(body: bytes, is_binary: bool) -> None:
    """The bytes are checked even if the type is text."""
    assert looks_binary(body) is is_binary


LATIN, HTML = "é".encode("latin-1"), "text/html"
CODECS = ("zlib_codec", "rot13", "punycode", "idna", "unicode_escape", "utf-7", "undefined")
HEADS = (
    "<meta charset=windows-1253>",
    "<META CHARSET = 'windows-1253'/>",
    '<meta http-equiv="Content-Type" content="text/html; charset=windows-1253">',
    "<?xml version='1.0' encoding='windows-1253'?>",
)


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("é".encode(), "text/html; charset=utf-8", "é"),
        (LATIN, "text/html; charset=ISO-8859-1", "é"),
        (LATIN, "text/html; charset='iso-8859-1'", "é"),
        ("é".encode(), HTML, "é"),
        ("é".encode(), "", "é"),
        # A byte order mark precedes the header.
        ("é".encode("utf-16"), "text/html; charset=iso-8859-1", "é"),
        ("\ufeffé".encode(), "text/html; charset=iso-8859-1", "é"),
        # Unknown charsets are ignored, and so are codecs that decompress or are slow.
        *(("é".encode(), f"text/html; charset={name}", "é") for name in ("no-such-charset", "", "\0")),
        *((b"+AGE- \\x41", f"text/plain; charset={name}", "+AGE- \\x41") for name in CODECS),
        # Without a header the declaration in the page is used; a proxy that recodes changes the former.
        *(((head + GREEK).encode("cp1253"), HTML, head + GREEK) for head in HEADS),
        ("<meta charset=koi8-r>é".encode(), "text/html; charset=utf-8", "<meta charset=koi8-r>é"),
        # A page without a declaration that is not UTF-8 is decoded with the best guess.
        ((GREEK * 5).encode("cp1253"), HTML, GREEK * 5),
        # Damaged bytes do not lose the page.
        (b"a\xffb", "text/html; charset=utf-8", "a\ufffdb"),
    ],
)
def test_pages_are_decoded(body: bytes, content_type: str, text: str) -> None:
    """The charset is that of the mark, the header, the declaration, or a guess, in this order."""
    assert decode_page(body, content_type) == text


def test_long_content_types_take_little_work(monkeypatch):
    """Of a Content-Type header of any length only the beginning is parsed: its parser is quadratic."""
    parsed = []
    monkeypatch.setattr(Message, "__setitem__", lambda _, __, value: parsed.append(len(value)))
    decode_page(b"tea", 'text/html; x="' + ";" * 200_000)
    assert parsed == [4096]
