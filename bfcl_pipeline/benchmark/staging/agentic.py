"""Entries of the agentic categories: memory on three backends, web search with and without snippets.

Covers what the release does not contain as such: ids by category, the prerequisite sessions of a memory
scenario and their order, and the system message with the answer format.
"""

from dataclasses import dataclass

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Message
from bfcl_pipeline.benchmark.staging.json_lines import by_id, malformed_release, read_rows, read_turns
from bfcl_pipeline.benchmark.staging.multi_turn import ApiDocs, involved_functions
from bfcl_pipeline.benchmark.staging.release_files import SCENARIOS, questions_file, sessions_file
from bfcl_pipeline.benchmark.staging.single_turn import read_truths
from bfcl_pipeline.benchmark.staging.source import Release

_Turns = tuple[tuple[Message, ...], ...]


@dataclass(frozen=True, slots=True)
class AgenticInputs:
    """The inputs of all agentic categories."""

    release: Release  # questions, truths, sessions
    docs: ApiDocs  # function docs by API
    answer_format: str  # system message before every scored question


def read_web_search(inputs: AgenticInputs, category: str) -> list[Entry]:
    """The entries of a web search category, in the release's order."""
    rows = by_id(read_rows(inputs.release, questions_file(category)))
    truths = read_truths(inputs.release, category, rows)
    entries = []
    for key, row in rows.items():
        apis = row.texts("involved_classes")
        entries.append(
            Entry(
                entry_id=key.replace("web_search", category),
                category=category,
                turns=_with_answer_format(read_turns(row), inputs.answer_format),
                functions=tuple(involved_functions(row, apis, inputs.docs)),
                truth=truths[key].answer,
                apis=apis,
                initial_state={api: {"show_snippet": CATEGORIES[category].snippets} for api in apis},
                source=truths[key].source,
            )
        )
    return entries


def read_memory(inputs: AgenticInputs, category: str) -> list[Entry]:
    """The prerequisite sessions of a memory category, scenario by scenario, then its questions.

    A session depends on the earlier ones of its scenario, a question on all of them.
    """
    apis = _memory_apis(category)
    sessions = {scenario: _sessions(inputs, category, scenario) for scenario in SCENARIOS}
    rows = by_id(read_rows(inputs.release, questions_file(category)))
    truths = read_truths(inputs.release, category, rows)
    entries = [session for chain in sessions.values() for session in chain]
    for key, row in rows.items():
        scenario = row.get("scenario", str)
        if scenario not in sessions:
            raise malformed_release(row.where, f"a scenario of {', '.join(SCENARIOS)}", repr(scenario))
        entries.append(
            Entry(
                entry_id=key.replace("memory", category),
                category=category,
                turns=_with_answer_format(read_turns(row), inputs.answer_format),
                functions=tuple(involved_functions(row, apis, inputs.docs)),
                truth=truths[key].answer,
                apis=apis,
                depends_on=tuple(session.entry_id for session in sessions[scenario]),
                scenario=scenario,
                source=truths[key].source,
            )
        )
    return entries


def _sessions(inputs: AgenticInputs, category: str, scenario: str) -> list[Entry]:
    apis = _memory_apis(category)
    chain: list[Entry] = []
    for key, row in by_id(read_rows(inputs.release, sessions_file(scenario))).items():
        session = Entry(
            entry_id=key.replace("memory", category),
            category=category,
            turns=read_turns(row),
            functions=tuple(involved_functions(row, apis, inputs.docs)),
            apis=apis,
            depends_on=tuple(earlier.entry_id for earlier in chain),
            prerequisite=True,
            scenario=scenario,
        )
        chain.append(session)
    return chain


def _memory_apis(category: str) -> tuple[str, ...]:
    backend = CATEGORIES[category].backend
    return () if backend is None else (backend.value,)


def _with_answer_format(turns: _Turns, answer_format: str) -> _Turns:
    """`turns` with the system message of the answer format as the first message."""
    first, *later = turns
    return ({"role": "system", "content": answer_format}, *first), *later
