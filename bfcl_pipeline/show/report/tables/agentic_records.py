"""The recorded conversations with a memory or on the web: verdicts, answers, sessions, and work on the web.

Covers the agentic categories of a run that have verdicts. Entries and categories that are not staged are
left out: the scores do not need them. Conversations on the web are played again, of which only what the
tables count is kept: the pages of one can have megabytes. No search and no page is requested.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from bfcl_pipeline.base.errors import MalformedRelease, TableError
from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.benchmark.config.job import SEARCH_TOOL
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.records import Call, Entry, Json, Mode, Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.calls import Steps, calls_by_step
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.judge.scoring.agentic import last_message
from bfcl_pipeline.judge.scoring.web_results import Place, places, question_text, result_failed
from bfcl_pipeline.judge.scoring.web_use import FETCH_TOOL, WebCall, WebWork, subquestions
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.playback.conditions import Conditions, read_conditions
from bfcl_pipeline.show.playback.conversation import play
from bfcl_pipeline.show.report.tables.run_records import AnswerTables, RunRecords, by_model
from bfcl_pipeline.world.tools import Constants

NO_TOOLS = "off"
"""The value of the column `web` of an answer to which no web tools were offered."""

MOST_ASKED = 10_000
"""Results of a search that a call may ask for to be counted: more is not a number of results."""

Entries = Mapping[str, Mapping[str, Entry]]
"""Staged entries by category and id, in the release's order."""


@dataclass(frozen=True, slots=True)
class AgenticAnswer:
    """One recorded conversation of a model: at a question, or in a session before the questions."""

    entry: Entry
    steps: Steps  # empty if there is no answer
    web: str | None = None  # the web that was searched
    snapshot: Json = None  # the memory after a session; None if the session failed
    result: Json = None  # in the official form, parsed
    mode: Mode = Mode.FC  # how the result has calls

    @property
    def calls(self) -> list[Call]:
        """All its calls, in order."""
        return [call for step in self.steps for call in step]


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """One question with its verdict."""

    entry: Entry
    valid: bool | None  # None without a verdict
    answer: AgenticAnswer | None  # the answer; None if only the verdict is recorded
    error_type: str | None = None  # of the verdict
    answer_class: str | None = None  # of the verdict; None also if it is not recorded


@dataclass(frozen=True, slots=True)
class AgenticRecords:
    """The agentic categories of one model: what the tables on memory and web search are made of."""

    model: str
    verdicts: Mapping[tuple[str, str], Sequence[ScoredQuestion]]  # by rules and category; entries in order
    sessions: Mapping[str, Sequence[AgenticAnswer]]  # by category; in order
    answers: Mapping[str, Sequence[AgenticAnswer]]  # to the questions, by category; in order
    constants: Constants | None  # of the memories; None if there are no sessions
    web: Mapping[str, Mapping[str, WebWork]]  # what was done on the web, by category and entry id


def read_agentic(
    data: Path, records: RunRecords, conditions: Conditions | None = None
) -> Iterator[AgenticRecords]:
    """The agentic categories of `records`, by model in order of name. Raises TableError.

    One model at a time: the conversations of a hundred models would not fit into memory.

    conditions: those of the run, to play web conversations again; None: results of web calls are not known.
    """
    verdicts = records.verdicts.filter(pl.col("category").is_in(GROUPS["agentic"]))
    staged = _read_entries(data, set(verdicts["category"]))
    constants = None
    for model, own in sorted(by_model(verdicts).items()):
        scored = set(own["category"])
        entries = {category: of_category for category, of_category in staged.items() if category in scored}
        answers = _answers(records.responses, model, entries)
        sessions = _answers(records.sessions, model, entries)
        if sessions and constants is None:
            constants = read_constants(data)
        verdicts_of = _verdicts(own, answers, entries)
        web = {
            category: {each.entry.entry_id: web_work(each, conditions, model) for each in of_category}
            for category, of_category in answers.items()
            if category in GROUPS["web_search"]
        }
        of_memory = constants if sessions else None
        yield AgenticRecords(model, verdicts_of, sessions, answers, of_memory, web)


def _read_entries(data: Path, categories: Collection[str]) -> Entries:
    paths = {name: entries_path(data, name) for name in CATEGORIES if name in categories}
    return {
        name: {entry.entry_id: entry for entry in read_entries(path)}
        for name, path in paths.items()
        if path.is_file()
    }


def _answers(tables: AnswerTables, model: str, entries: Entries) -> dict[str, list[AgenticAnswer]]:
    """The answers of a model by category, in the order of entries."""
    rows: dict[str, dict[str, dict[str, Any]]] = {}
    for row in tables.read(model, entries, ("entry_id", "mode", "result_json", "web", "snapshot_json")):
        rows.setdefault(row["category"], {})[row["entry_id"]] = row
    return {
        category: [
            _answer(entry, rows[category][entry_id])
            for entry_id, entry in of_category.items()
            if entry_id in rows[category]
        ]
        for category, of_category in entries.items()
        if category in rows
    }


def _answer(entry: Entry, row: Mapping[str, Any]) -> AgenticAnswer:
    result, mode = loaded_json(row["result_json"]), Mode(row["mode"])
    steps = calls_by_step(result, mode)
    return AgenticAnswer(entry, steps, row["web"], loaded_json(row["snapshot_json"]), result, mode)


def web_conditions(run: Run) -> Conditions | None:
    """The conditions of a run; None if the data do not suffice to play its conversations again.

    Raises ConfigError if the recorded config cannot be read.
    """
    try:
        return read_conditions(run)
    except MalformedRelease:  # not staged: the scores do not need it
        return None


def web_work(answer: AgenticAnswer, conditions: Conditions | None, model: str | None = None) -> WebWork:
    """What a model did at one web question.

    Args:
        answer: to the question.
        conditions: those of the run; None: no result is known.
        model: its name in the run.
    """
    truth = answer.entry.truth if isinstance(answer.entry.truth, list) else []
    wanted = [text for text in truth if isinstance(text, str)]
    search_tool = conditions.web.search_tool if conditions else SEARCH_TOOL
    calls: list[WebCall] = []
    found: set[Place] = set()
    for number, step in enumerate(_played(answer, conditions, model) if answer.web != NO_TOOLS else ()):
        for call, seen in step:
            if call.name in (search_tool, FETCH_TOOL):
                failed = None if seen is None else result_failed(seen)
                calls.append(_web_call(number, call, call.name == search_tool, failed))
                found |= set() if seen is None else places(seen, wanted)
    result = answer.result
    one_turn = result[0] if isinstance(result, list) and len(result) == 1 else None
    return WebWork(
        question=question_text(answer.entry),
        hops=subquestions(answer.entry),
        steps=len(answer.steps),
        calls=tuple(calls),
        message=last_message(one_turn, answer.mode),
        places=frozenset(found),
    )


def _web_call(step: int, call: Call, is_search: bool, failed: bool | None) -> WebCall:
    """A call of a web tool; what it leaves out has the default of the release."""
    given = call.arguments
    if not is_search:
        return WebCall(step, False, str(given.get("url") or ""), failed, mode=str(given.get("mode", "raw")))
    number, region = given.get("max_results", 10), given.get("region") or "wt-wt"
    asked = number if type(number) is int and 0 <= number <= MOST_ASKED else None
    return WebCall(step, True, str(given.get("keywords") or ""), failed, "", str(region), asked)


def _played(
    answer: AgenticAnswer, conditions: Conditions | None, model: str | None
) -> list[list[tuple[Call, str | None]]]:
    """The calls of each step with their results; None for one that is not recorded."""
    unknown: list[list[tuple[Call, str | None]]] = [
        [(call, None) for call in calls] for calls in answer.steps
    ]
    if conditions is None or not answer.calls:
        return unknown
    try:
        turns = play(answer.entry, answer.result, answer.mode, conditions, answer.web, model=model)
    except TableError:  # the questions that the simulated web is made of are not staged
        return unknown
    return [
        [(played.call, played.result if played.recorded else None) for played in step.calls]
        for turn in turns
        for step in turn
    ]


def _verdicts(
    frame: pl.DataFrame, answers: Mapping[str, Sequence[AgenticAnswer]], entries: Entries
) -> dict[tuple[str, str], list[ScoredQuestion]]:
    """The questions with verdicts by rule set and category, in the order of entries."""
    verdicts: dict[tuple[str, str], dict[str, list[Any]]] = {}
    columns = ("rules", "category", "entry_id", "valid", "error_type", "answer_class")
    for rules, category, entry_id, *verdict in frame.select(columns).iter_rows():
        verdicts.setdefault((rules, category), {})[entry_id] = verdict
    found = {}
    for category, of_category in entries.items():
        by_id = {answer.entry.entry_id: answer for answer in answers.get(category, ())}
        for rules in Rules:
            given = verdicts.get((rules.value, category), {})
            questions = [
                ScoredQuestion(entry, given[entry_id][0], by_id.get(entry_id), *given[entry_id][1:])
                for entry_id, entry in of_category.items()
                if entry_id in given
            ]
            if questions:
                found[rules.value, category] = questions
    return found
