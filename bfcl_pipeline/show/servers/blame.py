"""Whose fault each wrong answer is: the entry's, the server's, a limit's, or the model's.

The server is at fault if our reader finds other calls in what the model wrote than the server did, and the
verdict turns with them; in a conversation, whose later steps depend on each call, a call that was lost or
invented is enough. Covers answers in mode fc. Pure, but for the reading of a run.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.descriptions import overall_weights
from bfcl_pipeline.benchmark.records import AnswerClass, Json, Rules, Status, Verdict
from bfcl_pipeline.dialogue.calls import FAILED
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.judge.scoring.intervals import ScoredEntries, precisions
from bfcl_pipeline.show.servers.formats import Format
from bfcl_pipeline.show.servers.losses import as_text, read_calls
from bfcl_pipeline.show.servers.reader import read_written
from bfcl_pipeline.show.servers.recorded import ServedAnswer, judged
from bfcl_pipeline.world.tools import Constants

_CUT = frozenset({"length", "max_tokens", "MAX_TOKENS", "max_output_tokens"})
"""Finish reasons of answers that reached a limit, in the terms of the APIs."""

_THOUGHT = "</think>"
"""What ends a model's reasoning; calls before it are not meant."""


class Cause(StrEnum):
    """What a wrong answer is put down to; of several, the first of this list."""

    ENTRY = "entry or checker"  # the errata mend or leave out the entry, or a checker's defect decides
    LOST = "server lost or changed a call"
    INVENTED = "server invented a call"
    CUT = "cut off"
    FORM = "no answer form"
    MODEL = "model"


SERVER = (Cause.LOST, Cause.INVENTED)

OVERALL = "overall"
"""In the place of a category: all of them."""


@dataclass(frozen=True, slots=True)
class Blamed:
    """One answer with a verdict."""

    entry_id: str
    category: str
    valid: bool  # the official verdict
    cause: Cause | None  # of a wrong answer, or of one that is right by accident; else None
    step: int = 0  # the first that the server read otherwise, if it is the cause


@dataclass(frozen=True, slots=True)
class Share:
    """What one cause costs."""

    cause: Cause
    category: str  # or `overall`
    wrong: int  # answers
    accidental: int  # right answers that would be wrong without the cause
    points: float  # of the score of the category, or of the overall score: wrong answers
    low: float | None  # of the 95 % interval, clustered
    high: float | None


def blame(answer: ServedAnswer, constants: Constants, form: Format | None = None) -> Blamed | None:
    """The cause of one answer; None if it has no verdict.

    Args:
        constants: of the release.
        form: in which the model writes calls; None: any, and then no call is put down as invented.
    """
    judge = Judge(answer.entry, constants)
    official, verified = judged(answer, judge, (Rules.OFFICIAL, Rules.VERIFIED))
    if official.valid is None:
        return None
    cause, step = _cause(answer, official, verified), 0
    if cause is not Cause.ENTRY:
        of_server, step = _server(answer, judge, official, form)
        cause = of_server or cause
    return Blamed(answer.entry.entry_id, answer.entry.category, official.valid, cause, step)


def _cause(answer: ServedAnswer, official: Verdict, verified: Verdict) -> Cause | None:
    """The cause of an answer that the server read as it was written."""
    left_out = verified.status is Status.LEFT_OUT
    if (left_out and not official.valid) or verified.valid is (not official.valid):
        return Cause.ENTRY
    if official.valid:
        return None
    if answer.response.steps and answer.response.steps[-1].finish_reason in _CUT:
        return Cause.CUT
    no_form = official.answer_class in (AnswerClass.NO_ANSWER_FORM, AnswerClass.MALFORMED_CALL)
    return Cause.FORM if no_form or official.unread_call or official.error_type == FAILED else Cause.MODEL


def _server(
    answer: ServedAnswer, judge: Judge, official: Verdict, form: Format | None
) -> tuple[Cause | None, int]:
    """What the server did, if the verdict depends on it, and in which step first."""
    others: dict[int, Json] = {}
    cause, another_count = None, False
    for number, step in enumerate(answer.steps):
        found = read_calls(step.result)
        text = step.written.text.rpartition(_THOUGHT)[2]
        calls = read_written(form, text, answer.tools)
        recorded = found and step.written.tokens and form
        invented = recorded and not read_written(form, step.written.text, answer.tools)
        if not (calls or invented) or as_text(found) == as_text(calls):
            continue
        others[number] = [{name: json.dumps(arguments)} for name, arguments in calls] or text
        cause = cause or (Cause.LOST if calls else Cause.INVENTED)
        another_count = another_count or len(calls) != len(found)
    if cause is None:
        return None, 0
    if another_count and not official.valid and not CATEGORIES[answer.entry.category].single_turn:
        return cause, min(others)
    verdict = judged(answer, judge, (Rules.OFFICIAL,), others)[0]
    return (cause, min(others)) if verdict.valid is (not official.valid) else (None, 0)


def shares(blamed: Iterable[Blamed]) -> list[Share]:
    """What each cause costs, overall and by category; categories without an answer are left out."""
    answers = list(blamed)
    if not answers:
        return []
    scope = ScoredEntries([(one.category, one.entry_id) for one in answers]).scope(np.arange(len(answers)))
    weights = overall_weights()
    found = []
    for cause in Cause:
        of_cause = [one for one in answers if one.cause is cause]
        limits = precisions(np.array([one.cause is cause and not one.valid for one in answers]), scope)
        wrong = Counter(one.category for one in of_cause if not one.valid)
        right = Counter(one.category for one in of_cause if one.valid)
        points = {name: 100 * wrong[name] / limits[name].entries for name in scope.categories}
        points[OVERALL] = sum(weights[name] * points[name] for name in scope.categories)
        wrong[OVERALL], right[OVERALL] = wrong.total(), right.total()
        for name in (OVERALL, *scope.categories):
            known = limits.get(name)
            ends = (None, None) if known is None else (100 * known.low, 100 * known.high)
            found.append(Share(cause, name, wrong[name], right[name], points[name], *ends))
    return found
