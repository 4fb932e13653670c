"""The record of an answer: what a model did on an entry, and the verdicts on it.

Covers single answers, conversations in a simulated world, and those with a memory or on the web. Results
of calls are derived by playing the answer again; a result that cannot be derived says so.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from bfcl_pipeline.base.text import cut, loaded_json, on_one_line
from bfcl_pipeline.benchmark.config.job import SEARCH_TOOL
from bfcl_pipeline.benchmark.definition import CATEGORIES, ReturnFormat
from bfcl_pipeline.benchmark.records import (
    Call,
    DecodeFailure,
    Entry,
    Json,
    Mode,
    Response,
    Rules,
    Status,
    Verdict,
)
from bfcl_pipeline.dialogue.calls import write_calls
from bfcl_pipeline.judge.scoring import truth_calls
from bfcl_pipeline.judge.scoring.agentic import answer_field
from bfcl_pipeline.judge.scoring.findings import Finding
from bfcl_pipeline.judge.scoring.judge import MAX_RESULT
from bfcl_pipeline.judge.scoring.single_turn import answer_calls, plan_of
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.show.playback.conversation import PlayedStep, play
from bfcl_pipeline.show.transcripts.entry import has_memory, is_conversation
from bfcl_pipeline.show.transcripts.executed import answer_items
from bfcl_pipeline.show.transcripts.judged import findings, judged_entry, remark
from bfcl_pipeline.show.transcripts.memory import MemoriesAround, memory_record
from bfcl_pipeline.show.transcripts.parts import (
    PAGE,
    AnswerRecord,
    AnswerTurn,
    Item,
    Items,
    Kind,
    MemoryRecord,
    Room,
    TextLimits,
    VerdictRecord,
)
from bfcl_pipeline.show.transcripts.texts import items_before_calls, no_call, played_items, raw_text
from bfcl_pipeline.world.web.presented import searches

_ENDED = Item(Kind.NOTE, "(not reached: the conversation had ended)", label="model")
_NO_ANSWER = Item(Kind.NOTE, "(no answer)", label="model")


def answer_record(
    entry: Entry,
    response: Response,
    verdicts: Mapping[Rules, Verdict],
    conditions: Conditions,
    memories: MemoriesAround | None = None,
    rules: Rules = Rules.OFFICIAL,
    limits: TextLimits = PAGE,
    written: Sequence[str] = (),
) -> AnswerRecord:
    """The record of a response to `entry`.

    Args:
        verdicts: by rule set, in the order in which they are recorded; empty: none are known.
        conditions: of the run, from which the results of calls are derived.
        memories: those around the conversation; None: the entry has no memory.
        rules: the rule set whose first failing turn the turns have as their remark.
        written: what the model wrote in each step, of which a server made the result; empty: not known.

    Raises MalformedRelease if the entry or a memory is not well formed.
    """
    memories = memories or MemoriesAround()
    result = _result(response.result_json)
    turns: tuple[AnswerTurn, ...] = ()
    answer: Items = ()
    found: Mapping[Rules, Finding] = {}
    room, texts = Room(limits), iter(written)
    if response.result_json is None:
        pass
    elif CATEGORIES[entry.category].executes:
        answer = tuple(room.fitting(answer_items(entry, response, result, conditions, rules, limits)))
    elif plan_of(entry) is not None:
        read = _single(entry, result, response.mode, rules, limits)
        answer = tuple(room.fitting((*_written(texts, limits), *read)))
    else:
        if is_conversation(entry):
            found = findings(entry, result, response.mode, conditions.constants, verdicts)
        if isinstance(result, list):
            played = play(
                entry,
                result,
                response.mode,
                conditions,
                response.web,
                memories.before.snapshot,
                memories.before.missing,
                response.model,
            )
            tools = (SEARCH_TOOL, conditions.web.search_tool) if searches(entry) else ()
            truth = truth_calls(judged_entry(entry, rules).entry) if is_conversation(entry) else ()
            turns = tuple(_turns(entry, played, room, limits, texts, tools, truth, found, rules))
        else:
            answer = (Item(Kind.TEXT, cut(raw_text(result), limits.words), label="answer"),)
    return AnswerRecord(
        model=response.model or "",
        entry_id=entry.entry_id,
        turns=turns,
        answer=answer,
        memories=tuple(_memories(entry, memories, limits)),
        sessions=entry.depends_on,
        verdicts=tuple(_verdicts(entry, response, verdicts, found, rules, limits)),
    )


def _result(result_json: str | None) -> Json:
    """The parsed result; the text itself if it cannot be parsed, or is longer than what is scored."""
    if result_json is not None and len(result_json) > MAX_RESULT:
        return result_json
    return loaded_json(result_json, default=result_json)


def _single(entry: Entry, result: Json, mode: Mode, rules: Rules, limits: TextLimits) -> Iterator[Item]:
    """A single answer: a text unchanged, then the calls in it, or why it cannot be read as calls."""
    calls = answer_calls(entry, result, mode, judged_entry(entry, rules).rules)
    label = yield from items_before_calls(result, calls, _as_python, limits)
    if isinstance(calls, DecodeFailure):
        return
    for place, call in enumerate(calls):
        text = _as_python((call,))[1:-1]
        yield Item(Kind.CALL, cut(on_one_line(text), limits.call), label=label if place == 0 else "")


def _as_python(calls: Sequence[Call]) -> str:
    return write_calls(calls, ReturnFormat.PYTHON)


def _turns(
    entry: Entry,
    played: Sequence[Sequence[PlayedStep]],
    room: Room,
    limits: TextLimits,
    written: Iterator[str],
    search_tools: Sequence[str],
    truth: Sequence[Sequence[Call]],
    found: Mapping[Rules, Finding],
    rules: Rules,
) -> Iterator[AnswerTurn]:
    """The turns that were reached, as far as there is room, and for the others that they were not."""
    for number in range(max(len(entry.turns), len(played))):
        if room.is_full and number >= len(entry.turns):
            return
        reached = number < len(played)
        steps = played[number] if reached else ()
        missing = (_NO_ANSWER if reached else _ENDED,)
        items = _steps(steps, search_tools, limits, written) if steps else missing
        made = [call.call for step in steps for call in step.calls]
        wanted = truth[number] if number < len(truth) else ()
        yield AnswerTurn(
            steps=tuple(room.fitting(items)),
            remark=remark(number, found, rules) if reached else "",
            missing=_missing(wanted, made),
            as_truth=number < len(truth) and list(wanted) == made,
        )


def _missing(wanted: Sequence[Call], made: Sequence[Call]) -> tuple[int, ...]:
    """The positions of the calls that were not made."""
    by_name = Counter(call.name for call in made)
    return tuple(place for place, call in enumerate(wanted) if not (by_name[call.name] and call in made))


def _written(texts: Iterator[str], limits: TextLimits) -> Iterator[Item]:
    """What the model wrote in the next step, if it is known."""
    if text := next(texts, ""):
        yield Item(Kind.TEXT, cut(text, limits.words), label="wrote")


def _steps(
    steps: Sequence[PlayedStep], search_tools: Sequence[str], limits: TextLimits, written: Iterator[str]
) -> Iterator[Item]:
    for place, step in enumerate(steps, start=1):
        label = f"step {place}"
        yield from _written(written, limits)
        if step.calls:
            yield from played_items(step.calls, limits, label, search_tools)
            continue
        yield Item(Kind.TEXT, cut(raw_text(step.result), limits.words), label=label)
        if step.problem and _looks_like_a_call(step.result):
            yield no_call(step.problem, limits)


def _looks_like_a_call(result: Json) -> bool:
    """Whether an answer without a call was meant as one: a text in the form of final answers was not."""
    return not isinstance(result, str) or ("(" in result and answer_field(result) is None)


def _memories(entry: Entry, memories: MemoriesAround, limits: TextLimits) -> Iterator[MemoryRecord]:
    if not has_memory(entry):
        return
    if not entry.prerequisite:
        yield memory_record("memory at the question", memories.before, limits, entry)
        return
    yield memory_record("memory before the session", memories.before, limits)
    if memories.after is not None:
        yield memory_record("memory after the session", memories.after, limits)


def _verdicts(
    entry: Entry,
    response: Response,
    verdicts: Mapping[Rules, Verdict],
    found: Mapping[Rules, Finding],
    rules: Rules,
    limits: TextLimits,
) -> Iterator[VerdictRecord]:
    if entry.prerequisite:  # is never scored, but may have failed
        verdicts = {rules: Verdict(None, None, response.status_detail, response.status)}
        if response.status is Status.ANSWERED:
            return
    for name, verdict in verdicts.items():
        yield VerdictRecord(
            rules=name.value,
            valid=verdict.valid,
            status=verdict.status.value,
            error_type=verdict.error_type or "",
            message=cut(verdict.error_message or "", limits.words),
            answer_class=", ".join(_classes(verdict)),
            turn=found[name].turn if name in found else None,
        )


def _classes(verdict: Verdict) -> Iterator[str]:
    if verdict.answer_class is not None:
        yield verdict.answer_class.value
    if verdict.unread_call:
        yield "unread call"
