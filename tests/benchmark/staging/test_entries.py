"""The entries of all categories: counts, and what each kind of category must have."""

from __future__ import annotations

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.definition import CATEGORIES, FORMATS, Check
from bfcl_pipeline.benchmark.staging.literals import read_texts
from bfcl_pipeline.benchmark.staging.multi_turn import read_api_docs, read_memory, read_multi_turn
from bfcl_pipeline.benchmark.staging.outputs import read_all_entries
from bfcl_pipeline.benchmark.staging.release_files import (
    API_DOCS,
    FORMAT_SENSITIVITY_IDS,
    questions_file,
    truths_file,
)
from bfcl_pipeline.benchmark.staging.single_turn import read_format_sensitivity, read_single_turn

MISS_FUNC = "multi_turn_miss_func"


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_category_is_complete(entries, category):
    """Each category has the expected number of entries, with the right category and unique ids."""
    rows = entries(category)
    scored = [entry for entry in rows if not entry.prerequisite]
    assert len(scored) == CATEGORIES[category].entries
    assert len(rows) - len(scored) == CATEGORIES[category].prerequisites
    assert len({entry.entry_id for entry in rows}) == len(rows)
    assert all(entry.entry_id.startswith(f"{category}_") for entry in rows)
    assert {entry.category for entry in rows} == {category}


@pytest.mark.parametrize("category", CATEGORIES)
def test_entries_have_a_truth_if_the_check_needs_one(entries, category):
    """Scored entries have a truth, except those whose check only needs to know whether there is a call."""
    without = CATEGORIES[category].check in (Check.IRRELEVANCE, Check.RELEVANCE)
    for entry in entries(category):
        assert (entry.truth is None) == (without or entry.prerequisite)


@pytest.mark.parametrize("category", [name for name, c in CATEGORIES.items() if c.single_turn])
def test_single_turn_entries_have_one_turn(entries, category):
    """Single-turn entries have one turn, no APIs and no state."""
    for entry in entries(category):
        assert len(entry.turns) == 1
        assert entry.turns[0][-1]["role"] == "user"
        assert (entry.apis, entry.initial_state, entry.held_out, entry.depends_on) == ((), None, {}, ())


def test_function_docs_have_no_language_hint(entries):
    """Docs are those of the release: with Java types, and without the language hint."""
    for entry in entries("simple_java"):
        for doc in entry.functions:
            assert not doc["description"].endswith("syntax.")
    kinds = {
        prop["type"]
        for entry in entries("simple_java")
        for doc in entry.functions
        for prop in doc["parameters"]["properties"].values()
    }
    assert {"String", "ArrayList", "any"} <= kinds


def test_format_sensitivity_restates_200_entries_in_26_formats(entries):
    """Each base entry occurs in all formats in order, consecutively numbered, with its content
    unchanged."""
    rows = entries("format_sensitivity")
    bases = {}
    for category in ("simple_python", "live_multiple", "parallel"):
        bases.update((entry.entry_id, entry) for entry in entries(category))
    seen = 0
    for index, entry in enumerate(rows):
        assert entry.prompt_format == FORMATS[index % 26].key
        assert entry.base_entry_id == rows[index - index % 26].base_entry_id
        assert entry.entry_id == f"format_sensitivity_{index}:{entry.prompt_format}:{entry.base_entry_id}"
        if base := bases.get(entry.base_entry_id):
            seen += 1
            assert (entry.turns, entry.functions, entry.truth) == (base.turns, base.functions, base.truth)
    assert len({entry.base_entry_id for entry in rows}) == 200
    assert seen > 1000


@pytest.mark.parametrize("category", [c for c in CATEGORIES if c.startswith("multi_turn")])
def test_multi_turn_truths_go_turn_by_turn(entries, category):
    """Truth has one list of calls per turn, and the state is of known APIs."""
    for entry in entries(category):
        assert len(entry.truth) == len(entry.turns)
        assert entry.apis
        assert {*entry.initial_state, *entry.apis} <= set(API_DOCS)
        assert bool(entry.held_out) == (category == MISS_FUNC)


def test_held_out_functions_appear_at_an_empty_turn(entries):
    """A held-out function is not offered from the start; the turn in which it appears has no message."""
    for entry in entries(MISS_FUNC):
        offered = {doc["name"] for doc in entry.functions}
        for turn, docs in entry.held_out.items():
            assert docs
            assert not offered & {doc["name"] for doc in docs}
            assert entry.turns[int(turn)] == ()


@pytest.mark.parametrize("category", ["memory_kv", "memory_vector", "memory_rec_sum"])
def test_memory_sessions_form_a_chain(entries, category):
    """A session depends on the earlier ones of its scenario, a question on all; sessions precede
    questions."""
    chains: dict[str, list[str]] = {}
    for entry in entries(category):
        chain = chains.setdefault(entry.scenario, [])
        assert entry.depends_on == tuple(chain)
        assert entry.apis == (category.replace("memory_", "MemoryAPI_"),)
        if entry.prerequisite:
            assert entry.entry_id.startswith(f"{category}_prereq_")
            chain.append(entry.entry_id)
    assert {scenario: len(chain) for scenario, chain in chains.items()} == {
        "customer": 10,
        "healthcare": 5,
        "finance": 7,
        "student": 10,
        "notetaker": 5,
    }


@pytest.mark.parametrize("category", [name for name, c in CATEGORIES.items() if c.group == "agentic"])
def test_agentic_questions_state_the_answer_format(entries, real_release, category):
    """The first message of a scored agentic entry states the answer format; that of a session does not."""
    wanted = read_texts(real_release)["default_prompts"][
        "ADDITIONAL_SYSTEM_PROMPT_FOR_AGENTIC_RESPONSE_FORMAT"
    ]
    for entry in entries(category):
        first = entry.turns[0][0]
        assert (first == {"role": "system", "content": wanted}) == (not entry.prerequisite)
        assert (entry.source is None) == entry.prerequisite


def test_the_web_categories_differ_in_snippets_only(entries):
    """The questions with and without snippets are the same."""
    pairs = zip(entries("web_search_base"), entries("web_search_no_snippet"), strict=True)
    for base, bare in pairs:
        assert base.initial_state == {"WebSearchAPI": {"show_snippet": True}}
        assert bare.initial_state == {"WebSearchAPI": {"show_snippet": False}}
        assert (base.turns, base.truth, base.source) == (bare.turns, bare.truth, bare.source)
        assert bare.entry_id == base.entry_id.replace("base", "no_snippet")


def without_last_line(content: bytes) -> bytes:
    """`content` without its last line."""
    return b"\n".join(content.rstrip(b"\n").split(b"\n")[:-1]) + b"\n"


def read(release):
    """All entries of a release."""
    return read_all_entries(release, read_texts(release))


def read_one(release, category):
    """The entries of one category of a release."""
    docs = read_api_docs(release)
    match CATEGORIES[category].check:
        case Check.MULTI_TURN:
            return read_multi_turn(release, category, docs)
        case Check.MEMORY:
            return read_memory(release, category, docs, "answer so")
        case _:
            return read_single_turn(release, category)


@pytest.mark.parametrize("category", ["simple_java", "multi_turn_base", "memory_kv", "web_search_base"])
def test_a_missing_entry_is_refused(altered, real_release, category):
    """A release one entry short is refused with both numbers."""
    files = {
        name: without_last_line(real_release.files[name])
        for name in (questions_file(category), truths_file(category))
    }
    wanted = CATEGORIES[category].entries
    message = f"{questions_file(category)}: expected {wanted} entries of {category}, got {wanted - 1}"
    with pytest.raises(MalformedRelease, match=message):
        read(altered(files))


def test_a_missing_session_is_refused(altered, real_release):
    """A memory scenario one session short is refused."""
    name = "bfcl_eval/data/memory_prereq_conversation/memory_student.json"
    with pytest.raises(MalformedRelease, match="expected 37 prerequisite sessions of memory_kv, got 36"):
        read(altered({name: without_last_line(real_release.files[name])}))


@pytest.mark.parametrize(
    ("category", "old", "new", "message"),
    [
        (
            "simple_java",
            b'"id": "simple_java_0"',
            b'"id": "simple_java_1"',
            "every id once, got 'simple_java_1' again",
        ),
        (
            "simple_java",
            b'"id": "simple_java_0"',
            b'"id": "simple_java_x"',
            "'simple_java_[x0]' in only one",
        ),
        ("simple_java", b'"name": ', b'"nome": ', ":1: expected function docs"),
        (
            MISS_FUNC,
            b'"involved_classes": ["',
            b'"involved_classes": ["X',
            ":1: expected an API of GorillaFileSystem",
        ),
        (
            MISS_FUNC,
            b'"missed_function": {"',
            b'"missed_function": {"9',
            ":1: expected `missed_function` to list",
        ),
        (
            MISS_FUNC,
            b'"missed_function": {"2": ["',
            b'"missed_function": {"2": ["x',
            ":2: expected held-out functions",
        ),
        (MISS_FUNC, b'"question": [', b'"question": [[], ', ":1: expected 6 turns of truth"),
        (
            "memory_kv",
            b'"scenario": "customer"',
            b'"scenario": "pilot"',
            "expected a scenario of customer, .*'pilot'",
        ),
    ],
)
def test_inconsistent_rows_are_refused(altered, real_release, category, old, new, message):
    """Inconsistent rows are refused; the error states the contradiction."""
    name = questions_file(category)
    changed = real_release.files[name].replace(old, new, 1)
    assert changed != real_release.files[name]
    with pytest.raises(MalformedRelease, match=message):
        read_one(altered({name: changed}), category)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "format_sensitivity.json:1: expected JSON"),
        (b"[]", "expected a mapping of categories to ids"),
        (
            b'{"simple_python": ["simple_python_0", "nobody"]}',
            "distinct ids of simple_python, got 'nobody'",
        ),
        (b'{"simple_python": ["simple_python_0", "simple_python_0"]}', "distinct ids of simple_python"),
        (b'{"nothing": ["nothing_0"]}', "distinct ids of nothing, got 'nothing_0'"),
    ],
)
def test_a_wrong_list_of_format_sensitivity_ids_is_refused(altered, entries, content, message):
    """The list of restated entries must name entries, each once."""
    staged = {"simple_python": entries("simple_python")}
    with pytest.raises(MalformedRelease, match=message):
        read_format_sensitivity(altered({FORMAT_SENSITIVITY_IDS: content}), staged)


def test_a_short_list_of_format_sensitivity_ids_is_refused(altered):
    """The list of restated entries must have 200 of them."""
    short = altered({FORMAT_SENSITIVITY_IDS: b'{"simple_python": ["simple_python_0"]}'})
    with pytest.raises(MalformedRelease, match="expected 5200 entries of format_sensitivity, got 26"):
        read(short)
