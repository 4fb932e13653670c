"""Cassettes: requests and responses without secrets, readable by vcrpy."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest
import requests
import vcr
import yaml
from urllib3.exceptions import HTTPError

from bfcl_pipeline.world.web.evidence.redaction import redact_address
from bfcl_pipeline.world.web.evidence.tape import HttpExchange, note, taping
from bfcl_pipeline.world.web.transport import TooMuch
from tests.world.web.evidence.conftest import get


def _redact_request(request):
    request.uri = redact_address(request.uri)
    return request


PLAYBACK = {
    "record_mode": "none",
    "match_on": ("method", "scheme", "host", "port", "path", "query", "body"),
    "before_record_request": _redact_request,
}
"""Replays a cassette to the client that recorded it; URLs are compared without their secrets."""

KEY = "0123456789abcdef"


def _read(cassette):
    return yaml.safe_load(cassette)["interactions"]


def test_attempts_are_played_in_order(server, tmp_path):
    """A 429 and the success after it are two exchanges, played one after the other."""
    with taping() as tape:
        live = [get(f"{server}/busy")[0] for _ in range(2)]
    path = tmp_path / "cassette.yaml"
    path.write_bytes(tape.cassette())
    with vcr.VCR(**PLAYBACK).use_cassette(str(path)):
        assert (
            [requests.get(f"{server}/busy", timeout=10).status_code for _ in range(2)] == live == [429, 200]
        )


def test_forms_are_matched_and_redacted(tmp_path):
    """A posted form is recorded without its secrets, and does not match another form."""
    url, kind = "http://h.example/form", [("Content-Type", "application/x-www-form-urlencoded")]
    with taping() as tape:
        for form in (b"q=tea&b=", b"q=tea&api_key=" + KEY.encode()):
            note(HttpExchange("POST", url, kind, form, 200, "OK", body=bytearray(b"posted")))
    cassette = tape.cassette()
    assert [one["request"]["body"] for one in _read(cassette)] == ["q=tea&b=", "q=tea&api_key=SCRUBBED"]
    path = tmp_path / "cassette.yaml"
    path.write_bytes(cassette)
    with vcr.VCR(**PLAYBACK).use_cassette(str(path)):
        assert requests.post(url, data={"q": "tea", "b": ""}, timeout=10).text == "posted"
        with pytest.raises(vcr.errors.CannotOverwriteExistingCassetteException):
            requests.post(url, data={"q": "coffee", "b": ""}, timeout=10)


def test_secrets_do_not_reach_the_cassette(server):
    """Keys in addresses, headers and echoed bodies, cookies and authorizations are not in it."""
    headers = {"Authorization": "Bearer topsecretbearer", "X-Api-Key": "topsecret", "Cookie": "a=topsecret"}
    with taping() as tape:
        get(f"{server}/redirect?api_key={KEY}", headers)
        get(f"{server}/echo?a=topsecretbearer")
        with pytest.raises(requests.RequestException):
            get(f"{server}/reset?api_key={KEY}")
    cassette = tape.cassette(secrets=["echo"])
    for secret in (b"topsecret", KEY.encode(), b"echo"):
        assert secret not in cassette
    assert cassette.count(b"SCRUBBED") >= 5
    assert _read(cassette)[1]["response"]["headers"]["Vary"] == ["a"]


def test_requests_without_an_answer_are_recorded(server):
    """Resets, truncated answers and those that are not read to their end are in the file, but not among the
    interactions that vcrpy plays."""
    with taping() as tape:
        for kind, limits in (("reset", {}), ("cut", {}), ("binary", {"body_bytes": 7})):
            with pytest.raises((requests.RequestException, HTTPError, TooMuch)):
                get(f"{server}/{kind}", **limits)
        note(HttpExchange("GET", "http://slow.example/", [], None))
    document = yaml.safe_load(tape.cassette())
    assert document["interactions"] == []
    unanswered = {
        one["request"]["uri"].rpartition("/")[2]: one["error"] for one in document["metadata"]["unanswered"]
    }
    assert list(unanswered) == ["reset", "cut", "binary", ""]
    assert "IncompleteRead" in unanswered["cut"]
    assert unanswered["binary"] == "HTTP 200, given up after 256 bytes of the body"
    assert unanswered[""] == "given up before there was an answer"


def test_threads_of_a_client_share_its_tape(server):
    """A thread that runs in a copy of the client's context adds to its tape, until the cassette is made."""
    with taping() as tape:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(copy_context().run, get, f"{server}/page").result(30)
        cassette = tape.cassette()
        get(f"{server}/page")
    assert len(_read(cassette)) == 1


def test_threads_have_separate_tapes(server):
    """Of 200 pages through 16 threads, each is on its own tape, and none is lost."""

    def fetch(number):
        with taping() as tape:
            get(f"{server}/page/{number}")
        return [exchange.url for exchange in tape.exchanges]

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(fetch, range(200))) == [[f"{server}/page/{number}"] for number in range(200)]


def test_a_client_without_a_tape_works(server):
    """Outside `taping` no exchange is recorded, and an empty tape has no cassette."""
    assert get(f"{server}/page")[-1].endswith(b"page")
    note(HttpExchange("GET", server, [], None))
    with taping() as tape:
        pass
    assert tape.cassette() is None
