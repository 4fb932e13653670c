"""A synthetic run of one memory and one web category: entries, sessions, answers and verdicts as tables."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa

from bfcl_pipeline.benchmark.records import Entry, Json, Mode, Response, Rules
from bfcl_pipeline.benchmark.tables import entries_path, write_entries, write_responses, write_table
from bfcl_pipeline.benchmark.tables.responses import write_sessions
from bfcl_pipeline.benchmark.tables.schemas import VERDICTS
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run

MODEL = "m"
CONSTANTS = {
    "memory_kv": {
        "MAX_CORE_MEMORY_SIZE": 1,
        "MAX_CORE_MEMORY_ENTRY_LENGTH": 100,
        "MAX_ARCHIVAL_MEMORY_SIZE": 9,
        "MAX_ARCHIVAL_MEMORY_ENTRY_LENGTH": 100,
    }
}
HOPS = (
    ("Where does the oldest bakery stand?", "Yville"),
    ("Which river flows through Yville?", "x"),
    ("How long is it?", "7 km"),
)
"""Sub-questions and answers, of which the first ones are the chain of a web question."""


def asked(text: str) -> tuple[tuple[dict[str, str], ...], ...]:
    return (({"role": "system", "content": "Answer."}, {"role": "user", "content": text}),)


def session(number: int) -> Entry:
    earlier = tuple(f"memory_kv_prereq_{before}-student-{before}" for before in range(number))
    return Entry(
        f"memory_kv_prereq_{number}-student-{number}",
        "memory_kv",
        asked("I tell you something."),
        (),
        apis=("MemoryAPI_kv",),
        depends_on=earlier,
        prerequisite=True,
        scenario="student",
    )


def fact(number: int, *answers: str) -> Entry:
    return Entry(
        f"memory_kv_{number}-student-{number}",
        "memory_kv",
        asked("What did I tell you?"),
        (),
        truth=list(answers),
        apis=("MemoryAPI_kv",),
        depends_on=(session(0).entry_id, session(1).entry_id),
        scenario="student",
    )


def web_question(number: int, hops: int) -> Entry:
    chain = [
        {"subquestion": asks, "answer": says, "source": "https://a.example"} for asks, says in HOPS[:hops]
    ]
    text = "Which river flows through the town where the oldest bakery stands?"
    return Entry(
        f"web_search_base_{number}",
        "web_search_base",
        asked(text),
        (),
        truth=["x"],
        apis=("WebSearchAPI",),
        source=chain,
    )


def call(name: str, **arguments: Json) -> dict[str, str]:
    return {name: json.dumps(arguments)}


SESSIONS = [
    (
        session(0),
        [[[call("core_memory_add", key="city", value="Oslo"), call("core_memory_add", key="b", value="")]]],
        {"core_memory": {"city": "Oslo"}, "archival_memory": {}},
    ),
    (
        session(1),
        [[[call("core_memory_clear"), call("archival_memory_add", key="pet", value="a cat")], "Noted."]],
        {"core_memory": {}, "archival_memory": {"pet": "a cat"}},
    ),
]
"""The first stores a city and fails to store more; the second forgets it and stores a pet."""

QUESTIONS = [
    (fact(0, "Oslo"), [[[call("core_memory_retrieve", key="city")], "I do not know"]], False),
    (fact(1, "dog", "cat"), [[[call("archival_memory_list_keys")], "a cat"]], True),
    (fact(2, "blue"), [["I do not know"]], None),
]
"""A fact that was deleted, one that is kept, and one that was never stored and has no verdict."""

SEARCHES = [
    (web_question(0, 2), [["x"]], False),
    (
        web_question(1, 2),
        [[[call("search_engine_query", keywords=web_question(0, 0).turns[0][1]["content"])], "x"]],
        False,
    ),
    (
        web_question(2, 3),
        [
            [
                [call("search_engine_query", keywords="oldest bakery")],
                [call("fetch_url_content", url="https://a.example", mode="truncate")],
                "x",
            ]
        ],
        False,
    ),
    (
        web_question(3, 3),
        [[[call("search_engine_query", keywords="bakery", max_results=4, region="no-no")], "x"]],
        True,
    ),
]
"""Questions: without a search; with the question as the query and without a fetch; with neither failure;
valid."""


def write_agentic_run(folder: Path) -> Path:
    """Writes the run and its tables under `folder`; returns the run's folder."""
    data, run = folder / "data", folder / "run"
    (data / "release").mkdir(parents=True)
    (data / "release" / "texts.json").write_text(json.dumps(CONSTANTS))
    (folder / "models.yaml").write_text("models: []")
    for category, talks in (("memory_kv", QUESTIONS), ("web_search_base", SEARCHES)):
        before = [entry for entry, _, _ in SESSIONS] if category == "memory_kv" else []
        write_entries(entries_path(data, category), [*before, *(entry for entry, _, _ in talks)])
        web = "simulated" if category == "web_search_base" else None
        path = run / "responses" / MODEL / f"{category}.parquet"
        write_responses(path, [_response(entry, result, web) for entry, result, _ in talks])
    write_sessions(
        run / "memory" / MODEL / "memory_kv.parquet",
        [(entry, _response(entry, result), snapshot) for entry, result, snapshot in SESSIONS],
    )
    rows = [_verdict(entry, valid) for entry, _, valid in [*QUESTIONS, *SEARCHES]]
    write_table(run / "verdicts" / f"{MODEL}.parquet", pa.Table.from_pylist(rows, schema=VERDICTS))
    aggregate_run(Run(run, data=data), folder / "models.yaml", Rules.OFFICIAL)
    return run


def _response(entry: Entry, result: Json, web: str | None = None) -> Response:
    return Response(entry.entry_id, entry.category, Mode.FC, json.dumps(result), model=MODEL, web=web)


def _verdict(entry: Entry, valid: bool | None) -> dict[str, Json]:
    return {
        "run": "agentic",
        "model": MODEL,
        "category": entry.category,
        "entry_id": entry.entry_id,
        "mode": "fc",
        "rules": "official",
        "valid": valid,
        "status": "infrastructure_error" if valid is None else "answered",
        "error_type": "agentic:answer_not_found" if valid is False else None,
    }
