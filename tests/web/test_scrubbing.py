"""Secrets are taken out of what is kept of HTTP."""

import pytest

from bfcl_pipeline.web.scrubbing import Scrubber, scrubbed, secret_header_values, secret_values

KEY = "abc123/def456=="


@pytest.mark.parametrize(
    "name",
    [
        "api_key", "apikey", "API-Key", "key", "access_token", "token", "auth", "password", "client_secret",
        "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "sig", "PHPSESSID.sid", "api%5Fkey",
    ],
)  # fmt: skip
def test_values_of_secret_parameters_go(name):
    """The value of a parameter with a secret's name goes, wherever it stands; the rest stays as it is."""
    url = f"https://h.example/p?q=green+tea&{name}=abc%2F1&page=2#x"
    assert scrubbed(url) == f"https://h.example/p?q=green+tea&{name}=SCRUBBED&page=2#x"
    assert scrubbed(f"https://h.example/p?{name}=abc") == f"https://h.example/p?{name}=SCRUBBED"
    assert scrubbed(scrubbed(url)) == scrubbed(url)


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
def test_other_addresses_stay(url):
    """Words that only resemble a secret's name, and what follows no name, stay."""
    assert scrubbed(url) == url


def test_users_go():
    """A user and password in an address go."""
    assert scrubbed("https://user:p@ss@h.example/a") == "https://h.example/a"


def test_long_names_take_no_long_time():
    """A parameter of a megabyte is looked at once, not from every letter."""
    assert scrubbed("a" * 1_000_000) == "a" * 1_000_000


def test_given_secrets_go_everywhere():
    """A secret goes as it is and in the forms that it has in addresses, from text and bytes."""
    scrub = Scrubber([KEY, ""])
    assert scrub.text(f"x {KEY} y abc123%2Fdef456%3D%3D z") == "x SCRUBBED y SCRUBBED z"
    assert scrub.body(b"\xff" + KEY.encode() + b"\x00") == b"\xffSCRUBBED\x00"
    assert Scrubber([]).text("") == ""


def test_headers_with_secrets_are_left_out():
    """Cookies, authorizations and keys go with their headers; addresses in others are scrubbed."""
    names = ["Cookie", "Set-Cookie", "authorization", "Proxy-Authorization", "X-API-Key", "X-Auth-Token"]
    kept = [("Location", "/a?api_key=1&b=2"), ("Vary", "a"), ("Vary", "b"), ("ETag", "x=1; key=2")]
    headers = Scrubber([]).headers([*((name, "v") for name in names), *kept])
    assert headers == {
        "Location": ["/a?api_key=SCRUBBED&b=2"],
        "Vary": ["a", "b"],
        "ETag": ["x=1; key=2"],
    }


def test_long_values_are_sought_elsewhere():
    """Values of keys and of authorizations are secrets elsewhere too if they are no common words."""
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
