"""Secrets are redacted in the HTTP evidence of the web cache."""

import pytest

from bfcl_pipeline.world.web.evidence.redaction import (
    HttpRedactor,
    differs_in_secrets_only,
    redact_address,
    secret_header_values,
    secret_values,
)

KEY = "abc123/def456=="


@pytest.mark.parametrize(
    "name",
    [
        "api_key", "apikey", "API-Key", "key", "access_token", "token", "auth", "password", "client_secret",
        "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "sig", "PHPSESSID.sid", "api%5Fkey",
    ],
)  # fmt: skip
def test_values_of_secret_parameters_are_redacted(name):
    """The value of a parameter with a secret's name is replaced at any position; the rest is unchanged."""
    url = f"https://h.example/p?q=green+tea&{name}=abc%2F1&page=2#x"
    assert redact_address(url) == f"https://h.example/p?q=green+tea&{name}=SCRUBBED&page=2#x"
    assert redact_address(f"https://h.example/p?{name}=abc") == f"https://h.example/p?{name}=SCRUBBED"
    assert redact_address(redact_address(url)) == redact_address(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://h.example/",
        "https://h.example/api_key/1?q=token&keyword=a&monkey=b&keys=c&author=d&design=e",
        "https://h.example/?q=a=b",
        "https://h.example/?mail=a@b.example",
        "https://h.example/@user/?q=%20%C3%A4",
    ],
)
def test_other_addresses_are_unchanged(url):
    """Words that only resemble a secret's name, and values without a name, are not redacted."""
    assert redact_address(url) == url


def test_users_are_removed():
    """A user and password in an address are removed."""
    assert redact_address("https://user:p@ss@h.example/a") == "https://h.example/a"


def test_long_names_are_scanned_once():
    """A parameter name of a megabyte is matched in linear time, not again from each letter."""
    assert redact_address("a" * 1_000_000) == "a" * 1_000_000


def test_given_secrets_are_redacted_everywhere():
    """A secret is replaced as it is and percent-encoded, in text and in bytes."""
    redactor = HttpRedactor([KEY, ""])
    assert redactor.text(f"x {KEY} y abc123%2Fdef456%3D%3D z") == "x SCRUBBED y SCRUBBED z"
    assert redactor.content(b"\xff" + KEY.encode() + b"\x00") == b"\xffSCRUBBED\x00"
    assert HttpRedactor([]).text("") == ""


def test_headers_with_secrets_are_left_out():
    """Headers with cookies, authorizations and keys are dropped; addresses in others are redacted."""
    names = ["Cookie", "Set-Cookie", "authorization", "Proxy-Authorization", "X-API-Key", "X-Auth-Token"]
    kept = [("Location", "/a?api_key=1&b=2"), ("Vary", "a"), ("Vary", "b"), ("ETag", "x=1; key=2")]
    headers = HttpRedactor([]).headers([*((name, "v") for name in names), *kept])
    assert headers == {
        "Location": ["/a?api_key=SCRUBBED&b=2"],
        "Vary": ["a", "b"],
        "ETag": ["x=1; key=2"],
    }


def test_long_values_are_redacted_elsewhere():
    """Values of keys and authorizations count as secrets elsewhere too if they are not short words."""
    assert {*secret_values(f"http://h/?api_key={KEY.replace('/', '%2F')}&key=tea&q=abcdefghijklmn")} == {
        "abc123%2Fdef456==",
        KEY,
    }
    headers = [
        ("Authorization", f"Bearer {KEY}"),
        ("Cookie", "a=abcdefghijklmn"),
        ("Accept", "text/html-x"),
    ]
    assert [*secret_header_values(headers)] == [KEY]


@pytest.mark.parametrize(
    ("text", "recorded", "same"),
    [
        ("abc", "abc", True),
        ("abc", "abd", False),
        ("a-secret-c", "aSCRUBBEDc", True),
        ("aSCRUBBEDc", "aSCRUBBEDc", True),
        ("abc", "aSCRUBBEDc", False),  # too short for a secret
        ("a two words c", "aSCRUBBEDc", False),
        ("a-secret-d", "aSCRUBBEDc", False),
        ("ab", "abSCRUBBEDb", False),  # one character cannot be both
        ("a-secret-b-another-c", "aSCRUBBEDbSCRUBBEDc", True),
        ("a-secret-c-another-b", "aSCRUBBEDbSCRUBBEDc", False),
        ("anything", "SCRUBBED", True),
        ("x" * 1_000_000, "xSCRUBBED" * 50_000 + "y", False),
    ],
)
def test_texts_that_differ_in_redacted_parts_only(text, recorded, same):
    """A redacted part stands for any text; all others must be there, in order, each at its own place."""
    assert differs_in_secrets_only(text, recorded) is same
