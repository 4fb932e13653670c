"""Cassettes are files of vcrpy: it reads ours, we read its own, and nothing else."""

import os
import random
import subprocess
import sys

import pytest
import vcr
import yaml

from bfcl_pipeline.base import yaml_reader
from bfcl_pipeline.world.web.evidence import cassettes
from bfcl_pipeline.world.web.evidence.cassettes import read_cassette, write_cassette
from bfcl_pipeline.world.web.evidence.tape import HttpExchange

URL = "http://h.example/a?q=green+tea"


def _exchange(body=b"text", **changed):
    values = {
        "method": "GET",
        "url": URL,
        "request_headers": [("Accept", "text/html")],
        "request_body": None,
        "status": 200,
        "reason": "OK",
        "headers": [("A", "1"), ("Vary", "a"), ("A", "2")],
        "body": bytearray(body),
    }
    return HttpExchange(**(values | changed))


BODIES = [
    b"",
    b"=",
    b"~",
    b"null",
    b"2026-11-23",
    b" # - : { &a *a !!python/name:os.system",
    "Gr\u00fcner Tee \U0001f375 \x85\u2028\u2029 \t end ".encode(),
    bytes(range(128)),
    bytes(range(256)),
    b"a\rb\r\nc\n\nd\r",
    b"\xef\xbb\xbfmark \xef\xbf\xbe\xef\xbf\xbf",
    b"half a character: \xed\xa0\x80",
    b'{"half": "\\ud800"}',
    "\u3042".encode() * 100_000,
    b"<p>long</p> " * 450_000,
    random.Random(7).randbytes(1_000) * 500,
]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: ascii(body[:20]))
@pytest.mark.parametrize("part", ["response", "request"])
def test_bodies_are_the_same_byte_for_byte(tmp_path, body, part):
    """Any body is unchanged after writing and reading, by us and by vcrpy; the file is ASCII."""
    exchange = _exchange(body) if part == "response" else _exchange(request_body=body)
    content = write_cassette([exchange])
    assert content.isascii()
    path = tmp_path / "cassette.yaml"
    path.write_bytes(content)
    (read,), cassette = read_cassette(content), vcr.cassette.Cassette.load(path=str(path))
    if part == "response":
        assert read.body == cassette.responses[0]["body"]["string"] == body
    else:
        assert read.request_body == cassette.requests[0].body == body


def test_headers_with_several_values_stay_apart():
    """A header that a server sends twice has two values; one that a client sends twice is joined."""
    sent = _exchange(request_headers=[("Accept", "a"), ("Accept", "b")])
    (read,) = read_cassette(write_cassette([sent]))
    assert read.headers == (("A", "1"), ("A", "2"), ("Content-Length", "4"), ("Vary", "a"))
    assert read.request_headers == (("Accept", "a, b"),)


def test_texts_of_any_characters_are_written():
    """Addresses, reasons, headers and errors may have control characters and halves of characters."""
    odd = "a\x00\x1b\x85\u2028\n\r'\":#\udc80\U0001f375 "
    content = write_cassette(
        [
            _exchange(url=URL + odd, reason=odd, headers=[(odd, odd)]),
            _exchange(url=URL + odd, error=odd, request_headers=[(odd, odd)], request_body=b"q=\xff"),
        ]
    )
    assert len(yaml.safe_load(content)["metadata"]["unanswered"]) == 1  # where vcrpy keeps values of users
    answered, unanswered = read_cassette(content)
    shown = odd.replace("\udc80", "\ufffd")
    assert answered.url == unanswered.url == URL + shown
    assert (answered.reason, dict(answered.headers)[shown]) == (shown, shown)
    assert (unanswered.error, unanswered.request_body) == (shown, b"q=\xff")


def test_same_exchanges_same_bytes():
    """The bytes depend on the exchanges alone, not on the process that writes them."""
    program = (
        "import sys; from tests.world.web.evidence.test_cassettes import _exchange, write_cassette;"
        "sys.stdout.buffer.write(write_cassette([_exchange(), _exchange(error='no'), _exchange(b'\\xff')]))"
    )
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    there = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C"},
        capture_output=True,
        check=True,
    ).stdout
    assert there == write_cassette([_exchange(), _exchange(error="no"), _exchange(b"\xff")])


REQUEST = "{method: GET, uri: 'http://h.example/', body: null, headers: {}}"
RESPONSE = "{status: {code: 200, message: OK}, headers: {}, body: {string: a}}"


def _with(request=REQUEST, response=RESPONSE, more=""):
    return f"version: 1\ninteractions:\n- request: {request}\n  response: {response}\n{more}"


HOSTILE = {
    "nothing": "",
    "another document": "a: 1",
    "a list": "[a, b]",
    "no YAML": "{",
    "two documents": _with() + "---\na: 1\n",
    "not text": b"\xff\xfe\x00",
    "a call": _with(REQUEST.replace("null", "!!python/object/apply:os.system ['exit 1']")),
    "a name": _with(response="!!python/name:os.system"),
    "an iterator": _with(REQUEST.replace("null", "!!python/object/apply:builtins.iter {args: [[a]]}")),
    "a date": _with(REQUEST.replace("null", "2026-11-23")),
    "a file": _with(REQUEST.replace("null", "!!python/object/new:_io.BytesIO {state: [1000000000000]}")),
    "a tag of a list": _with(REQUEST.replace("null", "!!binary [a]")),
    "a number of nothing": _with(REQUEST.replace("null", "!!float ''")),
    "a tag of any letters": _with(REQUEST.replace("null", "!\u202ea x")),
    "binary that is not": _with(REQUEST.replace("null", "!!binary 'a'")),
    "aliases": "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\ninteractions: [*c, *c]",
    "an anchor": _with(REQUEST.replace("GET", "&a GET")),
    "depth": "[" * 100_000,
    "an unknown escape": _with(REQUEST.replace("GET", '"\\q"')),
    "half a character": _with(response=RESPONSE.replace("string: a", 'string: "\\ud800"')),
    "a number": _with(REQUEST.replace("GET", "1")),
    "a long number": _with(REQUEST.replace("GET", "1" * 5_000)),
    "a bad address": _with(REQUEST.replace("h.example", "[h.example")),
    "no body": _with(response=RESPONSE.replace("string: a", "string: null")),
    "no bodies": _with(response=RESPONSE.replace("{string: a}", "null")),
    "no response": _with(response="null"),
    "no status": _with(response=RESPONSE.replace("200", "'200'")),
    "a false status": _with(response=RESPONSE.replace("200", "99")),
    "headers of a list": _with(response=RESPONSE.replace("headers: {}", "headers: []")),
    "a header of a number": _with(response=RESPONSE.replace("headers: {}", "headers: {A: [1]}")),
    "a header without value": _with(REQUEST.replace("headers: {}", "headers: {A: []}")),
    "interactions of a number": "interactions: 7",
    "unanswered numbers": _with(more="metadata: {unanswered: [1]}"),
    "an unanswered number": _with(more="metadata: {unanswered: 1}"),
    "unanswered without error": _with(more=f"metadata: {{unanswered: [{{request: {REQUEST}}}]}}"),
    "metadata of a list": _with(more="metadata: [1]"),
    "a key of a list": "? [a]\n: b\n",
    "a key of a mapping": "? {a: b}\n: b\n",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_not_a_cassette_is_refused(content):
    """Each is one error of one line that says what is wrong; nothing is executed."""
    raw = content if isinstance(content, bytes) else content.encode()
    with pytest.raises(ValueError, match=r"\Anot a cassette: [ -~]{5,200}\Z"):
        read_cassette(raw)


def test_the_cases_above_differ_from_a_cassette():
    """The document that they change is a cassette."""
    assert len(read_cassette(_with().encode())) == 1


@pytest.mark.parametrize(
    ("module", "limit", "why"),
    [
        (cassettes, "LARGEST_CASSETTE_BYTES", "more than 10 bytes"),
        (yaml_reader, "MOST_VALUES", "line 3: more than 10 values"),
    ],
)
def test_size_is_bounded(monkeypatch, module, limit, why):
    """A file with too many bytes or too many values is refused, where the limit is passed."""
    monkeypatch.setattr(module, limit, 10)
    with pytest.raises(ValueError, match=f"not a cassette: {why}"):
        read_cassette(_with().encode())
