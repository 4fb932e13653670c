"""`bfcl-pipeline web check`: what is printed, and the exit status."""

import json
from collections import Counter
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
    """The outcomes and the time; exit status 0."""
    assert _check(cache) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:4] == [
        "proven by its cassette                     13",
        "nothing was sent                            0",
        "contradicts its cassette                    0",
    ]
    assert lines[-1].startswith(f"{cache.folder}: 13 outcomes in ")


def test_findings_are_named_and_fail(cache, capsys):
    """Each contradiction, damaged outcome and missing cassette is a line; exit status 1."""
    missing, damaged, *forged = (FetchKey(f"http://tea.example/{number}") for number in range(12))
    next(cache.path(missing).parent.glob("*.yaml")).unlink()
    path = cache.path(damaged)
    path.write_bytes(path.read_bytes().replace(b"Tea", b"tea"))
    for key in forged:
        _forge(cache, key)
    assert _check(cache) == 1
    printed = capsys.readouterr()
    assert printed.out.splitlines()[:-2] == [
        "outcome                                number",
        "proven by its cassette                      1",
        "nothing was sent                            0",
        "contradicts its cassette                   10",
        "damaged                                     1",
        "undecided, recorded by another reader       0",
        "without its cassette                        1",
        "file that no outcome names                  1",
    ]
    kinds = Counter(line.partition(": ")[0] for line in printed.err.splitlines())
    assert kinds["contradicts its cassette"] == 10
    assert 'the text of the page is "Coffee.", in its cassette "Tea ' in printed.err
    assert f"damaged: {path}" in printed.err


def test_missing_cassettes_do_not_fail(cache, capsys):
    """The outcome without its cassette is named; exit status 0."""
    next(cache.path(SearchKey("tea", "wt-wt")).parent.glob("*.yaml")).unlink()
    assert _check(cache) == 0
    assert "without its cassette: " in capsys.readouterr().err


def test_an_empty_cache(tmp_path, capsys):
    """A directory that does not exist has nothing to check; exit status 0."""
    assert main(["web", "check", "--record", str(tmp_path / "none")]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/none: nothing to check (no such directory).\n"
