"""The retired categories of V1: calls that are executed, REST requests, SQL and chats without functions.

Covers their forms, which differ from those of V4: the truth of an executed entry is a list of call texts,
each with how its value is compared; that of a REST entry is a recorded response, beside its reference
request; SQL questions are not in turns, and chats have no ids. Also covers the calls of the release with
recorded values.
"""

from collections.abc import Sequence

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry, Json, Message
from bfcl_pipeline.benchmark.staging.json_lines import (
    JsonLine,
    by_id,
    malformed_release,
    parse_json,
    read_functions,
    read_rows,
    read_turns,
)
from bfcl_pipeline.benchmark.staging.release_files import (
    RECORDED_CALLS,
    REFERENCE_REQUESTS,
    questions_file,
    truths_file,
)
from bfcl_pipeline.benchmark.staging.single_turn import read_single_turn
from bfcl_pipeline.benchmark.staging.source import Release

MATCHES = ("exact_match", "real_time_match", "structural_match")
"""How the value of a call is compared with that of the expected call, in the release's terms."""


def read_executable(release: Release, category: str) -> list[Entry]:
    """The entries of a category whose calls are executed, in the release's order.

    truth: a list of {call: text, match: one of MATCHES}; of a REST entry {response: JSON, request: text}.
    """
    rows = by_id(read_rows(release, questions_file(category)))
    truths = by_id(read_rows(release, truths_file(category) or ""))
    for key in sorted(rows.keys() ^ truths.keys()):
        raise malformed_release(
            questions_file(category), "one truth per entry", f"{key!r} in only one file"
        )
    rest = CATEGORIES[category].check is Check.REST
    requests = _reference_requests(release, len(rows)) if rest else ()
    return [
        Entry(
            entry_id=key,
            category=category,
            turns=read_turns(row),
            functions=read_functions(row),
            truth=_rest_truth(truths[key], requests[place]) if rest else _calls(truths[key]),
        )
        for place, (key, row) in enumerate(rows.items())
    ]


def read_sql(release: Release, category: str) -> list[Entry]:
    """The entries of `sql`, which are as those of V4, but for questions that are not in turns."""
    return read_single_turn(release, category, _only_turn)


def read_chatable(release: Release, category: str) -> list[Entry]:
    """The entries of `chatable`, numbered in the release's order: a text, and no function is offered."""
    rows = read_rows(release, questions_file(category))
    return [
        Entry(
            entry_id=f"{category}_{number}",
            category=category,
            turns=(({"role": "user", "content": row.get("question", str)},),),
            functions=(),
        )
        for number, row in enumerate(rows)
    ]


def read_recorded_calls(release: Release, entries: Sequence[Entry]) -> dict[str, Json]:
    """The content of recorded_calls.json: what is known of the network without using it.

    entries: those whose calls are executed. Returns `calls`, a list of {call, value}, of which the last
    one counts if a call occurs twice; `truths`, the distinct texts of all expected calls; and `requests`,
    a list of {request, response}, the reference requests of REST entries with their recorded responses.
    """
    calls: list[dict[str, Json]] = []
    for row in read_rows(release, RECORDED_CALLS):
        texts, values = row.texts("ground_truth"), row.get("execution_result", list)
        if len(texts) != len(values):
            raise malformed_release(row.where, "one value for each call", f"{len(values)} for {len(texts)}")
        calls.extend({"call": text, "value": value} for text, value in zip(texts, values, strict=True))
    executed = [entry for entry in entries if CATEGORIES[entry.category].check is not Check.REST]
    rest = [entry for entry in entries if CATEGORIES[entry.category].check is Check.REST]
    truths = dict.fromkeys(call["call"] for entry in executed for call in entry.truth)
    return {"calls": calls, "truths": [*truths], "requests": [entry.truth for entry in rest]}


def _only_turn(row: JsonLine) -> tuple[tuple[Message, ...], ...]:
    return read_turns(JsonLine(row.where, {"question": [row.get("question", list)]}))


def _calls(row: JsonLine) -> list[dict[str, str]]:
    texts, matches = row.texts("ground_truth"), row.texts("execution_result_type")
    if len(matches) < len(texts) or not set(matches) <= set(MATCHES):
        raise malformed_release(row.where, f"one of {', '.join(MATCHES)} for each call", ", ".join(matches))
    return [{"call": text, "match": match} for text, match in zip(texts, matches, strict=False)]


def _rest_truth(row: JsonLine, request: str) -> dict[str, Json]:
    return {"request": request, "response": parse_json(row.where, row.get("ground_truth", str).encode())}


def _reference_requests(release: Release, count: int) -> list[str]:
    rows = read_rows(release, REFERENCE_REQUESTS)
    numbers = [row.get("idx", int) for row in rows]
    if numbers != [*range(count)]:
        wanted = f"{count} requests with `idx` from 0 in order"
        raise malformed_release(REFERENCE_REQUESTS, wanted, f"{len(rows)} beginning with {numbers[:3]}")
    return [row.get("ground_truth", str) for row in rows]
