"""Plays the conversations on the web again and reduces each to what the tables count.

Only the reduced form is kept: the pages of one conversation can have megabytes. No search and no page is
requested.
"""

from collections.abc import Iterator

from bfcl_pipeline.base.errors import MalformedRelease, TableError
from bfcl_pipeline.benchmark.config.job import SEARCH_TOOL
from bfcl_pipeline.benchmark.records import Call, Entry, Json, Mode
from bfcl_pipeline.dialogue.calls import Steps
from bfcl_pipeline.judge.scoring.agentic import last_message
from bfcl_pipeline.judge.scoring.web_queries import question_text
from bfcl_pipeline.judge.scoring.web_results import Place, places, result_failed
from bfcl_pipeline.judge.scoring.web_use import FETCH_TOOL, WebCall, WebWork, subquestions
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.playback.conditions import Conditions, read_conditions
from bfcl_pipeline.show.playback.conversation import PlayedCall, play_agentic

NO_TOOLS = "off"
"""The value of the column `web` of an answer to which no web tools were offered."""


def web_conditions(run: Run) -> Conditions | None:
    """The conditions of a run; None if the data do not suffice to play its conversations again.

    Raises ConfigError if the recorded config cannot be read.
    """
    try:
        return read_conditions(run)
    except MalformedRelease:  # not staged, or staged by another version: the scores do not need it
        return None


def web_work(
    entry: Entry,
    steps: Steps,
    result: Json,
    mode: Mode,
    web: str | None,
    conditions: Conditions | None,
    model: str | None = None,
) -> WebWork:
    """What a model did at one web question.

    Args:
        entry: the question.
        steps: the calls of each step.
        result: the answer with these steps in the official form, parsed.
        mode: how it has calls.
        web: the column `web` of the response.
        conditions: those of the run; None: no result is known.
        model: its name in the run.
    """
    calls: list[WebCall] = []
    found: set[Place] = set()
    if web != NO_TOOLS:
        played = _played(entry, steps, result, mode, web, conditions, model)
        for call, seen in _web_calls(played, conditions.web.search_tool if conditions else SEARCH_TOOL):
            calls.append(call)
            if seen is not None:
                found |= places(seen, _answers(entry))
    one_turn = result[0] if isinstance(result, list) and len(result) == 1 else None
    return WebWork(
        question=question_text(entry),
        hops=subquestions(entry),
        steps=len(steps),
        calls=tuple(calls),
        message=last_message(one_turn, mode),
        places=frozenset(found),
    )


def _played(
    entry: Entry,
    steps: Steps,
    result: Json,
    mode: Mode,
    web: str | None,
    conditions: Conditions | None,
    model: str | None,
) -> list[list[tuple[Call, str | None]]]:
    """The calls of each step with their results; None for one that is not recorded."""
    if conditions is None or not any(steps):
        return [[(call, None) for call in calls] for calls in steps]
    try:
        turns = play_agentic(entry, result, mode, conditions, web, model=model)
    except TableError:  # the questions that the simulated web is made of are not staged
        return [[(call, None) for call in calls] for calls in steps]
    return [[(played.call, _seen(played)) for played in step.calls] for turn in turns for step in turn]


def _seen(played: PlayedCall) -> str | None:
    return played.result if played.recorded else None


def _web_calls(
    steps: list[list[tuple[Call, str | None]]], search_tool: str
) -> Iterator[tuple[WebCall, str | None]]:
    """The calls of offered tools among those of each step, with their results."""
    for number, calls in enumerate(steps):
        for call, seen in calls:
            if call.name in (search_tool, FETCH_TOOL):
                asked = call.arguments.get("url" if call.name == FETCH_TOOL else "keywords")
                failed = None if seen is None else result_failed(seen)
                yield WebCall(number, call.name == search_tool, str(asked or ""), failed), seen


def _answers(entry: Entry) -> list[str]:
    truth = entry.truth if isinstance(entry.truth, list) else []
    return [answer for answer in truth if isinstance(answer, str)]
