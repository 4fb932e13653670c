"""Tests of what is text, and of charsets."""

from __future__ import annotations

import pytest

from bfcl_pipeline.web.content import decoded, is_text_type, looks_binary, media_type

GREEK = "Καλημέρα κόσμε, τι κάνετε σήμερα; Ο καιρός είναι πολύ ωραίος στην Αθήνα. "


@pytest.mark.parametrize(
    "kind", ["", "text/html", "text/plain", "application/json", "application/rss+xml", "image/svg+xml"]
)
def test_text_comes_in_many_types(kind: str) -> None:
    """Text, JSON, XML and no type at all are read."""
    assert is_text_type(kind)


@pytest.mark.parametrize(
    "kind", ["application/pdf", "image/png", "application/zip", "application/octet-stream", "video/mp4"]
)
def test_types_that_are_not_text(kind: str) -> None:
    """Images, documents and archives are not."""
    assert not is_text_type(kind)


def test_a_media_type_is_read_without_its_parameters() -> None:
    """Case, white space and parameters do not matter."""
    assert media_type(" Text/HTML ; charset=utf-8") == "text/html"


@pytest.mark.parametrize("body", [b"%PDF-1.7 x", b"PK\x03\x04x", b"\x89PNG\r\n\x1a\n", b"a\0b" * 9])
def test_binary_bodies_are_recognised(body: bytes) -> None:
    """What is said to be text is still looked at."""
    assert looks_binary(body)


@pytest.mark.parametrize(
    "body", [b"", b"<p>x", "<p>x".encode("utf-16"), "<p>x".encode("utf-16-le"), "é".encode("latin-1")]
)
def test_text_in_any_charset_is_not_binary(body: bytes) -> None:
    """The zeros of UTF-16 are not taken for those of a picture."""
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
    """A byte order mark goes before the header, the header before a guess; unknown ones are passed over."""
    assert decoded(body, content_type) == "é"


@pytest.mark.parametrize(
    "head",
    [
        "<meta charset=windows-1253>",
        "<META CHARSET = 'windows-1253'/>",
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1253">',
        "<?xml version='1.0' encoding='windows-1253'?>",
    ],
)
def test_a_page_says_its_charset(head: str) -> None:
    """Without a header the page's own word is taken."""
    assert decoded((head + GREEK).encode("cp1253"), "text/html") == head + GREEK


def test_a_charset_is_guessed_where_nothing_is_said() -> None:
    """A page that says nothing and is not UTF-8 is read by what fits its letters."""
    assert decoded((GREEK * 5).encode("cp1253"), "text/html") == GREEK * 5


def test_the_header_is_right_against_the_page() -> None:
    """A proxy that recodes a page changes the header alone."""
    assert decoded("<meta charset=koi8-r>é".encode(), "text/html; charset=utf-8").endswith("é")


@pytest.mark.parametrize(
    "charset", ["zlib_codec", "rot13", "punycode", "idna", "unicode_escape", "utf-7", "undefined"]
)
def test_codecs_that_no_page_is_in_are_passed_over(charset: str) -> None:
    """A server cannot choose a codec that unpacks or is slow."""
    assert decoded(b"+AGE- \\x41", f"text/plain; charset={charset}") == "+AGE- \\x41"


def test_what_does_not_fit_the_charset_is_replaced() -> None:
    """Damaged bytes do not lose the page."""
    assert decoded(b"a\xffb", "text/html; charset=utf-8") == "a\ufffdb"
