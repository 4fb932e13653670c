"""Web conversations played again for the tables: on the simulated web, and from a web cache."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.config.job import WebChoice
from bfcl_pipeline.benchmark.records import Entry, Json, Mode
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.calls import calls_by_step
from bfcl_pipeline.judge.scoring import web_results
from bfcl_pipeline.judge.scoring.web_results import Place
from bfcl_pipeline.judge.scoring.web_use import Next, WebWork
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.playback.conditions import Conditions, default_conditions
from bfcl_pipeline.show.report.tables.agentic_records import AgenticAnswer, web_conditions, web_work
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.recording import RecordingWeb

PAGE, LATE = "https://tall.example/bangkok", "https://tall.example/late"


@pytest.fixture(scope="module")
def conditions(staged: Path) -> Conditions:
    return default_conditions(staged, staged / "no-cache")


@pytest.fixture(scope="module")
def question(staged: Path) -> Entry:
    """The question about the floors of the tallest building of a city, whose answer is 70."""
    return read_entries(entries_path(staged, "web_search_base"))[5]


def call(name: str, **arguments: Json) -> dict[str, str]:
    return {name: json.dumps(arguments)}


def played(
    entry: Entry, steps: list[Json], conditions: Conditions | None, web: str | None = "simulated"
) -> WebWork:
    result: Json = [[*steps, '{"answer": "78", "context": "I read it."}']]
    answer = AgenticAnswer(entry, calls_by_step(result, Mode.FC), web, result=result)
    return web_work(answer, conditions)


def searched_and_read(entry: Entry) -> list[Json]:
    hop = entry.source[-1]
    return [
        [call("search_engine_query", keywords=hop["subquestion"])],
        [call("fetch_url_content", url=hop["source"].partition("#")[0], mode="truncate")],
    ]


def test_an_answer_that_was_read_is_found(question: Entry, conditions: Conditions) -> None:
    """The page of the last hop has the answer, and both calls succeed."""
    work = played(question, searched_and_read(question), conditions)
    assert Place.PAGE in work.places
    assert (work.steps, [call.failed for call in work.calls], work.known) == (3, [False, False], True)
    assert work.queries == ["How many floor does Magnolias Waterfront Residences have?"]


def test_injected_failures_are_those_of_the_run(question: Entry, conditions: Conditions) -> None:
    """With every fetch failing, the page is not read, and another one is tried."""
    failing = replace(conditions, web=WebChoice(fetch_failures=1.0))
    steps = [*searched_and_read(question), [call("fetch_url_content", url="https://b.example")]]
    work = played(question, steps, failing)
    assert Place.PAGE not in work.places
    assert list(work.after_failures()) == [Next.OTHER_SOURCE, Next.ANSWERED]


def test_without_tools_nothing_is_searched(question: Entry, conditions: Conditions) -> None:
    """Calls of tools that were not offered do not count, and nothing is unknown about them."""
    work = played(question, searched_and_read(question), conditions, "off")
    assert (work.calls, work.places, work.known, work.steps) == ((), frozenset(), True, 3)


def test_a_renamed_search_tool_has_only_its_new_name(question: Entry, conditions: Conditions) -> None:
    """A run that presents the search tool under another name did not offer the usual one."""
    renamed = replace(conditions, web=WebChoice(search_tool="duckduckgo_search"))
    steps: list[Json] = [
        [call("search_engine_query", keywords="tea")],
        [call("duckduckgo_search", keywords="tallest building in Bangkok")],
    ]
    work = played(question, steps, renamed)
    assert work.queries == ["tallest building in Bangkok"]
    assert work.known


@pytest.mark.parametrize("web", ["live", "unknown", None])
def test_results_of_a_live_web_are_not_known(
    question: Entry, conditions: Conditions, web: str | None
) -> None:
    """Calls are counted, results are not."""
    work = played(question, searched_and_read(question), conditions, web)
    assert (len(work.searches), len(work.fetches), work.known, work.places) == (1, 1, False, frozenset())


def test_without_a_staged_release_only_calls_are_known(question: Entry, tmp_path: Path) -> None:
    """The tables can be made where the release is not staged, or not all of it."""
    assert web_conditions(Run(tmp_path, tmp_path, tmp_path)) is None
    assert not played(question, searched_and_read(question), None).known
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "texts.json").write_text("{}")
    partial = web_conditions(Run(tmp_path, tmp_path, tmp_path))
    assert partial is not None
    assert not played(question, searched_and_read(question), partial).known


class Recorded:
    """A web of pages of a hundred kilobytes, with the answer at the start, or of `LATE` at the end."""

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        return Hits((Hit("Towers", PAGE, "<b>78</b> or 70 floors"),))

    def fetch(self, url: str) -> Page | WebFailure:
        long, answer = "<i>\u202e</i>" * 10_000, "<p>It has 70 floors.</p>"
        return Page(long + answer if url == LATE else answer + long)


def test_results_are_read_from_the_web_cache(
    question: Entry, conditions: Conditions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was recorded is found, up to the bound of a page; what was not makes the answer unknown."""
    monkeypatch.setattr(web_results, "MOST_READ", 20_000)
    web = RecordingWeb(WebCache(tmp_path / "web"), Recorded())
    web.search("floors", "wt-wt")
    web.fetch(PAGE)
    web.fetch(LATE)
    recorded = replace(conditions, cache=tmp_path)
    search = call("search_engine_query", keywords="floors")
    read = call("fetch_url_content", url=PAGE, mode="truncate")
    for mode in ("record", "replay"):
        work = played(question, [[search], [read]], recorded, mode)
        assert work.known
        assert work.places == {Place.SNIPPET, Place.PAGE}
    late = call("fetch_url_content", url=LATE, mode="truncate")
    assert played(question, [[late]], recorded, "replay").places == frozenset()
    other = call("fetch_url_content", url="https://never.example")
    work = played(question, [[search], [other]], recorded, "record")
    assert (work.known, [call.failed for call in work.calls]) == (False, [False, None])
