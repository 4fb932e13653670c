"""Finds entries to which most systems give the same answer, which is judged wrong.

Covers judged answers of any number of systems, in function-calling mode or prompted. A finding is a reason
to read the entry: where many systems err alike, the truth may still be right.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import AnswerClass, Call, DecodeFailure, Entry, Json, Mode
from bfcl_pipeline.dialogue.calls import Work, decode, decode_step, executed_text, parse_json
from bfcl_pipeline.judge.scoring.agentic import given_answer, last_message
from bfcl_pipeline.judge.scoring.expected import standardize
from bfcl_pipeline.judge.scoring.single_turn import answer_format, classify_uncalled

_CALL, _NO_CALL = "(a call)", "(no call)"


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """The answer of one system to one entry, with its verdict."""

    system: str
    entry_id: str
    mode: Mode
    result_json: str  # the official result form
    valid: bool


@dataclass(frozen=True, slots=True)
class SharedError:
    """The most frequent answer to an entry, which is judged wrong."""

    entry: Entry
    answer: str  # its calls, or the answer to a question; of irrelevance, whether there is a call
    given: int  # systems that give it
    systems: int  # with a verdict
    passed: int  # systems whose answer is valid


def shared_errors(entries: Mapping[str, Entry], answers: Iterable[JudgedAnswer]) -> list[SharedError]:
    """The entries to which more systems, and two at least, give one wrong answer than pass.

    Answers are compared without case, spaces and common punctuation, as the checkers compare texts; calls
    that cannot be decoded are compared with none. Entries that no system passes come first; then those with
    the largest share of systems that agree.

    Args:
        entries: by id; answers to others are ignored.
        answers: the last one counts if a system has several to an entry.
    """
    by_entry = defaultdict[str, dict[str, JudgedAnswer]](dict)
    for answer in answers:
        if answer.entry_id in entries:
            by_entry[answer.entry_id][answer.system] = answer
    found = [_shared(entries[name], list(given.values())) for name, given in by_entry.items()]
    places = {entry_id: place for place, entry_id in enumerate(entries)}
    return sorted(
        filter(None, found),
        key=lambda each: (each.passed > 0, -each.given / each.systems, places[each.entry.entry_id]),
    )


def _shared(entry: Entry, answers: Sequence[JudgedAnswer]) -> SharedError | None:
    wrong = [text for each in answers if not each.valid and (text := _answer_text(entry, each))]
    counts = Counter(map(standardize, wrong))
    passed = sum(answer.valid for answer in answers)
    most, given = min(counts.items(), key=lambda count: (-count[1], count[0]), default=("", 0))
    if given <= max(passed, 1):
        return None
    shown = next(text for text in wrong if standardize(text) == most)
    return SharedError(entry, shown, given, len(answers), passed)


def _answer_text(entry: Entry, answer: JudgedAnswer) -> str | None:
    """What an answer says, alike for answers that differ in mode and in the order of calls or arguments.

    None if it cannot be decoded.
    """
    check, mode = CATEGORIES[entry.category].check, answer.mode
    try:
        result: Json = parse_json(answer.result_json)
    except (ValueError, RecursionError):
        return None
    if check in (Check.MEMORY, Check.WEB_SEARCH):
        message = last_message(result[0], mode) if isinstance(result, list) and result else None
        return message and given_answer(message)
    if check is Check.MULTI_TURN:
        work, turns = Work(), result if isinstance(result, list) else []
        steps = [
            [decode_step(step, mode, work) for step in turn] for turn in turns if isinstance(turn, list)
        ]
        return " | ".join("; ".join(chain.from_iterable(map(_texts, turn))) for turn in steps)
    called = _texts(decode(result, mode=mode, return_format=answer_format(entry).return_format))
    if not called:
        uncalled = classify_uncalled(result, entry.functions)
        return None if uncalled.answer_class is AnswerClass.MALFORMED_CALL else _NO_CALL
    return _CALL if check is Check.IRRELEVANCE else "; ".join(sorted(called))


def _texts(calls: tuple[Call, ...] | DecodeFailure) -> list[str]:
    return [
        executed_text(Call(call.name.replace(".", "_"), dict(sorted(call.arguments.items(), key=str))))
        for call in (() if isinstance(calls, DecodeFailure) else calls)
    ]
