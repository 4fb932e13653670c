"""The difference between two records: what moved, counted by definition, in the same bytes everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import Outcome, WebCache
from bfcl_pipeline.world.web.difference import (
    ChangeKind,
    RecordDifference,
    compare_records,
    results_change,
    text_change,
    time_text,
)
from bfcl_pipeline.world.web.difference_forms import difference_json, difference_text
from bfcl_pipeline.world.web.keys import ApiKey, FetchKey, Key, SearchKey
from tests.world.web.two_records import add

PAGE = FetchKey("http://a.example/")


def _search(words: str) -> SearchKey:
    return SearchKey(words, "wt-wt")


def _hits(letters: str, body: str = "") -> Hits:
    return Hits(tuple(Hit(letter, f"http://{letter}.example/", body) for letter in letters))


def _compared(folder: Path, one: dict[Key, Outcome], two: dict[Key, Outcome]) -> RecordDifference:
    for name, outcomes in (("a", one), ("b", two)):
        cache = WebCache(folder / name)
        for key, outcome in outcomes.items():
            add(cache, key, outcome, len(name))
    return compare_records(folder / "a", folder / "b")


@pytest.mark.parametrize(
    ("key", "one", "two", "kind"),
    [
        (_search("q"), _hits("ab"), _hits("ac"), ChangeKind.RESULTS),
        (_search("q"), _hits("ab"), _hits("ba"), ChangeKind.RESULTS),
        (_search("q"), _hits("ab"), _hits(""), ChangeKind.RESULTS),
        (_search("q"), _hits("ab"), _hits("aba"), ChangeKind.RESULTS),
        (_search("q"), _hits("ab"), _hits("ab", "new"), ChangeKind.TEXTS),
        (_search("q"), _hits("ab"), WebFailure("429"), ChangeKind.FAILS),
        (_search("q"), WebFailure("429"), _hits(""), ChangeKind.WORKS),
        (PAGE, Page("a"), Page("b"), ChangeKind.PAGE),
        (PAGE, Page("a"), WebFailure("404"), ChangeKind.FAILS),
        (PAGE, WebFailure("404"), WebFailure("403"), ChangeKind.FAILURE),
        (ApiKey(ApiRequest("http://x/")), ApiAnswer(200, "a"), ApiAnswer(404, "a"), ChangeKind.ANSWER),
    ],
)
def test_every_change_has_a_kind(tmp_path: Path, key: Key, one: Outcome, two: Outcome, kind: str) -> None:
    """Results, texts, pages, failures, answers, and what fails or works now, are told apart."""
    found = _compared(tmp_path, {key: one}, {key: two})
    assert [change.kind for change in found.changes] == [kind]
    assert found.differ
    assert json.loads(json.dumps(difference_json(found)))["changes"][0]["kind"] == kind
    assert f"{kind}: {key}" in difference_text(found, 20)


def test_results_are_compared_by_address() -> None:
    """Kept, gone and new addresses, their order, the first one, and the overlap of the first ten."""
    change = results_change(_hits("abcd").hits, _hits("cbx").hits)
    assert [address[7] for address in change.kept] == ["b", "c"]
    assert [address[7] for address in change.gone] == ["a", "d"]
    assert [address[7] for address in change.new] == ["x"]
    assert (change.reordered, change.same_first, change.overlap) == (True, False, 2 / 4)
    beyond = results_change(_hits("abcdefghijk").hits, _hits("abcdefghijx").hits)
    assert (beyond.overlap, beyond.same_first, beyond.reordered) == (1.0, True, False)
    assert results_change((), ()).overlap == 1.0
    assert results_change((), _hits("a").hits).overlap == 0.0


def test_pages_are_compared_by_line() -> None:
    """Lines count wherever they are, as often as they are in both."""
    change = text_change("a\nb\nb\nc", "c\nb\nx")
    assert (change.characters, change.equal_lines) == ((7, 5), 2 / 4)
    assert text_change("a", "").equal_lines == 0.0


def test_movement_is_counted_over_what_worked_in_both(tmp_path: Path) -> None:
    """Shares are over searches and pages that are no failure in either record, equal ones included."""
    one = {_search("same"): _hits("ab"), _search("moved"): _hits("ab"), _search("gone"): _hits("a")}
    two = {_search("same"): _hits("ab"), _search("moved"): _hits("xb"), _search("gone"): WebFailure("no")}
    pages = {FetchKey(f"http://{name}.example/"): Page(name) for name in "abcd"}
    changed = {**pages, FetchKey("http://a.example/"): Page("other")}
    found = _compared(tmp_path, {**one, **pages}, {**two, **changed})
    assert (found.moved.searches, found.moved.same_first, found.moved.mean_overlap) == (2, 1, 0.75)
    assert (found.moved.pages, found.moved.pages_unchanged) == (4, 3)
    text = difference_text(found, 20)
    assert "Searches in both: 2; same first result 50.0 %, mean overlap of the first 10 75.0 %." in text
    assert "Pages in both: 4; unchanged 75.0 %." in text
    assert "In both: equal 4, changed 3 (results 1, page 1, fails now 1)." in text


def test_requests_of_one_record_are_listed_by_request(tmp_path: Path) -> None:
    """Searches come first, by keywords; then pages by address."""
    one: dict[Key, Outcome] = {FetchKey("http://z/"): Page(""), FetchKey("http://b/"): Page("")}
    found = _compared(tmp_path, {**one, _search("z"): _hits("")}, {_search("y"): _hits("")})
    assert found.only == ([_search("z"), FetchKey("http://b/"), FetchKey("http://z/")], [_search("y")])
    assert found.differ
    assert "Only in A: 3." in difference_text(found, 1)
    assert "... and 2 more (--json has all)" in difference_text(found, 1)


def test_equal_records_do_not_differ(tmp_path: Path) -> None:
    """Other times and engines are no difference."""
    add(WebCache(tmp_path / "a"), PAGE, Page("x"), 0)
    add(WebCache(tmp_path / "b"), PAGE, Page("x"), 60, None)
    found = compare_records(tmp_path / "a", tmp_path / "b")
    assert (found.equal, found.differ, found.damaged) == (1, False, False)
    assert [time_text(side.oldest) for side in found.sides] == [
        "2026-10-01 12:00:00+00:00",
        "2026-10-01 13:00:00+00:00",
    ]


def test_damaged_outcomes_are_named(tmp_path: Path) -> None:
    """An outcome that cannot be read is not compared."""
    for name in "ab":
        add(WebCache(tmp_path / name), PAGE, Page(name))
    WebCache(tmp_path / "b").path(PAGE).write_bytes(b"{}")
    found = compare_records(tmp_path / "a", tmp_path / "b")
    assert found.damaged
    assert len(found.sides[1].damaged) == 1


def test_hostile_texts_are_shown_as_text(tmp_path: Path) -> None:
    """Escapes and directions of queries, addresses and failures are visible; long ones are cut."""
    evil = "\x1b[2J\u202e\nfake: line " + "x" * 5_000
    one: dict[Key, Outcome] = {_search(evil): _hits("a"), FetchKey(f"http://{evil}"): WebFailure(evil)}
    two: dict[Key, Outcome] = {
        _search(evil): Hits((Hit(evil, evil, evil),)),
        FetchKey(f"http://{evil}"): WebFailure("\ud800"),
    }
    found = _compared(tmp_path, one, two)
    text = difference_text(found, 20)
    assert text.replace("\n", "").isprintable()
    assert not any(line.startswith("fake") for line in text.split("\n"))
    assert max(map(len, text.split("\n"))) < 500
    document = json.dumps(difference_json(found))
    assert document.isascii()
    assert len(document) < 10_000
