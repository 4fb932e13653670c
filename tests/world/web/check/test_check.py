"""Whether the cassettes of a web cache prove its outcomes."""

import pytest

from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.check import CacheCheck, check_cache
from bfcl_pipeline.world.web.keys import FetchKey
from bfcl_pipeline.world.web.modes import engine_text
from tests.support.web_record import CLIENT

OLD_CLIENT = "requests of bfcl-pipeline 0.0.1"


def test_every_kind_of_outcome_is_proven(recorded):
    """Searches, pages, failures and answers of APIs are derived from their cassettes, retries included."""
    check = check_cache(recorded.cache)
    assert (check.contradictions, check.undecided, check.missing, check.damaged, check.unused) == ([],) * 5
    assert (check.proven, check.unsent) == (len(recorded.keys) - 2, 2)


OLD_SEARCH = "duckduckgo by requests of bfcl-pipeline 0.1.0"


def _failed(message):
    return {"kind": "failure", "message": message}


ANSWER = {"kind": "answer", "status": 200, "body": "Another."}
PAGE = {"kind": "page", "text": "Another."}
TIMED_OUT, TOO_MUCH = (
    _failed("Read timed out. (total timeout=60) for url: x"),
    _failed("Content of more than 9"),
)


@pytest.mark.parametrize(
    ("name", "outcome", "engine", "undecided"),
    [
        # A search, and a fetch that exceeded a limit, may have been read otherwise by another version.
        ("search by DuckDuckGo", {"kind": "hits", "hits": []}, OLD_SEARCH, True),
        ("page", TIMED_OUT, OLD_CLIENT, True),
        ("compressed page", _failed("Headers of more than 262,144 bytes for url: x"), OLD_CLIENT, True),
        # Of this version, and of others what depends on no limit, it is a contradiction.
        ("page", TOO_MUCH, CLIENT, False),
        ("page", _failed("404 Client Error: Not Found for url: x"), OLD_CLIENT, False),
        ("page", PAGE, OLD_CLIENT, False),
        ("missing page", PAGE, OLD_CLIENT, False),
        ("answer of an API", ANSWER, OLD_CLIENT, False),
        ("search", {"kind": "hits", "hits": []}, None, False),
    ],
)
def test_another_version_of_a_reader_leaves_some_outcomes_undecided(
    recorded, name, outcome, engine, undecided
):
    """What another reader would have found is not a failure. engine: None: that which recorded it."""
    engine = engine or recorded.document(name)["engine"]
    recorded.rewrite(name, outcome=outcome, engine=engine)
    check = check_cache(recorded.cache)
    assert (len(check.undecided), len(check.contradictions)) == (undecided, not undecided)
    assert check.failed is not undecided
    if undecided:
        now = engine_text("duckduckgo") if name.startswith("search") else CLIENT
        (line,) = check.undecided
        assert line.startswith(f"{recorded.path(name)}: ")
        assert f"recorded by {engine}, the reader is now {now}: " in line


def test_another_version_of_a_reader_that_agrees_is_proof(recorded):
    """An outcome that follows from its cassette is proven, whichever version recorded it."""
    proven = check_cache(recorded.cache).proven
    recorded.rewrite("search by DuckDuckGo", engine="duckduckgo by ddgs 9.1 of bfcl-pipeline 0.0.1")
    recorded.rewrite("page", engine=OLD_CLIENT)
    check = check_cache(recorded.cache)
    assert (check.proven, check.undecided) == (proven, [])


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
