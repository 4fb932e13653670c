"""A cassette answers the requests of a client in the place of the network."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import httpx
import pytest
import requests
import urllib3
import vcr
import yaml

from bfcl_pipeline.world.web.api_recording import request_api
from bfcl_pipeline.world.web.apis import Sendable
from bfcl_pipeline.world.web.engines.client import Connection
from bfcl_pipeline.world.web.engines.duckduckgo import DuckDuckGo
from bfcl_pipeline.world.web.evidence.cassettes import write_cassette
from bfcl_pipeline.world.web.evidence.playing import (
    CassettePlayer,
    NotOnCassette,
    Unanswered,
    player,
    playing,
)
from bfcl_pipeline.world.web.evidence.tape import HttpExchange, give_up, note, taping
from bfcl_pipeline.world.web.http_client import HttpClient
from bfcl_pipeline.world.web.transport import OutOfTime, TooMuch
from tests.world.web.evidence.conftest import get

URL = "https://h.example/a"
KEY = "0123456789abcdef"
OTHER_KEY = "fedcba9876543210"


def _cassette(*exchanges, secrets=()):
    """A cassette of (address, body) and, without an answer, (address, error text)."""
    return write_cassette(
        [
            HttpExchange(
                "GET",
                url,
                [],
                None,
                error=said if isinstance(said, str) else None,
                status=200,
                reason="OK",
                body=bytearray(said if isinstance(said, bytes) else b""),
            )
            for url, said in exchanges
        ],
        secrets,
    )


def _asked(played, url=URL, method="GET", body=None):
    return played.answer(method, url, body).body


def test_equal_requests_are_answered_in_order_and_once():
    """Each answer is given once, then the failures of the same request, and then nothing."""
    played = CassettePlayer(_cassette((URL, b"1"), (URL, "Slow: a"), (URL + "b", b"3"), (URL, b"2")))
    assert played.left() == 4
    assert [_asked(played), _asked(played)] == [b"1", b"2"]
    assert played.left() == 1
    with pytest.raises(Unanswered, match=r"\ASlow: a\Z"):
        _asked(played)
    with pytest.raises(NotOnCassette, match=r"\AGET https://h\.example/a\Z"):
        _asked(played)
    assert played.left() == 1


@pytest.mark.parametrize(
    ("recorded", "method", "asked", "body", "same"),
    [
        # Method, address and body decide.
        ("", "POST", URL, None, False),
        ("", "GET", URL + "/", None, False),
        ("", "GET", URL + "?q=a", None, False),
        ("", "GET", URL.replace("https", "http"), None, False),
        ("", "GET", URL, b"a", False),
        # A key that was redacted may be another one when the cassette is played; the rest may not.
        (f"?api_key={KEY}", "GET", f"{URL}?api_key={OTHER_KEY}", None, True),
        (f"?api_key={KEY}", "GET", f"{URL}?api_key=", None, True),
        (f"?api_key={KEY}&q=1", "GET", f"{URL}?api_key={KEY}&q=2", None, False),
        (f"?s={KEY}", "GET", f"{URL}?s={OTHER_KEY}", None, True),
        ("?s=1", "GET", f"{URL}?s={OTHER_KEY}", None, False),
        (f"?s={KEY}&t=1{KEY}", "GET", f"{URL}?s={OTHER_KEY}&t=1{OTHER_KEY}", None, True),
        (f"?s={KEY}&t=1{KEY}", "GET", f"{URL}?s={OTHER_KEY}&t=2{OTHER_KEY}", None, False),
    ],
)
def test_which_requests_are_the_same(recorded, method, asked, body, same):
    """Only the same request is answered, which differs from the recorded one in secrets at most."""
    played = CassettePlayer(_cassette((URL + recorded, b"1"), secrets=[KEY]))
    if same:
        assert _asked(played, asked, method, body) == b"1"
    else:
        with pytest.raises(NotOnCassette):
            played.answer(method, asked, body)
    assert played.left() == (not same)


def test_a_secret_that_is_found_later_is_not_compared():
    """A value that was redacted everywhere, because a later address names it as a token, is found."""
    target = f"{URL}?token={KEY}"
    cassette = _cassette((f"{URL}/{KEY}", b"1"), (target, b"2"))
    assert KEY.encode() not in cassette
    played = CassettePlayer(cassette)
    assert _asked(played, f"{URL}/{KEY}") == b"1"
    assert _asked(played, target) == b"2"


def test_secrets_in_bodies_are_not_compared():
    """The body of a form, and any body with a given secret, is compared as it was recorded."""
    form = [("Content-Type", "application/x-www-form-urlencoded")]
    exchanges = [
        HttpExchange("POST", URL, form, f"q=a&api_key={KEY}".encode(), 200),
        HttpExchange("POST", URL, [], b'{"k": "a' + KEY.encode() + b'"}', 200, body=bytearray(b"2")),
    ]
    played = CassettePlayer(write_cassette(exchanges, [KEY]), [OTHER_KEY])
    assert _asked(played, body=f"q=a&api_key={OTHER_KEY}".encode(), method="POST") == b""
    assert _asked(played, body=f'{{"k": "a{OTHER_KEY}"}}'.encode(), method="POST") == b"2"


def test_a_player_is_of_its_thread():
    """Within the block the cassette answers this thread and those of its context."""
    played = CassettePlayer(_cassette((URL, b"1")))
    seen = []
    with playing(played), ThreadPoolExecutor(1) as pool:
        assert player() is played
        assert pool.submit(copy_context().run, player).result(30) is played
        thread = threading.Thread(target=lambda: seen.append(player()))
        thread.start()
        thread.join()
    assert seen == [None]
    assert player() is None


@pytest.mark.parametrize(
    "kind", ["page", "gzip", "brotli", "binary", "redirect", "missing", "reset", "cut"]
)
def test_an_answer_is_played(server, kind):
    """Status, reason, headers, body and redirects are those that were recorded, or the text of the failure;
    the cassette of a call that is played equals the one that is played."""

    def ask():
        with taping() as tape:
            try:
                said = get(f"{server}/{kind}?api_key={KEY}")
            except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
                said = [error]
        return [str(part).replace(KEY, "SCRUBBED") for part in said], tape.cassette()

    live, cassette = ask()
    assert isinstance(live[0], str)
    played = CassettePlayer(cassette)
    with playing(played):
        again = ask()
    assert played.left() == 0
    assert again[0] == live
    assert kind == "cut" or again[1] == cassette


@pytest.mark.parametrize(
    ("said", "raised"),
    [
        ("OutOfTime: (total timeout=60)", OutOfTime),
        ("given up before there was an answer", OutOfTime),
        ("HTTP 200, given up after 123455 bytes of the body", OutOfTime),
        # The length of the part that was read is played, so that it is too much again.
        ("HTTP 200, given up after 123456 bytes of the body", TooMuch),
    ],
)
def test_requests_that_were_given_up_end_as_recorded(said, raised):
    """A request that the client gave up, also while it read the body, ends as its limit does."""
    with playing(CassettePlayer(_cassette((URL, said)))), pytest.raises(raised):
        get(URL, body_bytes=123_455)


def test_a_given_up_answer_is_kept_from_other_threads():
    """After a client gave up, what another thread still reads is not on the tape."""
    exchange = HttpExchange("GET", URL, [], None, 200, "OK", body=bytearray(b"a"), reading=True)
    with taping() as tape:
        give_up(OutOfTime("nothing is sent yet"))
        note(HttpExchange("GET", URL + "/first", [], None, 302))
        note(exchange)
        give_up(OutOfTime("(total timeout=1)"))
        exchange.body += b"b"
        exchange.reading = False
    document = yaml.safe_load(tape.cassette())
    assert [one["request"]["uri"] for one in document["interactions"]] == [URL + "/first"]
    assert [one["error"] for one in document["metadata"]["unanswered"]] == ["OutOfTime: (total timeout=1)"]


KINDS = ("page", "gzip", "brotli", "binary", "missing")


@pytest.mark.parametrize("client", ["requests", "urllib3", "httpx"])
def test_a_stock_vcrpy_plays_our_files(server, tmp_path, client):
    """vcrpy as it is, without any setting, answers any of its clients from our file, byte for byte."""
    with taping() as tape:
        for kind in KINDS:
            get(f"{server}/{kind}")
        with pytest.raises(requests.RequestException):
            get(f"{server}/reset")
    path = tmp_path / "cassette.yaml"
    path.write_bytes(tape.cassette())
    ask = {
        "requests": lambda url: (
            (answer := requests.get(url, timeout=10)).status_code,
            answer.content,
        ),
        "urllib3": lambda url: ((answer := urllib3.request("GET", url)).status, answer.data),
        "httpx": lambda url: ((answer := httpx.get(url)).status_code, answer.content),
    }[client]
    with vcr.use_cassette(str(path), record_mode="none") as cassette:
        played = [ask(f"{server}/{kind}") for kind in KINDS]
        assert cassette.all_played
    assert played == [ask(f"{server}/{kind}") for kind in KINDS]
    assert path.read_bytes() == tape.cassette()


def test_a_search_by_ddgs_is_played(server, tmp_path):
    """The cassette of a search answers the same search without network, and a stock vcrpy plays it too."""
    engine = DuckDuckGo(connection=Connection(site=server))
    with taping() as tape:
        hits = engine.search("tea", "us-en")
    assert [hit.title for hit in hits.hits] == ["Green tea"]
    content = tape.cassette()
    assert b"topsecret" not in content
    played = CassettePlayer(content)
    with playing(played):
        assert DuckDuckGo().search("tea", "us-en") == hits
    assert played.left() == 0
    path = tmp_path / "cassette.yaml"
    path.write_bytes(content)
    with vcr.use_cassette(str(path), record_mode="none") as cassette:
        bodies = [requests.post(one.uri, one.body, timeout=10).content for one in cassette.requests]
        assert cassette.all_played
    assert bodies == [bytes(exchange.body) for exchange in tape.exchanges]


def test_the_answer_of_an_api_is_played_with_another_key(server):
    """Whoever checks a cassette needs no key: the request is the recorded one without its key."""

    def ask(client, key):
        headers = (("X-Api-Key", key),)
        params = (("q", "a b"), ("api_key", key))
        return request_api(client, Sendable("127.0.0.1", f"{server}/echo", params, headers, None))

    with taping() as tape:
        live = ask(HttpClient(allow_private=True), KEY)
    played = CassettePlayer(tape.cassette([KEY]), [OTHER_KEY])
    with playing(played):
        again = ask(HttpClient(lookup=pytest.fail), OTHER_KEY)
    assert again.text == live.text.replace(KEY, "SCRUBBED")
    assert KEY in live.text
    assert played.left() == 0


def test_a_cassette_of_vcrpy_is_played(server, tmp_path):
    """What vcrpy itself recorded, forms included, is played to our clients."""
    path, kinds = tmp_path / "stock.yaml", ("page", "redirect", "binary")
    with vcr.use_cassette(str(path)):
        live = [requests.get(f"{server}/{kind}", timeout=10).content for kind in kinds]
        posted = requests.post(f"{server}/form", data={"q": "tea"}, timeout=10).content
    played = CassettePlayer(path.read_bytes())
    with playing(played):
        assert [get(f"{server}/{kind}")[-1] for kind in kinds] == live
    assert _asked(played, f"{server}/form", "POST", b"q=tea") == posted
    assert played.left() == 0


def test_vcrpy_is_imported_when_it_is_used():
    """Its import takes part of a second, which runs with neither records nor checks do not spend."""
    program = (
        "import sys; from bfcl_pipeline.world.web import api_recording, check, modes;"
        "assert 'vcr' not in sys.modules, 'imported';"
        "from bfcl_pipeline.world.web.evidence.tape import HttpExchange, Tape;"
        "tape = Tape(); tape.exchanges.append(HttpExchange('GET', 'http://h/', [], None)); tape.cassette();"
        "assert 'vcr' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
