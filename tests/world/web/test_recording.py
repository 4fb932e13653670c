"""The webs of the modes `record` and `replay`."""

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from bfcl_pipeline.base.errors import NotRecorded, WebError
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.evidence.tape import HttpExchange, note
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey
from bfcl_pipeline.world.web.recording import RecordingWeb, ReplayingWeb

HITS = Hits((Hit("t", "http://h", "b"),))


class Scripted:
    """A live web that answers from a list, after `release` is set."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []
        self.release = threading.Event()
        self.release.set()

    def search(self, keywords, region):
        return self._next(keywords, region)

    def fetch(self, url):
        return self._next(url)

    def _next(self, *arguments):
        self.asked.append(arguments)
        assert self.release.wait(600)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_each_request_is_made_once(tmp_path):
    """Hits, pages and failures are requested once, with normalized arguments, and then cached."""
    live = Scripted(HITS, Page("text"), WebFailure("404"))
    web = RecordingWeb(WebCache(tmp_path), live)
    for _ in range(3):
        assert web.search(" green  tea", "wt-wt") == HITS
        assert web.fetch("HTTP://a.example#top") == Page("text")
        assert web.fetch("http://b.example/") == WebFailure("404")
    assert live.asked == [("green tea", "wt-wt"), ("http://a.example/",), ("http://b.example/",)]
    replayed = ReplayingWeb(WebCache(tmp_path))
    assert replayed.search("green tea ", "wt-wt") == HITS
    assert replayed.fetch("http://a.example") == Page("text")
    assert replayed.fetch("http://b.example") == WebFailure("404")


def test_replay_names_a_missing_outcome(tmp_path):
    """NotRecorded names function, arguments and directory; no file is created."""
    web = ReplayingWeb(WebCache(tmp_path / "web"))
    with pytest.raises(NotRecorded, match=r"web for the search for 'tea' \(region 'wt-wt'\)"):
        web.search("tea", "wt-wt")
    with pytest.raises(NotRecorded, match=r"fetch of 'http://a\.example/'"):
        web.fetch("http://a.example")
    assert not (tmp_path / "web").exists()


def test_an_infrastructure_failure_is_not_recorded(tmp_path):
    """A WebError of the live web is passed on unchanged; the next call makes the request again."""
    cache, problem = WebCache(tmp_path), WebError("rate limit")
    web = RecordingWeb(cache, Scripted(problem, HITS))
    with pytest.raises(WebError) as raised:
        web.search("tea", "wt-wt")
    assert raised.value is problem
    assert [*cache.paths()] == []
    assert web.search("tea", "wt-wt") == HITS


def test_damage_is_neither_replayed_nor_requested_again(tmp_path):
    """A damaged outcome raises WebError in both modes, without a live request."""
    cache, live = WebCache(tmp_path), Scripted()
    RecordingWeb(cache, Scripted(HITS)).search("tea", "wt-wt")
    path = cache.path(SearchKey("tea", "wt-wt"))
    path.write_bytes(path.read_bytes().replace(b"http://h", b"http://i"))
    for web in (ReplayingWeb(cache), RecordingWeb(cache, live)):
        with pytest.raises(WebError, match=path.name) as raised:
            web.search("tea", "wt-wt")
        assert not isinstance(raised.value, NotRecorded)
    assert live.asked == []


@pytest.mark.parametrize("answer", [Page("text"), WebError("outage")])
def test_parallel_threads_share_one_request(tmp_path, answer):
    """Of 16 threads that need a page at the same time, one makes the request; all receive its outcome or
    error."""
    live = Scripted(answer)
    live.release.clear()
    web = RecordingWeb(WebCache(tmp_path), live)
    arrived = threading.Barrier(17)

    def ask():
        arrived.wait(600)
        try:
            return web.fetch("http://a.example")
        except WebError as error:
            return error

    with ThreadPoolExecutor(16) as pool:
        asked = [pool.submit(ask) for _ in range(16)]
        arrived.wait(600)
        while len(_waiting(web)) < 15:  # all but the one that makes the request
            os.sched_yield()
        live.release.set()
        assert all(future.result(600) == answer for future in asked)
    assert len(live.asked) == 1
    assert web._recorder._running == {}


def _waiting(web):
    shared = [*web._recorder._running.values()]
    return shared[0]._condition._waiters if shared else ()


def test_other_keys_do_not_wait(tmp_path):
    """While one page is being requested, another is requested and returned."""
    slow, quick = Scripted(Page("slow")), Scripted(Page("quick"))
    slow.release.clear()

    class Two:
        def fetch(self, url):
            return (slow if "slow" in url else quick).fetch(url)

    web = RecordingWeb(WebCache(tmp_path), Two())
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(web.fetch, "http://slow.example")
        assert web.fetch("http://quick.example") == Page("quick")
        slow.release.set()
        assert first.result(600) == Page("slow")


def test_the_first_outcome_of_another_process_is_used(tmp_path):
    """If another process records a key during our request, its outcome is returned."""
    cache = WebCache(tmp_path)

    class Overtaken:
        def fetch(self, url):
            RecordingWeb(WebCache(tmp_path), Scripted(Page("theirs"))).fetch(url)
            return Page("ours")

    assert RecordingWeb(cache, Overtaken()).fetch("http://a.example") == Page("theirs")


def test_engine_and_time_are_recorded(tmp_path):
    """Each outcome has its engine, and the time of the given clock."""
    cache = WebCache(tmp_path)
    noon = datetime(2026, 10, 1, 12, tzinfo=UTC)
    web = RecordingWeb(cache, Scripted(HITS, Page("")), engines={"search": "duck 1"}, now=lambda: noon)
    web.search("tea", "wt-wt")
    web.fetch("http://a.example")
    found = {type(one.key): one for path in cache.paths() if (one := cache.read(path))}
    assert found[SearchKey].engine == "duck 1"
    assert found[FetchKey].engine.startswith("Scripted of bfcl-pipeline ")
    assert {one.recorded_at for one in found.values()} == {noon}


def test_our_keys_are_never_written(tmp_path):
    """A secret that a server echoes is redacted in outcome and cassette, and in the first result too."""

    class Echo:
        def search(self, keywords, region):
            url = "http://engine.example/?q=tea&api_key=s3cr%26t"
            note(
                HttpExchange(
                    "GET", url, [("X-Api-Key", "s3cr&t")], None, 401, "", [], bytearray(b"s3cr&t!")
                )
            )
            return WebFailure(f"401 for url: {url}, key s3cr&t")

    web = RecordingWeb(WebCache(tmp_path), Echo(), secrets=["s3cr&t"])
    outcome = web.search("tea", "wt-wt")
    assert outcome == ReplayingWeb(WebCache(tmp_path)).search("tea", "wt-wt")
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 2
    assert not any("s3cr" in json.dumps(text) for text in [*written, outcome.message])
