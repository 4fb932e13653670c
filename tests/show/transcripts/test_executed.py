"""Records of entries whose calls are executed: values, requests, where answers come from, and pairings."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from bfcl_pipeline.benchmark.config import WebChoice
from bfcl_pipeline.benchmark.definition import CATEGORIES, category_of
from bfcl_pipeline.benchmark.records import Entry, Mode, Response, Rules
from bfcl_pipeline.dialogue.release_texts import read_recorded_calls
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.judge.web_files import needed_requests, shown_requests
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.show.transcripts.answer import answer_record
from bfcl_pipeline.show.transcripts.entry import entry_record
from bfcl_pipeline.show.transcripts.executed import MOST_EXECUTED
from bfcl_pipeline.show.transcripts.parts import PAGE, TERMINAL, AnswerRecord, Item, Kind, TextLimits
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest, SimulatedApis
from bfcl_pipeline.world.executables.functions import work
from bfcl_pipeline.world.tools import Constants
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import ApiKey

EXECUTED = [name for name, category in CATEGORIES.items() if category.executes]

MIXED = "exec_parallel_multiple_3"
"""A call that uses the network, and one that does not."""

Record: TypeAlias = Callable[..., AnswerRecord]


@pytest.fixture
def find(entries: Callable[[str], list[Entry]]) -> Callable[[str], Entry]:
    """A function that returns an entry by its id."""
    return lambda entry_id: next(one for one in entries(category_of(entry_id)) if one.entry_id == entry_id)


@pytest.fixture
def record(staged: Path, constants: Constants, tmp_path: Path) -> Record:
    """A function that returns the record of a prompted answer to an entry, with its verdicts."""

    def of(
        entry: Entry,
        result: Any,
        web: str | None = None,
        mode: Mode = Mode.PROMPT,
        rules: Rules = Rules.OFFICIAL,
        limits: TextLimits = PAGE,
    ) -> AnswerRecord:
        conditions = Conditions(staged, constants, tmp_path)
        response = Response(entry.entry_id, entry.category, mode, json.dumps(result), model="m", web=web)
        judge = Judge(entry, constants, conditions.apis(web))
        verdicts = {name: judge.verdict(response, name) for name in Rules}
        return answer_record(entry, response, verdicts, conditions, rules=rules, limits=limits)

    return of


def lines(items: tuple[Item, ...]) -> list[tuple[str, str]]:
    """Labels and texts."""
    return [(item.label, item.text) for item in items]


def with_truth(entry: Entry, *calls: tuple[str, str]) -> Entry:
    """The entry with other expected calls, each with how its value is compared."""
    return replace(entry, truth=[{"call": call, "match": match} for call, match in calls])


@pytest.mark.parametrize("mode", ["live", "off", "replay"])
def test_values_that_are_not_recorded_say_so(
    find: Callable[[str], Entry], staged: Path, constants: Constants, tmp_path: Path, mode: str
) -> None:
    """The request is named, the call without network has its value, and nothing is sent."""
    conditions = Conditions(staged, constants, tmp_path, web=WebChoice(mode=mode))
    items = entry_record(find(MIXED), conditions).accepted
    notes = [item.text for item in items if item.kind is Kind.NOTE and item.label == "value"]
    assert len(notes) == 1
    assert notes[0].startswith("(not recorded: ")
    assert not [item for item in items if item.label == "from"]
    assert ("value", "75.0") in lines(items)


def test_pairings_under_official_and_corrected_rules_are_told_apart(
    find: Callable[[str], Entry], record: Record
) -> None:
    """The official rules give the first call to an expected call that the other one also fits."""
    entry = with_truth(
        find("exec_parallel_0"),
        ("calculate_triangle_area(base=1, height=1)", "structural_match"),
        ("calculate_triangle_area(base=10, height=5)", "exact_match"),
    )
    text = "[calculate_triangle_area(base=10, height=5), calculate_triangle_area(base=2, height=2)]"
    found = record(entry, text)
    assert [line for line in lines(found.answer) if line[0] in ("fits", "")] == [
        ("fits", "truth 1 under official rules"),
        ("fits", "truth 2 under corrected rules"),
        ("fits", "truth 1 under corrected rules"),
        ("", "(no call fits truth 2 under official rules)"),
    ]
    assert [one.valid for one in found.verdicts] == [False, True, True]


def test_a_text_is_shown_before_what_is_read_from_it(find: Callable[[str], Entry], record: Record) -> None:
    """A call that is written in another way is a text and the call; a text without calls says why."""
    entry = with_truth(find("exec_simple_0"), ("calculate_triangle_area(base=1, height=2)", "exact_match"))
    bare = "calculate_triangle_area(base=1, height=4/2)"
    assert lines(record(entry, bare).answer) == [
        ("answer", bare),
        ("read as", "calculate_triangle_area(base=1, height=2.0)"),
        ("value", "1.0"),
        ("fits", "the truth"),
    ]
    text, note = record(entry, "I cannot do that.").answer
    assert (text.kind, note.kind) == (Kind.TEXT, Kind.NOTE)
    assert note.text.startswith("(no call: ")


LONG_WEEKEND = "https://date.nager.at/api/v3/LongWeekend/2024/CA"


@pytest.mark.parametrize(
    ("entry_id", "text", "url", "value"),
    [
        ("rest_69", f"[requests.get(url='{LONG_WEEKEND}')]", LONG_WEEKEND, 'status 404: ["\u202e"]'),
        (
            MIXED,
            "[retrieve_holiday_by_year(year='2020', country='ES')]",
            "https://date.nager.at/api/v3/publicholidays/2020/ES",
            r"['\u202e']",
        ),
    ],
)
def test_a_recorded_answer_has_its_date_and_a_damaged_record_says_so(
    find: Callable[[str], Entry],
    staged: Path,
    constants: Constants,
    tmp_path: Path,
    entry_id: str,
    text: str,
    url: str,
    value: str,
) -> None:
    """Without a record the value is missing; a damaged one is named, and the page is made all the same."""
    response = Response(entry_id, category_of(entry_id), Mode.PROMPT, json.dumps(text), web="replay")

    def answer() -> list[tuple[str, str]]:
        conditions = Conditions(staged, constants, tmp_path)
        return lines(answer_record(find(entry_id), response, {}, conditions).answer)[1:]

    assert [label for label, _ in answer()] == ["request", "value"]
    assert answer()[1][1].startswith("(not recorded: ")
    cache, key = WebCache(tmp_path / "web"), ApiKey(ApiRequest(url))
    at = datetime(2026, 11, 23, tzinfo=UTC)
    cache.add(key, ApiAnswer(404, '["\u202e"]'), engine="e", recorded_at=at)
    assert answer()[:3] == [
        *(("request", f"GET {url}"), ("from", "the record of 2026-11-23"), ("value", value)),
    ]
    cache.path(key).write_text("{}")
    assert "differs from the file that was recorded" in " ".join(text for _, text in answer())


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[requests.get(url='date.nager.at')]", "MissingSchema"),
        ("[requests.post(url='https://a')]", "NameError: name 'requests.post' is not defined"),
    ],
)
def test_a_request_that_cannot_be_made_has_its_error(
    find: Callable[[str], Entry], record: Record, text: str, error: str
) -> None:
    """As `requests` and Python would report it."""
    assert record(find("rest_69"), text).answer[-1].text.startswith(error)


def test_the_reference_request_has_the_recorded_response_in_every_mode(
    find: Callable[[str], Entry], record: Record
) -> None:
    """It is never looked up in a record."""
    entry = find("rest_69")
    found = lines(record(entry, f"[{entry.truth['request']}]", web="off").answer)
    assert found[2] == ("from", "a recording of the release")
    assert json.loads(found[3][1].removeprefix("status 200: ")) == entry.truth["response"]


def test_an_answer_of_very_many_calls_is_executed_in_part(
    find: Callable[[str], Entry], record: Record
) -> None:
    """The first calls have values, and a note has the number of the others."""
    calls = [{"math_factorial": '{"n": 3}'}] * (MOST_EXECUTED + 7)
    items = record(find(MIXED), calls, mode=Mode.FC).answer
    assert sum(item.kind is Kind.VALUE for item in items) == MOST_EXECUTED
    assert items[-1].text == "(and 7 more calls, which are not executed here)"


def test_the_work_of_all_calls_of_an_answer_is_bounded(
    find: Callable[[str], Entry], record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls that need much work are executed to show them until the work of all together is done."""
    monkeypatch.setattr(work, "MAX_STEPS", 1_000)
    monkeypatch.setattr(work, "MAX_ANSWER_STEPS", 4_000)
    calls = [{"get_prime_factors": '{"number": 4.5}'}, {"math_factorial": '{"n": 3}'}] * 20
    items = record(find(MIXED), calls, mode=Mode.FC).answer
    values = [item.text for item in items if item.kind is Kind.VALUE]
    assert values[:2] == ["Bound: the call takes more than 1,000 steps of work", "6"]
    assert 6 <= len(values) <= 9
    assert items[-1].text == f"(and {40 - len(values)} more calls, which are not executed here)"


def test_a_record_is_bounded_however_large_the_values_are(
    find: Callable[[str], Entry], record: Record
) -> None:
    """Large numbers and arguments are cut with what is missing."""
    calls = [{"math_factorial": '{"n": 900}'}, {"sort_array": json.dumps({"array": [*range(9_000)]})}]
    items = record(find(MIXED), calls, mode=Mode.FC, limits=TERMINAL).answer
    assert max(len(item.text) for item in items) < 700
    assert sum("more characters)" in item.text for item in items) == 3


@pytest.mark.parametrize("category", EXECUTED)
def test_every_expected_call_has_a_value_in_the_simulated_world(
    entries: Callable[[str], list[Entry]], staged: Path, constants: Constants, category: str
) -> None:
    """No expected call fails or lacks a record, and each has which values are accepted."""
    conditions = Conditions(staged, constants)
    for entry in entries(category):
        accepted = entry_record(entry, conditions).accepted
        calls = sum(item.kind is Kind.CALL for item in accepted)
        assert calls == (1 if category == "rest" else len(entry.truth))
        assert sum(item.label == "accepts" for item in accepted) == calls
        assert sum(item.kind is Kind.VALUE and item.label == "value" for item in accepted) == calls, (
            entry.entry_id
        )


@pytest.mark.parametrize(
    ("entry_id", "text"),
    [
        ("exec_parallel_multiple_3", "[retrieve_holiday_by_year(year='2020', country='DE')]"),
        (
            "exec_simple_3",
            "[calculate_density(mass=1, volume=2), retrieve_holiday_by_year(year=1, country='x')]",
        ),
        ("rest_69", "[requests.get(url='https://date.nager.at/a'), requests.get(url='no scheme')]"),
        ("rest_3", "no call"),
    ],
)
def test_an_archive_keeps_every_answer_that_a_page_shows(
    find: Callable[[str], Entry], staged: Path, constants: Constants, entry_id: str, text: str
) -> None:
    """Also of calls that no verdict needs, as those of an answer with a wrong number of calls."""
    entry = find(entry_id)
    response = Response(entry_id, entry.category, Mode.PROMPT, json.dumps(text))
    apis = SimulatedApis(read_recorded_calls(staged))
    kept = {**needed_requests(entry, [response], apis), **shown_requests(entry, [response], apis)}
    conditions = Conditions(staged, constants)
    items = answer_record(entry, response, {}, conditions).answer
    if entry.category != "rest":  # whose reference request is of the release
        items += entry_record(entry, conditions).accepted
    requests = {
        item.text.partition("?")[0].partition(";")[0] for item in items if item.kind is Kind.REQUEST
    }
    assert requests <= {f"GET {key.request.url}" for key in kept}
