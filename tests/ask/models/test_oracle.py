"""The oracle passes every entry that an answer can pass."""

import json
from collections import Counter
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from bfcl_pipeline.ask.generation import responses
from bfcl_pipeline.ask.models.oracle import Oracle, answer, placeholder_call
from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.config import load_models
from bfcl_pipeline.benchmark.definition import CATEGORIES, FORMATS, GROUPS, parse_format
from bfcl_pipeline.benchmark.records import Call, Mode, Response, Rules
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.judge.judging import SimulatedOnly
from bfcl_pipeline.judge.scoring import Judge, judge
from bfcl_pipeline.world.tools import WorldConfig
from bfcl_pipeline.world.web.presented import Faulty
from bfcl_pipeline.world.web.simulated import SimulatedWeb
from tests.support.local_generation import generate
from tests.support.word_encoder import WordEncoder

MODELS = Path(__file__).parents[3] / "config" / "models.yaml"

IMPOSSIBLE = {
    "simple_java": {"simple_java_36", "simple_java_65"},
    "live_simple": {"live_simple_106-63-0", "live_simple_112-68-0"},
    "live_multiple": {"live_multiple_862-181-3", "live_multiple_964-207-0"},
    "exec_parallel": {"exec_parallel_15"},
    "exec_parallel_multiple": {"exec_parallel_multiple_26"},
    "sql": {f"sql_{number}" for number in (15, 18, 19, 28, 29, 38, 39, 49, 68, 69)},
}
"""Entries that no answer can pass; docs/errata.md has the reasons."""

RULES = [Rules.OFFICIAL, Rules.CORRECTED]
"""The rule sets that judge by the truth that the oracle answers from; `verified` has a mended one."""

SINGLE_TURN = [
    name for name, c in CATEGORIES.items() if c.single_turn and not c.prompt_only and not c.executes
]

EXECUTED = [name for name, c in CATEGORIES.items() if c.executes]


def _failed(entries, mode):
    failed = set()
    for entry in entries:
        result = answer(entry, mode)
        response = Response(entry.entry_id, entry.category, mode, json.dumps(result))
        if judge(entry, response, Rules.OFFICIAL).valid is not True:
            failed.add(entry.entry_id)
    return failed


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("category", SINGLE_TURN)
def test_it_fails_only_entries_that_cannot_be_passed(entries, category, mode):
    """Under the official rules the oracle passes all but the entries that no answer can pass."""
    assert _failed(entries(category), mode) == IMPOSSIBLE.get(category, set())


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("category", EXECUTED)
def test_executed_calls_of_the_truth_pass(entries, staged, category, mode):
    """With the simulated web APIs, it fails only entries whose expected value is an error of the API."""
    apis = SimulatedOnly(staged)(None)
    failed = {rules: set() for rules in RULES}
    for entry in entries(category):
        result = json.dumps(answer(entry, mode))
        verdicts = Judge(entry, apis=apis).answer_verdicts(result, mode, None, RULES)
        for rules, verdict in zip(RULES, verdicts, strict=True):
            if verdict.valid is not True:
                failed[rules].add(entry.entry_id)
    assert failed == dict.fromkeys(RULES, IMPOSSIBLE.get(category, set()))


def test_rules_verified_leave_out_what_it_cannot_pass(entries, staged):
    """In the retired categories, the verified rules have a verdict only where the oracle passes."""
    apis = SimulatedOnly(staged)(None)
    found = Counter()
    for entry in chain.from_iterable(map(entries, GROUPS["executable"])):
        result = json.dumps(answer(entry, Mode.FC))
        (verdict,) = Judge(entry, apis=apis).answer_verdicts(result, Mode.FC, None, (Rules.VERIFIED,))
        found[entry.category, verdict.valid] += 1
    left_out = {category: count for (category, valid), count in found.items() if valid is None}
    assert left_out == {"exec_multiple": 1, "exec_parallel": 2, "exec_parallel_multiple": 5, "sql": 35}
    assert not any(valid is False for _, valid in found)


def test_a_truth_that_is_no_request_is_refused(entries):
    """The error names the entry of a release with another form of reference requests."""
    entry = entries("rest")[0]
    changed = replace(entry, truth={**entry.truth, "request": "print(1), print(2)"})
    with pytest.raises(MalformedRelease, match="rest_0: truth: expected a request"):
        answer(changed, Mode.FC)


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("category", GROUPS["multi_turn"])
def test_it_passes_every_conversation(entries, staged, constants, setting_of, category, mode):
    """Through the real loop, the oracle passes all multi-turn entries under both rule sets."""
    (row,) = (row for row in load_models(MODELS).values() if (row.kind, row.mode) == ("oracle", mode))
    asked = entries(category)
    held = responses(generate(asked, Oracle(row), read_texts(staged), setting_of))
    verdicts = {
        one.entry_id: Judge(entry, constants).answer_verdicts(one.result_json, mode, None, RULES)
        for entry, one in zip(asked, held, strict=True)
    }
    assert len(verdicts) == 200
    assert [key for key, found in verdicts.items() if not all(one.valid for one in found)] == []


def test_it_writes_every_prompt_format(entries):
    """It passes in all 26 formats, except for a list of objects that JSON call text cannot express.

    An entry is answered once in each form of calls, on which alone answers depend; two in all formats.
    """
    first_of_form = {(one.return_format, one.tool_call_tag): one for one in reversed(FORMATS)}.values()
    restated = [
        entry
        for entry in entries("format_sensitivity")
        if entry.base_entry_id in ("simple_python_0", "simple_python_96")
        or parse_format(entry.prompt_format) in first_of_form
    ]
    failed_ids = _failed(restated, Mode.PROMPT)
    failed = [entry for entry in restated if entry.entry_id in failed_ids]
    assert {entry.base_entry_id for entry in failed} == {"simple_python_96"}
    assert len(failed) == 6
    assert all("ret_fmt=json" in entry.prompt_format for entry in failed)


def test_it_answers_entries_that_cannot_be_passed(entries):
    """Its answer to such an entry has the most plausible values."""
    (entry,) = (one for one in entries("simple_java") if one.entry_id == "simple_java_36")
    (call,) = answer(entry, Mode.FC)
    (arguments,) = call.values()
    assert "parts" in json.loads(arguments)


def test_a_placeholder_call_has_the_required_parameters():
    """Every required parameter has a value of its type, also nested ones."""
    parameters = {
        "properties": {
            "a": {"type": "string", "enum": ["x", "y"]},
            "b": {"type": "array", "items": {"type": "integer"}},
            "c": {"type": "dict", "properties": {"d": {"type": "float"}}, "required": ["d"]},
            "e": {"type": "boolean"},
        },
        "required": ["a", "b", "c"],
    }
    call = placeholder_call([{"name": "f", "parameters": parameters}])
    assert call == Call("f", {"a": "x", "b": [1], "c": {"d": 1.0}})


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("category", ["memory_kv", "memory_rec_sum"])
def test_it_passes_memory_questions(entries, staged, setting_of, category, mode):
    """Through sessions and real memories, the oracle passes every question under both rule sets."""
    assert _failed_agentic(entries(category), mode, staged, setting_of) == []


def test_it_passes_questions_with_a_vector_memory(entries, staged, constants):
    """It searches the vector memory and passes every question."""
    encoder, asked = WordEncoder(), entries("memory_vector")
    assert _failed_agentic(asked, Mode.FC, staged, lambda _: WorldConfig(constants, encoder=encoder)) == []


@pytest.fixture(scope="module")
def web(entries):
    """The simulated web, which finds a query again at once; the tests below have the same queries."""
    return SimulatedWeb.of(entries("web_search_base"))


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("category", GROUPS["web_search"])
def test_it_passes_web_questions(entries, staged, constants, web, category, mode):
    """It searches and fetches every hop in the simulated web, and passes under both rule sets."""
    assert _failed_agentic(entries(category), mode, staged, lambda _: WorldConfig(constants, web=web)) == []


def test_it_uses_only_results_of_its_tools(entries, staged, constants):
    """If every fetch fails, it answers that it does not know."""
    asked = entries("web_search_base")[:5]
    templates = constants.items("web_search", "ERROR_TEMPLATES")
    web = SimulatedWeb.of(asked)

    def failing(entry):
        return WorldConfig(constants, web=Faulty(web, 1.0, 0, entry.entry_id, templates))

    assert len(_failed_agentic(asked, Mode.FC, staged, failing)) == len(asked)


def _failed_agentic(asked, mode, staged, setting_of):
    (row,) = (row for row in load_models(MODELS).values() if (row.kind, row.mode) == ("oracle", mode))
    held = responses(generate(asked, Oracle(row), read_texts(staged), setting_of))
    judges = {entry.entry_id: Judge(entry) for entry in asked}
    return [
        one.entry_id
        for one in held
        if not all(judges[one.entry_id].verdict(one, rules).valid for rules in RULES)
    ]
