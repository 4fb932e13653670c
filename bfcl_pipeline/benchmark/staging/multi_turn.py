"""Entries with simulated APIs: multi-turn, memory on three backends, web search, and the docs of the APIs.

Held-out functions (multi_turn_miss_func) are removed from the offered ones and stored by the turn at which
they appear. Of the agentic categories, the release does not contain as such: ids by category, the
prerequisite sessions of a memory scenario and their order, and the system message with the answer format.
"""

from collections.abc import Mapping

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, FunctionDoc, Message
from bfcl_pipeline.benchmark.staging.json_lines import (
    JsonLine,
    by_id,
    check_function,
    malformed_release,
    read_rows,
    read_turns,
)
from bfcl_pipeline.benchmark.staging.release_files import (
    API_DOCS,
    SCENARIOS,
    questions_file,
    sessions_file,
)
from bfcl_pipeline.benchmark.staging.single_turn import Truth, read_truths
from bfcl_pipeline.benchmark.staging.source import Release

ApiDocs = Mapping[str, tuple[FunctionDoc, ...]]
"""Function docs by API, in the release's order."""


def read_api_docs(release: Release) -> ApiDocs:
    """The function docs of every simulated API."""
    return {
        api: tuple(check_function(row.where, row.value) for row in read_rows(release, name))
        for api, name in API_DOCS.items()
    }


def _involved_functions(row: JsonLine, apis: tuple[str, ...], docs: ApiDocs) -> list[FunctionDoc]:
    """The functions of all `apis` that `row` involves, one API after the other."""
    for api in apis:
        if api not in docs:
            raise malformed_release(row.where, f"an API of {', '.join(docs)}", repr(api))
    return [doc for api in apis for doc in docs[api]]


def read_multi_turn(release: Release, category: str, docs: ApiDocs) -> list[Entry]:
    """The entries of a multi-turn category, in the release's order."""
    rows = by_id(read_rows(release, questions_file(category)))
    truths = read_truths(release, category, rows)
    return [_entry(category, key, row, truths[key], docs) for key, row in rows.items()]


def _entry(category: str, key: str, row: JsonLine, truth: Truth, docs: ApiDocs) -> Entry:
    turns = read_turns(row)
    if len(truth.answer) != len(turns):
        raise malformed_release(
            row.where, f"{len(turns)} turns of truth for {key!r}", str(len(truth.answer))
        )
    apis = row.texts("involved_classes")
    functions = _involved_functions(row, apis, docs)
    held_out = _hold_out(row, functions, len(turns)) if "missed_function" in row.value else {}
    return Entry(
        entry_id=key,
        category=category,
        turns=turns,
        functions=tuple(functions),
        truth=truth.answer,
        apis=apis,
        initial_state=row.get("initial_config", dict),
        held_out=held_out,
    )


def _hold_out(
    row: JsonLine, functions: list[FunctionDoc], turns: int
) -> dict[str, tuple[FunctionDoc, ...]]:
    """Removes the held-out docs from `functions` and returns them by turn."""
    held_out: dict[str, tuple[FunctionDoc, ...]] = {}
    for turn, names in row.get("missed_function", dict).items():
        if not turn.isdecimal() or int(turn) >= turns or not isinstance(names, list):
            raise malformed_release(row.where, "`missed_function` to list names by turn number", repr(turn))
        held_out[turn] = tuple(_take(row, functions, name) for name in names)
    return held_out


def _take(row: JsonLine, functions: list[FunctionDoc], name: str) -> FunctionDoc:
    for position, doc in enumerate(functions):
        if doc["name"] == name:
            return functions.pop(position)
    raise malformed_release(row.where, "held-out functions of the involved APIs", repr(name))


def read_web_search(release: Release, category: str, docs: ApiDocs, answer_format: str) -> list[Entry]:
    """The entries of a web search category, in the release's order.

    answer_format: the system message before every question.
    """
    snippets = {"show_snippet": CATEGORIES[category].snippets}
    rows = by_id(read_rows(release, questions_file(category)))
    truths = read_truths(release, category, rows)
    entries = []
    for key, row in rows.items():
        apis = row.texts("involved_classes")
        entries.append(
            Entry(
                entry_id=key.replace("web_search", category),
                category=category,
                turns=_with_answer_format(row, answer_format),
                functions=tuple(_involved_functions(row, apis, docs)),
                truth=truths[key].answer,
                apis=apis,
                initial_state=dict.fromkeys(apis, snippets),
                source=truths[key].source,
            )
        )
    return entries


def read_memory(release: Release, category: str, docs: ApiDocs, answer_format: str) -> list[Entry]:
    """The prerequisite sessions of a memory category, scenario by scenario, then its questions.

    A session depends on the earlier ones of its scenario, a question on all of them. answer_format: the
    system message before every question.
    """
    sessions = {scenario: _sessions(release, category, docs, scenario) for scenario in SCENARIOS}
    rows = by_id(read_rows(release, questions_file(category)))
    truths = read_truths(release, category, rows)
    entries = [session for chain in sessions.values() for session in chain]
    for key, row in rows.items():
        scenario = row.get("scenario", str)
        if scenario not in sessions:
            raise malformed_release(row.where, f"a scenario of {', '.join(SCENARIOS)}", repr(scenario))
        entries.append(
            Entry(
                entry_id=key.replace("memory", category),
                category=category,
                turns=_with_answer_format(row, answer_format),
                functions=tuple(_involved_functions(row, _memory_apis(category), docs)),
                truth=truths[key].answer,
                apis=_memory_apis(category),
                depends_on=tuple(session.entry_id for session in sessions[scenario]),
                scenario=scenario,
                source=truths[key].source,
            )
        )
    return entries


def _sessions(release: Release, category: str, docs: ApiDocs, scenario: str) -> list[Entry]:
    chain: list[Entry] = []
    for key, row in by_id(read_rows(release, sessions_file(scenario))).items():
        session = Entry(
            entry_id=key.replace("memory", category),
            category=category,
            turns=read_turns(row),
            functions=tuple(_involved_functions(row, _memory_apis(category), docs)),
            apis=_memory_apis(category),
            depends_on=tuple(earlier.entry_id for earlier in chain),
            prerequisite=True,
            scenario=scenario,
        )
        chain.append(session)
    return chain


def _memory_apis(category: str) -> tuple[str, ...]:
    backend = CATEGORIES[category].backend
    return () if backend is None else (backend.value,)


def _with_answer_format(row: JsonLine, answer_format: str) -> tuple[tuple[Message, ...], ...]:
    """The turns of `row` with the system message of the answer format as the first message."""
    first, *later = read_turns(row)
    return ({"role": "system", "content": answer_format}, *first), *later
