"""Our verdicts on published outputs of the category rest beside the official ones.

The table is that of `executable_conformance`. It has no answers of APIs: where one is needed, it is made up
so that it has the official verdict on one output, which must then be the verdict on all outputs with that
request.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq

from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Json, Mode, Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.calls import FAILED, decode_step
from bfcl_pipeline.judge.scoring.judge import default_style
from bfcl_pipeline.judge.scoring.rest import RestChecker
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest, ExecutionFailed, NoApis, api_request
from tests.support.executable_conformance import BARE, FORM, PLAIN, Figure, Row

NETWORK_FAILURES = ("THUDM_glm-4-9b-chat rest_28", "claude-2.1 rest_19")
"""Outputs with the reference request that failed officially, which only the network of the day explains."""

OWN_REQUEST = "official failure on the reference request"
"""Their cause."""

EMPTY = "an empty object among the arguments (rule empty-object)"
"""Why today's default decoder fails where those of 2024 did not."""

_CHECKER = "executable_checker_rest"


class Recorded:
    """An `Apis` of given answers."""

    def __init__(self, answers: Mapping[ApiRequest, ApiAnswer]) -> None:
        self._answers = answers

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The answer. Raises NotRecorded if there is none."""
        if request not in self._answers:
            raise NotRecorded(f"Not given: {request.url}")
        return self._answers[request]


Records = Mapping[str, Recorded]
"""The answers of the APIs for each entry."""


def read_rest_rows(path: Path) -> list[Row]:
    """The rows of the category rest."""
    return [row for row in pq.read_table(path).to_pylist() if row["category"] == "rest"]


def rest_figures(rows: Iterable[Row], data: Path) -> list[Figure]:
    """The figures of all parts. data: the staged benchmark."""
    rows = list(rows)
    entries = {entry.entry_id: entry for entry in read_entries(entries_path(data, "rest"))}
    models = sorted({row["model"] for row in rows})
    given = record_of([row for row in rows if row["model"] in models[::2]], entries)
    others = [row for row in rows if row["model"] in models[1::2]]
    return [
        *without_answers(rows, entries),
        recorded_answers("rest: every second model by the others", others, entries, given),
        *whole_path(rows, entries, record_of(rows, entries)),
    ]


def without_answers(rows: Iterable[Row], entries: Mapping[str, Entry]) -> list[Figure]:
    """Verdicts on the calls that the official code decoded, without any answer of an API."""
    early = Figure("rest: decoding, format, refused by requests")
    reference, other = Figure("rest: reference request"), Figure("rest: other request, no answer")
    for row in rows:
        entry = entries[row["entry_id"]]
        outcome = RestChecker(entry, NoApis()).check_calls(official_calls(row), Rules.OFFICIAL)
        figure = other if outcome.not_recorded is not None else early if outcome.finding else reference
        figure.add(row, outcome, _failed_officially(row))
    return [early, reference, other]


def recorded_answers(
    part: str, rows: Iterable[Row], entries: Mapping[str, Entry], given: Records
) -> Figure:
    """Verdicts on the calls that the official code decoded and that need an answer of an API."""
    figure = Figure(part)
    for row in rows:
        entry = entries[row["entry_id"]]
        check = partial(RestChecker.check_calls, calls=official_calls(row), rules=Rules.OFFICIAL)
        if check(RestChecker(entry, NoApis())).not_recorded is not None:
            figure.add(row, check(RestChecker(entry, given.get(entry.entry_id, NoApis()))))
    return figure


def whole_path(rows: Iterable[Row], entries: Mapping[str, Entry], given: Records) -> list[Figure]:
    """Verdicts on the outputs themselves: native calls, plain prompted models, and other prompted ones.

    Texts of models with native calls are left out, since forms of families are read before scoring.
    """
    native, plain = Figure("rest: whole path, native calls"), Figure("rest: whole path, plain prompted")
    other = Figure("rest: whole path, other prompted")
    for row in rows:
        entry, mode = entries[row["entry_id"]], Mode(row["mode"])
        result = json.loads(row["result"])
        if mode is Mode.FC and not isinstance(result, list):
            continue
        checker = RestChecker(entry, given.get(entry.entry_id, NoApis()))
        outcome = checker.check(result, mode, default_style(mode), (Rules.OFFICIAL,))[0]
        figure = native if mode is Mode.FC else plain if row["model"] in PLAIN else other
        official = official_calls(row)
        cause = None if mode is Mode.FC else _cause(result, official)
        figure.add(row, outcome, _failed_officially(row) or cause)
    return [native, plain, other]


def record_of(rows: Iterable[Row], entries: Mapping[str, Entry]) -> Records:
    """Answers of the APIs that have the official verdicts on `rows`."""
    answers: dict[str, dict[ApiRequest, ApiAnswer]] = {}
    for row in rows:
        entry = entries[row["entry_id"]]
        calls, answer = official_calls(row), _answer(row, entry)
        if answer is None or isinstance(calls, DecodeFailure) or len(calls) != 1:
            continue
        try:
            answers.setdefault(entry.entry_id, {})[api_request(calls[0].arguments)] = answer
        except (ExecutionFailed, NotRecorded):
            continue
    return {entry_id: Recorded(given) for entry_id, given in answers.items()}


def official_calls(row: Row) -> tuple[Call, ...] | DecodeFailure:
    """The calls that the official code read."""
    if row["decoded"] is None:
        return DecodeFailure(FAILED, "It could not be decoded.")
    return tuple(map(_call, json.loads(row["decoded"])))


def _failed_officially(row: Row) -> str | None:
    return OWN_REQUEST if f"{row['model']} {row['entry_id']}" in NETWORK_FAILURES else None


def _cause(result: Json, official: tuple[Call, ...] | DecodeFailure) -> str | None:
    """Why today's default decoder reads other calls than the official one; None: it reads the same."""
    if decode_step(result, Mode.PROMPT) == official:
        return None
    if decode_step(result, Mode.PROMPT, rules=Rules.CORRECTED) == official:
        return EMPTY
    return BARE if isinstance(official, DecodeFailure) else FORM


def _answer(row: Row, entry: Entry) -> ApiAnswer | None:
    """An answer with the official verdict; None if no answer has it."""
    response = entry.truth["response"]
    items = response if isinstance(response, list) else []
    bodies = {
        None: response,
        f"{_CHECKER}:wrong_type": "text",
        f"{_CHECKER}:wrong_key": [{} for _ in items] if items else {},
        "value_error:exec_result_rest_count": [*items, {}],
    }
    if row["official_error_type"] in bodies:
        return ApiAnswer(200, json.dumps(bodies[row["official_error_type"]]))
    others = {
        f"{_CHECKER}:response_format_error": ApiAnswer(200, "<html>"),
        f"{_CHECKER}:wrong_status_code": ApiAnswer(404, ""),
    }
    return others.get(row["official_error_type"])


def _call(text: str) -> Call:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    return Call(ast.unparse(call.func), {part.arg: ast.literal_eval(part.value) for part in call.keywords})
