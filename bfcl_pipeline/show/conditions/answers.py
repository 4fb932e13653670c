"""What one condition of a run answered: marks of each entry, and how fast its requests were answered."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median

from bfcl_pipeline.ask.models.adapters.openai_chat import ORDER_OF_CALLS
from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import AnswerClass, Json, Mode, Response, Rules, Status
from bfcl_pipeline.benchmark.tables import read_responses, read_table
from bfcl_pipeline.dialogue.calls import FAILED
from bfcl_pipeline.judge.scoring.usage import CUT_OFF, percentile
from bfcl_pipeline.runs.archived.exchanges import exchanges_of
from bfcl_pipeline.runs.journal import JournaledExchange
from bfcl_pipeline.runs.run import Run

MEASURES = ACCURACY, UNREAD, MALFORMED, STARVED, NO_ANSWER = (
    "accuracy",  # of the answers with a verdict, as all but the last
    "unread",  # a call in the text was not read by the server
    "malformed",  # a call cannot be decoded, or its arguments are not JSON
    "starved",  # the answer reached its limit of tokens without a call
    "failed",  # the server gave no answer; only this is known of such an entry
)
"""Shares of entries."""

_VERDICT = ("category", "entry_id", "rules", "valid", "error_type", "status", "answer_class", "unread_call")


@dataclass(frozen=True, slots=True)
class Speed:
    """How requests were answered, by the journal."""

    requests: int  # with an answer
    requests_per_second: float  # while any was on its way
    tokens_per_second: float  # likewise, received
    median_seconds: float  # of one request
    p95_seconds: float  # of one request, 95th percentile
    disordered: int  # streams whose calls do not begin in their order


@dataclass(frozen=True, slots=True)
class Answers:
    """What one condition answered."""

    condition: str  # empty: the row as it is
    speed: Speed | None = None  # None: no journal has its exchanges
    marks: dict[tuple[str, str], dict[str, bool]] = field(default_factory=dict)
    """By category and id of an entry, each of MEASURES that is known: of one that failed, that alone."""

    def share(self, measure: str) -> float | None:
        """Of the entries of which the measure is known; None if there is none."""
        known = [marks[measure] for marks in self.marks.values() if measure in marks]
        return sum(known) / len(known) if known else None


def read_answers(run: Run, model: str, condition: str, rules: Rules) -> Answers:
    """The answers of one model of a run. Raises TableError or JournalError if a file is damaged."""
    folder = run.models[model]
    answers = Answers(condition, _speed(exchanges_of(run, folder)))
    verdicts = {
        (row["category"], row["entry_id"]): row
        for row in read_table(run.verdicts(model), _VERDICT).to_pylist()
        if row["rules"] == rules.value and row["status"] != Status.LEFT_OUT.value
    }
    for path in sorted((run.folder / "responses" / folder).glob("*.parquet")):
        for response in read_responses(path):
            key = (response.category, response.entry_id)
            if key in verdicts:
                answers.marks[key] = _marks(response, verdicts[key])
    return answers


def _marks(response: Response, verdict: Mapping[str, Json]) -> dict[str, bool]:
    if verdict["valid"] is None:
        return {NO_ANSWER: True}
    result, by_prompt = loaded_json(response.result_json), response.mode is Mode.PROMPT
    single = CATEGORIES[response.category].single_turn
    steps = [result] if single else [step for turn in result or () for step in turn or ()]
    cut = [step.finish_reason in CUT_OFF for step in response.steps]
    starved = any(of and isinstance(step, str) for of, step in zip(cut, steps, strict=False))
    undecoded = by_prompt and verdict["error_type"] == FAILED
    malformed = (
        verdict["answer_class"] == AnswerClass.MALFORMED_CALL or undecoded or any(map(_broken, steps))
    )
    return {
        ACCURACY: bool(verdict["valid"]),
        UNREAD: bool(verdict["unread_call"]),
        MALFORMED: malformed and not starved,
        STARVED: starved and not (by_prompt and verdict["valid"]),
        NO_ANSWER: False,
    }


def _broken(step: Json) -> bool:
    """Whether a step has a call whose arguments are not an object of JSON."""
    calls = step if isinstance(step, list) else ()
    return any(
        isinstance(text, str) and not isinstance(loaded_json(text or "{}"), dict)
        for call in calls
        if isinstance(call, dict)
        for text in call.values()
    )


def _speed(exchanges: Iterable[JournaledExchange]) -> Speed | None:
    seconds, spans, tokens, disordered = [], [], 0, 0
    for one in exchanges:
        latency = one.latency_seconds or 0.0
        end = datetime.fromisoformat(one.received_at).timestamp()
        seconds.append(latency)
        spans.append((end - latency, end))
        tokens += one.output_tokens or 0
        disordered += isinstance(one.raw, dict) and ORDER_OF_CALLS in one.raw
    if not seconds:
        return None
    busy, until = 0.0, 0.0
    for begin, end in sorted(spans):
        busy += max(0.0, end - max(begin, until))
        until = max(until, end)
    per_second = 1 / busy if busy else 0.0
    rates = (len(seconds) * per_second, tokens * per_second)
    return Speed(len(seconds), *rates, median(seconds), percentile(seconds), disordered)
