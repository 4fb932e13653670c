"""Given secrets are found and redacted in texts, bytes and JSON."""

import html
import json
import re
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote, quote_plus

import pytest

from bfcl_pipeline.base.secrets import REDACTED, Redactor
from bfcl_pipeline.runs.archived.secrets import Search

SECRET = 'sk-Ab/c+9 "quoted" \\ \u00fc\u20ac\U0001f600 end'


@pytest.mark.parametrize(
    "encode",
    [
        str,
        json.dumps,
        lambda text: json.dumps(text, ensure_ascii=False),
        lambda text: json.dumps({"arguments": json.dumps({"key": text})}),
        lambda text: quote(text, safe=""),
        quote_plus,
        quote,
        lambda text: quote(quote(text, safe="")),
        lambda text: re.sub("%..", lambda escape: escape[0].lower(), quote(text, safe="")),
        html.escape,
        lambda text: b64encode(text.encode()).decode(),
        lambda text: urlsafe_b64encode(f"user:{text}, and more".encode()).decode(),
        lambda text: b64encode(f"a user:{text}".encode()).decode(),
        lambda text: text.encode().hex(),
        lambda text: text.encode().hex().upper(),
    ],
    ids=[
        "plain",
        "JSON",
        "JSON beyond ASCII",
        "JSON in JSON",
        "percent-encoded",
        "form-encoded",
        "percent-encoded but for slashes",
        "percent-encoded twice",
        "percent-encoded in small letters",
        "HTML",
        "base64",
        "base64 for addresses, within a text",
        "base64 of a login",
        "hexadecimal",
        "hexadecimal in capital letters",
    ],
)
def test_every_encoding_is_redacted(encode):
    """However a server encodes a secret, nothing of it remains, in text and in bytes; archives find it."""
    redactor = Redactor([SECRET], "[key]")
    text = f"before {encode(SECRET)} after"
    for redacted in (redactor.text(text), redactor.content(text.encode()).decode()):
        assert "[key]" in redacted
        assert not [
            trace for trace in ("sk-Ab", "quoted", "u20ac", "%E2%82%AC", "end") if trace in redacted
        ]
        assert len(redacted) < 60, "a part of the encoded secret is left"
    (finding, *_) = Search({"K": SECRET}).lines("a.txt", text.encode())
    assert "the value of K" in finding


def test_a_secret_in_json_escapes_is_redacted_from_bytes():
    """JSON may escape every character of a secret; without one, the bytes stay as they are."""
    redactor = Redactor(["sk-key/with+slash"], "[key]")
    escaped = "".join(f"\\u{ord(letter):04X}" for letter in "sk-key/with")
    assert redactor.content(rf'{{"a": "{escaped}+slash"}}'.encode()) == b'{"a": "[key]"}'
    assert redactor.content(rb'{"a": "sk-key\/with+slash"}') == b'{"a": "[key]"}'
    assert redactor.content(rb'{"a": "\\u0073k-key/with+slash"}') == b'{"a": "[key]"}'  # JSON in JSON
    for other in (rb'{"a": "\u0041\/"}', b"\xff\x00\\"):
        assert redactor.content(other) == other


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "utf-32", "utf-32-be"])
def test_a_secret_is_redacted_from_bytes_in_every_encoding(encoding):
    """The marker is in the encoding of the text around it, which can still be read."""
    content = json.dumps({"a": "sk-key/with+slash", "b": "\u00fc"}, ensure_ascii=False).encode(encoding)
    redacted = Redactor(["sk-key/with+slash"], "[key]").content(content)
    assert json.loads(redacted.decode(encoding)) == {"a": "[key]", "b": "\u00fc"}


def test_a_secret_within_another_leaves_no_part():
    """Of two secrets the longer is replaced first."""
    redactor = Redactor(["12345678", "12345678-abcdef"])
    assert redactor.text("12345678-abcdef 12345678") == f"{REDACTED} {REDACTED}"


def test_documents_are_redacted_at_any_depth():
    """Names and texts are redacted; numbers and other texts are unchanged."""
    redactor = Redactor(["12345678"])
    assert redactor.document({"a 12345678": [{"b": ("12345678", 12345678, None, "c")}]}) == {
        f"a {REDACTED}": [{"b": [REDACTED, 12345678, None, "c"]}]
    }


def test_a_secret_in_a_json_line_is_found():
    """A line of JSON in ASCII is searched without parsing it."""
    redactor = Redactor([SECRET])
    assert redactor.is_in_json(json.dumps({"raw": [f"x {SECRET}"]}).encode("ascii"))
    assert redactor.is_in_json(json.dumps(json.dumps({"raw": SECRET})).encode("ascii"))
    assert not redactor.is_in_json(b'{"raw": "x"}')


def test_short_and_empty_secrets_are_ignored():
    """A placeholder such as EMPTY may be part of any answer."""
    assert Redactor(["EMPTY", ""], shortest=8).text("EMPTY") == "EMPTY"
    assert Redactor([""]).content(b"bytes") == b"bytes"
