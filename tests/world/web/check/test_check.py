"""Whether the cassettes of a web cache prove its outcomes."""

import pytest

from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.check import CacheCheck, check_cache
from bfcl_pipeline.world.web.keys import FetchKey
from tests.support.web_record import CLIENT

OLD_CLIENT = "requests of bfcl-pipeline 0.0.1"


def test_every_kind_of_outcome_is_proven(recorded):
    """Searches, pages, failures and answers of APIs are derived from their cassettes, retries included."""
    check = check_cache(recorded.cache)
    assert (check.contradictions, check.undecided, check.missing, check.damaged, check.unused) == ([],) * 5
    assert (check.proven, check.unsent) == (len(recorded.keys) - 2, 2)


def test_another_version_of_a_search_reader_leaves_its_search_undecided(recorded):
    """A search of which another reader sent other requests is undecided, which is not a failure."""
    recorded.rewrite("search by DuckDuckGo", engine="duckduckgo by requests of bfcl-pipeline 0.1.0")
    recorded.rewrite_cassette(
        "search by DuckDuckGo", lambda content: content.replace(b"l=us-en", b"kl=us-en")
    )
    check = check_cache(recorded.cache)
    (line,) = check.undecided
    assert line.startswith(f"{recorded.path('search by DuckDuckGo')}: ")
    assert (
        "recorded by duckduckgo by requests of bfcl-pipeline 0.1.0, the reader is now duckduckgo by ddgs"
        in line
    )
    assert not check.failed


def test_another_version_of_a_reader_that_agrees_is_proof(recorded):
    """An outcome that follows from its cassette is proven, whichever version recorded it."""
    proven = check_cache(recorded.cache).proven
    recorded.rewrite("search by DuckDuckGo", engine="duckduckgo by ddgs 9.1 of bfcl-pipeline 0.0.1")
    recorded.rewrite("page", engine="requests of bfcl-pipeline 0.0.1")
    check = check_cache(recorded.cache)
    assert (check.proven, check.undecided) == (proven, [])


@pytest.mark.parametrize(
    ("name", "failure", "engine"),
    [
        ("page", "Read timed out. (total timeout=60) for url: http://a.example/", OLD_CLIENT),
        ("compressed page", "Headers of more than 262,144 bytes for url: http://a.example/", OLD_CLIENT),
        ("page", "Content of more than 9 bytes for url: http://a.example/", CLIENT),
        ("page", "404 Client Error: Not Found for url: http://a.example/", OLD_CLIENT),
    ],
)
def test_limits_of_another_version_leave_a_fetch_undecided(recorded, name, failure, engine):
    """A fetch that exceeded a limit of another version is undecided; other failures, and those of this
    version, are contradictions."""
    recorded.rewrite(name, outcome={"kind": "failure", "message": failure}, engine=engine)
    check = check_cache(recorded.cache)
    undecided = engine == OLD_CLIENT and not failure.startswith("404")
    assert (len(check.undecided), len(check.contradictions)) == (undecided, not undecided)
    if undecided:
        assert f"recorded by {OLD_CLIENT}, the reader is now {CLIENT}: " in check.undecided[0]


@pytest.mark.parametrize("name", ["page", "missing page", "answer of an API", "search"])
def test_only_other_readers_of_searches_are_undecided(recorded, name):
    """A page or an answer that does not follow is a contradiction, whichever version it names."""
    outcome = {
        "search": {"kind": "hits", "hits": []},
        "page": {"kind": "page", "text": "Another."},
        "missing page": {"kind": "page", "text": "Another."},
    }
    engine = recorded.document(name)["engine"] if name == "search" else OLD_CLIENT
    answer = {"kind": "answer", "status": 200, "body": "Another."}
    recorded.rewrite(name, outcome=outcome.get(name, answer), engine=engine)
    check = check_cache(recorded.cache)
    assert (len(check.contradictions), check.undecided) == (1, [])


def test_only_the_given_outcomes_are_checked(recorded):
    """Keys select what is checked; a key without an outcome is ignored."""
    recorded.rewrite("page", outcome={"kind": "page", "text": "Another."})
    keys = [recorded.keys["missing page"], FetchKey("http://not-recorded.example/")]
    done = []
    check = check_cache(recorded.cache, keys, lambda *numbers: done.append(numbers))
    assert (check.proven, check.outcomes, check.failed) == (1, 1, False)
    assert done == [(1, 2), (2, 2)]


def test_processes_find_the_same(recorded, monkeypatch):
    """The result in several processes equals that of one, order included."""
    recorded.rewrite("page", outcome={"kind": "page", "text": "Another."})
    recorded.rewrite("search", outcome={"kind": "hits", "hits": []})
    recorded.cassette("missing page").unlink()
    recorded.path("image").write_bytes(b"{}")
    alone = check_cache(recorded.cache)
    assert len(alone.contradictions) == 2
    monkeypatch.setattr("bfcl_pipeline.world.web.check._FEW", 2)
    assert check_cache(recorded.cache, processes=2) == alone


def test_an_empty_cache_has_nothing_to_check(tmp_path):
    """A directory that does not exist is a cache without outcomes."""
    assert check_cache(WebCache(tmp_path / "none")) == CacheCheck()


def test_a_finding_is_one_printable_line(recorded):
    """Control characters of queries and pages are escaped in findings, and long texts are cut."""
    recorded.rewrite("page", outcome={"kind": "page", "text": "\x1b[2J\n\u202e" + "x" * 10_000})
    (line,) = check_cache(recorded.cache).contradictions
    assert line.isprintable()
    assert len(line) < 800
