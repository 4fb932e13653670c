"""Cassettes: requests and responses without secrets, readable by vcrpy."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest
import requests
import vcr
import yaml

from bfcl_pipeline.world.web.evidence.redaction import redact_address
from bfcl_pipeline.world.web.evidence.tape import HttpExchange, note, tape_session, taping


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


@pytest.fixture
def session():
    """A session that is taped."""
    with requests.Session() as taped:
        tape_session(taped)
        yield taped


def _read(cassette):
    return yaml.safe_load(cassette)["interactions"]


@pytest.mark.parametrize("kind", ["page", "gzip", "brotli", "binary", "redirect", "missing"])
@pytest.mark.parametrize("reading", ["content", "chunks", "raw", "encoded"])
def test_vcrpy_plays_a_cassette_back(server, session, tmp_path, kind, reading):
    """vcrpy returns the same status and body to a new client, byte for byte, without a server."""

    def ask(client):
        with client.get(f"{server}/{kind}?q=a%20b&api_key={KEY}", stream=True, timeout=10) as response:
            if reading == "content":
                body = response.content
            elif reading == "chunks":
                body = b"".join(response.iter_content(7))
            else:
                body = b"".join(iter(lambda: response.raw.read1(5, decode_content=reading == "raw"), b""))
            return response.status_code, response.reason, body, len(response.history)

    with taping() as tape:
        live = ask(session)
    path = tmp_path / "cassette.yaml"
    path.write_bytes(tape.cassette())
    with vcr.VCR(**PLAYBACK).use_cassette(str(path)) as played, requests.Session() as fresh:
        fresh.headers["User-Agent"] = "another"
        if reading in ("raw", "encoded"):
            fresh.headers["Accept-Encoding"] = "identity"
            with fresh.get(f"{server}/{kind}?q=a%20b&api_key={KEY}", stream=True, timeout=10) as response:
                replayed = (
                    response.status_code,
                    response.reason,
                    response.raw.read(),
                    len(response.history),
                )
        else:
            replayed = ask(fresh)
        assert played.all_played
    assert replayed == live


def test_attempts_are_played_in_order(server, session, tmp_path):
    """A 429 and the success after it are two exchanges, played one after the other."""
    with taping() as tape:
        live = [session.get(f"{server}/busy", timeout=10).status_code for _ in range(2)]
    path = tmp_path / "cassette.yaml"
    path.write_bytes(tape.cassette())
    with vcr.VCR(**PLAYBACK).use_cassette(str(path)):
        assert (
            [requests.get(f"{server}/busy", timeout=10).status_code for _ in range(2)] == live == [429, 200]
        )


def test_forms_are_matched_and_redacted(server, session, tmp_path):
    """A posted form is recorded without its secrets, and does not match another form."""
    with taping() as tape:
        session.post(f"{server}/form", data={"q": "tea", "b": ""}, timeout=10)
        session.post(f"{server}/form", data={"q": "tea", "api_key": KEY}, timeout=10)
    cassette = tape.cassette()
    assert [one["request"]["body"] for one in _read(cassette)] == ["q=tea&b=", "q=tea&api_key=SCRUBBED"]
    path = tmp_path / "cassette.yaml"
    path.write_bytes(cassette)
    with vcr.VCR(**PLAYBACK).use_cassette(str(path)):
        assert (
            requests.post(f"{server}/form", data={"q": "tea", "b": ""}, timeout=10).text
            == "posted q=tea&b="
        )
        with pytest.raises(vcr.errors.CannotOverwriteExistingCassetteException):
            requests.post(f"{server}/form", data={"q": "coffee", "b": ""}, timeout=10)


def test_secrets_do_not_reach_the_cassette(server, session):
    """Keys in addresses, headers and echoed bodies, cookies and authorizations are not in it."""
    session.cookies["sent"] = "topsecret"
    with taping() as tape:
        session.get(
            f"{server}/redirect?api_key={KEY}",
            headers={"Authorization": "Bearer topsecretbearer", "X-Api-Key": "topsecret"},
            timeout=10,
        )
        session.get(f"{server}/echo?a=topsecretbearer", timeout=10)
        with pytest.raises(requests.RequestException):
            session.get(f"{server}/reset?api_key={KEY}", timeout=10)
    cassette = tape.cassette(secrets=["sent"])
    for secret in (b"topsecret", KEY.encode(), b"sent"):
        assert secret not in cassette
    assert cassette.count(b"SCRUBBED") >= 5
    assert _read(cassette)[1]["response"]["headers"]["Vary"] == ["a"]


def test_requests_without_an_answer_are_recorded(server, session, tmp_path):
    """Resets and truncated answers are in the file, but not among the interactions that vcrpy plays."""
    with taping() as tape:
        for kind in ("reset", "cut"):
            with pytest.raises(requests.RequestException):
                session.get(f"{server}/{kind}", timeout=10)
    document = yaml.safe_load(tape.cassette())
    assert document["interactions"] == []
    assert [one["request"]["uri"] for one in document["metadata"]["unanswered"]] == [
        f"{server}/reset",
        f"{server}/cut",
    ]
    assert "IncompleteRead" in document["metadata"]["unanswered"][1]["error"]


def test_abandoned_answers_are_recorded(server, session):
    """An answer that is not read to its end is not among the interactions that vcrpy plays."""
    with taping() as tape:
        with session.get(f"{server}/binary", stream=True, timeout=10) as response:
            next(response.iter_content(7))
        with session.get(f"{server}/missing", stream=True, timeout=10) as response:
            assert response.status_code == 404  # its body is of no use
        note(HttpExchange("GET", "http://slow.example/", [], None))
    document = yaml.safe_load(tape.cassette())
    assert [one["request"]["uri"] for one in document["interactions"]] == [f"{server}/missing"]
    assert [one["error"] for one in document["metadata"]["unanswered"]] == [
        "HTTP 200, given up after 7 bytes of the body",
        "given up before there was an answer",
    ]


def test_threads_of_a_client_share_its_tape(server, session):
    """A thread that runs in a copy of the client's context adds to its tape, until the cassette is made."""
    with taping() as tape:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(copy_context().run, session.get, f"{server}/page", timeout=10).result(30)
        cassette = tape.cassette()
        session.get(f"{server}/page", timeout=10)
    assert len(_read(cassette)) == 1


def test_threads_have_separate_tapes(server, session):
    """Of 200 pages through 16 threads and one session, each is on its own tape, and none is lost."""

    def fetch(number):
        with taping() as tape:
            session.get(f"{server}/page/{number}", timeout=10)
        return [exchange.url for exchange in tape.exchanges]

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(fetch, range(200))) == [[f"{server}/page/{number}"] for number in range(200)]


def test_a_session_without_a_tape_works(server, session):
    """Outside `taping` no exchange is recorded, and an empty tape has no cassette."""
    assert session.get(f"{server}/page", timeout=10).text.endswith("page")
    note(HttpExchange("GET", server, [], None))
    with taping() as tape:
        pass
    assert tape.cassette() is None
