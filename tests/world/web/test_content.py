"""Detection of text, and of charsets."""

from __future__ import annotations

from email.message import Message

import pytest

from bfcl_pipeline.world.web.content import decode_page, is_text_type, looks_binary, media_type

GREEK = "Καλημέρα κόσμε, τι κάνετε σήμερα; Ο καιρός είναι πολύ ωραίος στην Αθήνα. "


@pytest.mark.parametrize(
    "kind", ["", "text/html", "text/plain", "application/json", "application/rss+xml", "image/svg+xml"]
)
def test_text_types_are_accepted(kind: str) -> None:
    """Text, JSON, XML and an absent type are text."""
    assert is_text_type(kind)


@pytest.mark.parametrize(
    "kind", ["application/pdf", "image/png", "application/zip", "application/octet-stream", "video/mp4"]
)
def test_other_types_are_rejected(kind: str) -> None:
    """Images, documents and archives are not text."""
    assert not is_text_type(kind)


def test_a_media_type_is_read_without_its_parameters() -> None:
    """Case, white space and parameters are ignored."""
    assert media_type(" Text/HTML ; charset=utf-8") == "text/html"


@pytest.mark.parametrize("body", [b"%PDF-1.7 x", b"PK\x03\x04x", b"\x89PNG\r\n\x1a\n", b"a\0b" * 9])
def test_binary_bodies_are_recognised(body: bytes) -> None:
    """The bytes are checked even if the type is text."""
    assert looks_binary(body)


@pytest.mark.parametrize(
    "body", [b"", b"<p>x", "<p>x".encode("utf-16"), "<p>x".encode("utf-16-le"), "é".encode("latin-1")]
)
def test_text_in_any_charset_is_not_binary(body: bytes) -> None:
    """The zero bytes of UTF-16 do not make a page binary."""
    assert not looks_binary(body)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("é".encode(), "text/html; charset=utf-8"),
        ("é".encode("latin-1"), "text/html; charset=ISO-8859-1"),
        ("é".encode("latin-1"), "text/html; charset='iso-8859-1'"),
        ("é".encode(), "text/html"),
        ("é".encode(), ""),
        ("é".encode("utf-16"), "text/html; charset=iso-8859-1"),
        ("\ufeffé".encode(), "text/html; charset=iso-8859-1"),
        ("é".encode(), "text/html; charset=no-such-charset"),
        ("é".encode(), "text/html; charset="),
        ("é".encode(), "text/html; charset=\0"),
    ],
)
def test_a_charset_is_found(body: bytes, content_type: str) -> None:
    """A byte order mark precedes the header, the header a guess; unknown charsets are ignored."""
    assert decode_page(body, content_type) == "é"


@pytest.mark.parametrize(
    "head",
    [
        "<meta charset=windows-1253>",
        "<META CHARSET = 'windows-1253'/>",
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1253">',
        "<?xml version='1.0' encoding='windows-1253'?>",
    ],
)
def test_a_charset_declaration_is_used(head: str) -> None:
    """Without a header the declaration in the page is used."""
    assert decode_page((head + GREEK).encode("cp1253"), "text/html") == head + GREEK


def test_an_undeclared_charset_is_guessed() -> None:
    """A page without a declaration that is not UTF-8 is decoded with the best guess."""
    assert decode_page((GREEK * 5).encode("cp1253"), "text/html") == GREEK * 5


def test_the_header_precedes_the_declaration() -> None:
    """A proxy that recodes a page changes only the header."""
    assert decode_page("<meta charset=koi8-r>é".encode(), "text/html; charset=utf-8").endswith("é")


@pytest.mark.parametrize(
    "charset", ["zlib_codec", "rot13", "punycode", "idna", "unicode_escape", "utf-7", "undefined"]
)
def test_codecs_that_are_not_charsets_are_ignored(charset: str) -> None:
    """A server cannot select a codec that decompresses or is slow."""
    assert decode_page(b"+AGE- \\x41", f"text/plain; charset={charset}") == "+AGE- \\x41"


def test_invalid_bytes_are_replaced() -> None:
    """Damaged bytes do not lose the page."""
    assert decode_page(b"a\xffb", "text/html; charset=utf-8") == "a\ufffdb"


def test_long_content_types_take_little_work(monkeypatch):
    """Of a Content-Type header of any length only the beginning is parsed: its parser is quadratic."""
    parsed = []
    monkeypatch.setattr(Message, "__setitem__", lambda _, __, value: parsed.append(len(value)))
    decode_page(b"tea", 'text/html; x="' + ";" * 200_000)
    assert parsed == [4096]
