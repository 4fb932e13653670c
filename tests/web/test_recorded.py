"""The webs of the modes `record` and `replay`."""

import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from bfcl_pipeline.errors import NotRecorded, WebError
from bfcl_pipeline.tools.web import Failure, Hit, Hits, Page
from bfcl_pipeline.web.cassette import Exchange, note
from bfcl_pipeline.web.keys import FetchKey, SearchKey
from bfcl_pipeline.web.record import Record
from bfcl_pipeline.web.recorded import Recording, Replaying

HITS = Hits((Hit("t", "http://h", "b"),))


class Scripted:
    """A live web that answers from a list, waiting for `release` before each answer."""

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
        assert self.release.wait(30)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_what_was_seen_once_is_seen_again(tmp_path):
    """Hits, pages and failures are asked for once, in order form, and then come from the record."""
    live = Scripted(HITS, Page("text"), Failure("404"))
    web = Recording(Record(tmp_path), live)
    for _ in range(3):
        assert web.search(" green  tea", "wt-wt") == HITS
        assert web.fetch("HTTP://a.example#top") == Page("text")
        assert web.fetch("http://b.example/") == Failure("404")
    assert live.asked == [("green tea", "wt-wt"), ("http://a.example/",), ("http://b.example/",)]
    replayed = Replaying(Record(tmp_path))
    assert replayed.search("green tea ", "wt-wt") == HITS
    assert replayed.fetch("http://a.example") == Page("text")
    assert replayed.fetch("http://b.example") == Failure("404")


def test_replay_names_what_is_missing(tmp_path):
    """What was never recorded raises NotRecorded with function, arguments and folder; nothing is made."""
    web = Replaying(Record(tmp_path / "web"))
    with pytest.raises(NotRecorded, match=r"web for the search for 'tea' \(region 'wt-wt'\)"):
        web.search("tea", "wt-wt")
    with pytest.raises(NotRecorded, match=r"fetch of 'http://a\.example/'"):
        web.fetch("http://a.example")
    assert not (tmp_path / "web").exists()


def test_a_failure_of_the_machinery_is_not_recorded(tmp_path):
    """A WebError of the live web passes through as it is; the next call asks again."""
    record, problem = Record(tmp_path), WebError("rate limit")
    web = Recording(record, Scripted(problem, HITS))
    with pytest.raises(WebError) as raised:
        web.search("tea", "wt-wt")
    assert raised.value is problem
    assert [*record.paths()] == []
    assert web.search("tea", "wt-wt") == HITS


def test_damage_is_not_replayed_nor_asked_again(tmp_path):
    """A damaged outcome raises WebError in both modes, and the live web is left alone."""
    record, live = Record(tmp_path), Scripted()
    Recording(record, Scripted(HITS)).search("tea", "wt-wt")
    path = record.path(SearchKey("tea", "wt-wt"))
    path.write_bytes(path.read_bytes().replace(b"http://h", b"http://i"))
    for web in (Replaying(record), Recording(record, live)):
        with pytest.raises(WebError, match=path.name) as raised:
            web.search("tea", "wt-wt")
        assert not isinstance(raised.value, NotRecorded)
    assert live.asked == []


@pytest.mark.parametrize("answer", [Page("text"), WebError("outage")])
def test_threads_that_ask_at_once_share_one_answer(tmp_path, answer):
    """Of 16 threads that ask for a page at once one asks the live web; all get its answer or its error."""
    live = Scripted(answer)
    live.release.clear()
    web = Recording(Record(tmp_path), live)
    arrived = threading.Barrier(17)

    def ask():
        arrived.wait(30)
        try:
            return web.fetch("http://a.example")
        except WebError as error:
            return error

    with ThreadPoolExecutor(16) as pool:
        asked = [pool.submit(ask) for _ in range(16)]
        arrived.wait(30)
        until = time.monotonic() + 30
        while len(_waiting(web)) < 15 and time.monotonic() < until:  # all but the one that asks wait for it
            os.sched_yield()
        live.release.set()
        assert all(future.result(30) == answer for future in asked)
    assert len(live.asked) == 1
    assert web._asked == {}


def _waiting(web):
    shared = [*web._asked.values()]
    return shared[0]._condition._waiters if shared else ()


def test_other_keys_do_not_wait(tmp_path):
    """While one page is being asked for, another is asked for and answered."""
    slow, quick = Scripted(Page("slow")), Scripted(Page("quick"))
    slow.release.clear()

    class Two:
        def fetch(self, url):
            return (slow if "slow" in url else quick).fetch(url)

    web = Recording(Record(tmp_path), Two())
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(web.fetch, "http://slow.example")
        assert web.fetch("http://quick.example") == Page("quick")
        slow.release.set()
        assert first.result(30) == Page("slow")


def test_who_was_first_in_another_process_is_believed(tmp_path):
    """If another process records a key while it is being asked here, its outcome is told here too."""
    record = Record(tmp_path)

    class Overtaken:
        def fetch(self, url):
            Recording(Record(tmp_path), Scripted(Page("theirs"))).fetch(url)
            return Page("ours")

    assert Recording(record, Overtaken()).fetch("http://a.example") == Page("theirs")


def test_engine_and_time_are_noted(tmp_path):
    """Each outcome says by which engine and when, from the clock that came in."""
    record = Record(tmp_path)
    noon = datetime(2026, 10, 1, 12, tzinfo=UTC)
    web = Recording(record, Scripted(HITS, Page("")), engines={"search": "duck 1"}, now=lambda: noon)
    web.search("tea", "wt-wt")
    web.fetch("http://a.example")
    found = {type(one.key): one for path in record.paths() if (one := record.read(path))}
    assert found[SearchKey].engine == "duck 1"
    assert found[FetchKey].engine.startswith("Scripted of bfcl-pipeline ")
    assert {one.recorded_at for one in found.values()} == {noon}


def test_our_keys_are_never_written(tmp_path):
    """A secret that a server echoes is taken out of outcome and cassette, and told so from the first."""

    class Echo:
        def search(self, keywords, region):
            url = "http://engine.example/?q=tea&api_key=s3cr%26t"
            note(Exchange("GET", url, [("X-Api-Key", "s3cr&t")], None, 401, "", [], bytearray(b"s3cr&t!")))
            return Failure(f"401 for url: {url}, key s3cr&t")

    web = Recording(Record(tmp_path), Echo(), secrets=["s3cr&t"])
    told = web.search("tea", "wt-wt")
    assert told == Replaying(Record(tmp_path)).search("tea", "wt-wt")
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 2
    assert not any("s3cr" in json.dumps(text) for text in [*written, told.message])
