"""Staging of the retired categories of V1: executed calls, REST requests, SQL and chats."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.staging.executable import (
    read_chatable,
    read_executable,
    read_recorded_calls,
    read_sql,
)
from bfcl_pipeline.benchmark.staging.literals import read_texts
from bfcl_pipeline.benchmark.staging.outputs import read_all_entries
from bfcl_pipeline.benchmark.staging.release_files import (
    RECORDED_CALLS,
    REFERENCE_REQUESTS,
    questions_file,
    truths_file,
)
from bfcl_pipeline.world.executables.apis import PLACEHOLDERS

EXECUTED = [name for name in GROUPS["executable"] if name.startswith("exec_")]

READERS = {"sql": read_sql, "chatable": read_chatable}


def read_one(release, category):
    """The entries of one of the categories."""
    return READERS.get(category, read_executable)(release, category)


@pytest.mark.parametrize("category", GROUPS["executable"])
def test_entries_are_numbered_in_the_order_of_the_release(entries, category):
    """Ids are the category and a number from 0; the questions are those of the release's lines."""
    count = CATEGORIES[category].entries
    assert [entry.entry_id for entry in entries(category)] == [f"{category}_{n}" for n in range(count)]


@pytest.mark.parametrize("category", GROUPS["executable"])
def test_the_questions_are_those_of_the_release(entries, real_release, category):
    """Each entry has the text of its line, whether that is a text, a list of messages or turns of them."""
    lines = real_release.files[questions_file(category)].decode().splitlines()
    for entry, line in zip(entries(category), lines, strict=True):
        question = json.loads(line)["question"]
        while isinstance(question, list):
            (question,) = question
        text = question if isinstance(question, str) else question["content"]
        assert entry.turns == (({"role": "user", "content": text},),)


def test_expected_calls_have_a_way_to_compare_them(entries):
    """The truth of an executed entry has 450 calls in all; types that belong to no call are dropped."""
    calls = [call for name in EXECUTED for entry in entries(name) for call in entry.truth]
    assert all(call.keys() == {"call", "match"} for call in calls)
    assert Counter(call["match"] for call in calls) == {
        "exact_match": 383,
        "real_time_match": 47,
        "structural_match": 20,
    }
    assert [len(entries(name)) for name in EXECUTED] == [100, 50, 50, 40]
    assert len(entries("exec_parallel_multiple")[30].truth) == 2  # with three types in the release


def test_functions_are_offered_as_the_release_has_them(entries):
    """One function in four categories, two to four in two, none in chatable."""
    offered = {name: Counter(len(e.functions) for e in entries(name)) for name in GROUPS["executable"]}
    assert offered == {
        "exec_simple": {1: 100},
        "exec_multiple": {2: 14, 3: 22, 4: 14},
        "exec_parallel": {1: 50},
        "exec_parallel_multiple": {2: 15, 3: 12, 4: 13},
        "rest": {1: 70},
        "sql": {1: 100},
        "chatable": {0: 200},
    }


def test_rest_entries_have_a_recorded_response_and_its_request(entries):
    """The reference request of each entry is a call of requests.get; nine responses are lists."""
    truths = [entry.truth for entry in entries("rest")]
    assert all(truth["request"].startswith("requests.get(") for truth in truths)
    assert Counter(type(truth["response"]) for truth in truths) == {dict: 61, list: 9}


def test_keys_are_the_placeholders_of_the_release(entries):
    """51 questions or docs of rest name a key, each by an official placeholder."""
    texts = [str((entry.turns, entry.functions)) for entry in entries("rest")]
    named = [[name for name in PLACEHOLDERS.values() if name in text] for text in texts]
    assert Counter(map(len, named)) == {1: 51, 0: 19}


def test_recorded_calls_are_those_of_the_release(staged, entries, real_release):
    """28 values, the 324 texts of all expected calls, and 70 requests with their responses are staged."""
    executed = [entry for name in (*EXECUTED, "rest") for entry in entries(name)]
    recorded = json.loads((staged / "release" / "recorded_calls.json").read_text(encoding="utf-8"))
    assert recorded == read_recorded_calls(real_release, executed)
    assert {name: len(values) for name, values in recorded.items()} == {
        "calls": 28,
        "truths": 324,
        "requests": 70,
    }
    assert {call["call"] for call in recorded["calls"]} & set(recorded["truths"])


def changed(real_release, name, old, new):
    """The file `name` with the first `old` replaced."""
    content = real_release.files[name].replace(old, new, 1)
    assert content != real_release.files[name]
    return {name: content}


@pytest.mark.parametrize(
    ("category", "name", "old", "new", "message"),
    [
        (
            "exec_simple",
            questions_file("exec_simple"),
            b'"id": "exec_simple_0"',
            b'"id": "exec_simple_x"',
            "exec_simple.json: expected one truth per entry, got 'exec_simple_[0x]' in only one",
        ),
        (
            "exec_simple",
            truths_file("exec_simple"),
            b'["exact_match"]',
            b'["any_match"]',
            "exec_simple.json:1: expected one of exact_match, real_time_match, structural_match for each",
        ),
        (
            "exec_parallel",
            truths_file("exec_parallel"),
            b'"execution_result_type":["exact_match",',
            b'"execution_result_type":[',
            "exec_parallel.json:1: expected one of exact_match, .* for each call",
        ),
        (
            "exec_simple",
            truths_file("exec_simple"),
            b'"ground_truth":["',
            b'"ground_truth":[1,"',
            "exec_simple.json:1: expected 'ground_truth' to be a list of texts",
        ),
        (
            "rest",
            truths_file("rest"),
            b'"ground_truth": "{',
            b'"ground_truth": "{{',
            "rest.json:1: expected JSON",
        ),
        (
            "rest",
            REFERENCE_REQUESTS,
            b'"idx": 0',
            b'"idx": 1',
            r"expected 70 requests with `idx` from 0 in order, got 70 beginning with \[1, 1, 2\]",
        ),
        (
            "sql",
            questions_file("sql"),
            b'"question": [',
            b'"question": [[], ',
            "sql.json:1: expected turns of messages",
        ),
        (
            "chatable",
            questions_file("chatable"),
            b'"question": "',
            b'"question": 1, "text": "',
            "chatable.json:1: expected 'question' to be a str",
        ),
    ],
)
def test_a_line_of_another_form_is_refused(altered, real_release, category, name, old, new, message):
    """The error names file and line, what was expected and what came."""
    with pytest.raises(MalformedRelease, match=message):
        read_one(altered(changed(real_release, name, old, new)), category)


def test_a_missing_reference_request_is_refused(altered, real_release):
    """Each REST entry has a reference request."""
    lines = real_release.files[REFERENCE_REQUESTS].splitlines(keepends=True)
    with pytest.raises(MalformedRelease, match=r"expected 70 requests .* got 69"):
        read_one(altered({REFERENCE_REQUESTS: b"".join(lines[:-1])}), "rest")


def test_a_recorded_call_without_its_value_is_refused(altered, real_release):
    """Each recorded call has one value."""
    files = changed(real_release, RECORDED_CALLS, b'"execution_result": [', b'"execution_result": [0, ')
    with pytest.raises(MalformedRelease, match=":1: expected one value for each call, got 2 for 1"):
        read_recorded_calls(altered(files), [])


def test_a_short_category_is_refused(altered, real_release):
    """The number of chats is checked, as of every category."""
    name = questions_file("chatable")
    content = b"".join(real_release.files[name].splitlines(keepends=True)[:-1])
    release = altered({name: content})
    with pytest.raises(MalformedRelease, match="expected 200 entries of chatable, got 199"):
        read_all_entries(release, read_texts(release))
