"""`bfcl-pipeline web check`: what is printed, and the exit status."""

import json
from datetime import UTC, datetime

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey, digest
from tests.support.web_record import record_outcome

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def cache(tmp_path):
    """A web cache with a search and 12 pages."""
    made = WebCache(tmp_path / "web")
    hits = Hits((Hit("Tea", "https://tea.example/", "Green."),))
    record_outcome(made, SearchKey("tea", "wt-wt"), hits, NOON)
    for number in range(12):
        record_outcome(made, FetchKey(f"http://tea.example/{number}"), Page(f"Tea {number}."), NOON)
    return made


def _check(cache, *options):
    return main(["web", "check", "--record", str(cache.folder), *options])


def _forge(cache, key):
    path = cache.path(key)
    document = json.loads(path.read_bytes())
    document["outcome"]["text"] = "Coffee."
    document["sha256"] = digest({name: value for name, value in document.items() if name != "sha256"})
    path.write_bytes(json.dumps(document, indent=1).encode() + b"\n")


def test_a_record_that_proves_itself(cache, capsys):
    """An aligned table of counts and the time; exit status 0."""
    assert _check(cache) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[:-2] == [
        "outcome                                number",
        "proven by its cassette                     13",
        "nothing was sent                            0",
        "contradicts its cassette                    0",
        "damaged                                     0",
        "undecided, recorded by another reader       0",
        "without its cassette                        0",
        "file that no outcome names                  0",
    ]
    assert printed.out.splitlines()[-1].startswith(f"{cache.folder}: 13 outcomes in ")


def test_contradictions_are_named_and_fail(cache, capsys):
    """Each finding is a line; exit status 1."""
    for number in range(12):
        _forge(cache, FetchKey(f"http://tea.example/{number}"))
    assert _check(cache) == 1
    lines = capsys.readouterr().err.splitlines()
    found = [line for line in lines if line.startswith("contradicts its cassette: ")]
    assert len(found) == 12
    assert 'the text of the page is "Coffee.", in its cassette "Tea ' in found[0]


def test_missing_cassettes_are_reported_and_do_not_fail(cache, capsys):
    """The outcome without its cassette is named; exit status 0."""
    next(cache.path(SearchKey("tea", "wt-wt")).parent.glob("*.yaml")).unlink()
    assert _check(cache) == 0
    printed = capsys.readouterr()
    assert "without its cassette                        1" in printed.out
    assert "without its cassette: " in printed.err


def test_damage_fails(cache, capsys):
    """A damaged outcome is named; exit status 1."""
    path = cache.path(SearchKey("tea", "wt-wt"))
    path.write_bytes(path.read_bytes().replace(b"Tea", b"tea"))
    assert _check(cache) == 1
    assert path.name in capsys.readouterr().err


def test_an_empty_cache(tmp_path, capsys):
    """A directory that does not exist has nothing to check; exit status 0."""
    assert main(["web", "check", "--record", str(tmp_path / "none")]) == 0
    assert "nothing to check (no such directory)" in capsys.readouterr().out
