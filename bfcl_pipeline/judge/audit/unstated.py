"""What a truth needs and neither question, sessions nor function docs say, by the kind of entry.

Executed entries: functions and arguments of expected calls that are not in the docs, and functions given as
Python's lambda; not values of calls, which are computed when an answer is scored, nor the category rest.
Memory: questions whose accepted answers no session tells. The sessions of a question are those before it
that have a passage of the source which the release gives for it. One of them must tell an accepted answer:
its words, in the same order, or all items of a list. Single-turn: dates whose year no message states.
"""

import re
from collections.abc import Iterator

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.definition import Check
from bfcl_pipeline.benchmark.records import Call, Entry, Json
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.texts import content_of, words
from bfcl_pipeline.judge.scoring.findings import shorten, shown_options
from bfcl_pipeline.world.executables import read_call

_LAMBDA = "lambda"


def find_unoffered(entry: Entry) -> tuple[str, str] | None:
    """Where and why an expected call cannot be read, or cannot be made by the docs."""
    try:
        calls = _expected_calls(entry)
    except MalformedRelease as error:
        return "truth", str(error)
    docs = {doc["name"]: doc["parameters"]["properties"] for doc in entry.functions}
    for call in calls:
        if call.name not in docs:
            return call.name, "the truth calls it, but it is not offered"
        for name in call.arguments:
            if name not in docs[call.name]:
                return f"{call.name}, {name}", "the truth has this argument, but the function doc lacks it"
    return None


def unstated_lambdas(entry: Entry) -> Iterator[tuple[str, str]]:
    """Each parameter whose argument is a lambda, if neither docs nor question name one."""
    if _LAMBDA in f"{content_of(entry.turns[0])} {entry.functions}".casefold():
        return
    try:
        calls = _expected_calls(entry)
    except MalformedRelease:  # is a finding of `find_unoffered`
        return
    values: dict[str, str] = {}
    for call in calls:
        for name, value in call.arguments.items():
            if isinstance(value, str) and value.startswith(_LAMBDA):
                values.setdefault(f"{call.name}, {name}", value)
    for where, value in values.items():
        yield where, f"nothing states that it is a lambda of Python, as in {shorten(value)}"


def _expected_calls(entry: Entry) -> list[Call]:
    """The expected calls. Raises MalformedRelease."""
    return [read_call(expected["call"]) for expected in entry.truth]


_EITHER = frozenset({"yes", "no"})  # answers that no session has to tell in so many words

_PASSAGES = re.compile(r"\.\.\.|…|[\"“”\n]|(?<=[.:]) ")
"""What separates the passages of a source."""

_SHORTEST = 12  # characters of a passage that identifies a session


def untold(benchmark: Benchmark) -> Iterator[tuple[Entry, str]]:
    """The questions that no session answers, each with the reason."""
    sessions = {
        entry.entry_id: plain_times(content_of(message for turn in entry.turns for message in turn))
        for entries in benchmark.entries.values()
        for entry in entries
        if entry.prerequisite
    }
    for entry in benchmark.checked_with(Check.MEMORY):
        before = [sessions[each] for each in entry.depends_on if each in sessions]
        passages = [
            plain_times(part) for part in _PASSAGES.split(str(entry.source)) if len(part) > _SHORTEST
        ]
        told = [text for text in before if any(passage in text for passage in passages)]
        if not told:
            yield entry, f"no session has its source, {shorten(entry.source)}"
        elif not any(answer.casefold() in _EITHER or _is_told(answer, told) for answer in entry.truth):
            yield entry, f"no session with its source has {shown_options(entry.truth)}"


def _is_told(answer: str, sessions: list[str]) -> bool:
    """Whether each item of an answer, which may be a list, is in the sessions; words may go on there."""
    return all(any(plain_times(item) in text for text in sessions) for item in answer.split(","))


def plain_times(text: str) -> str:
    """Words and numbers alone, in lower case; 3:00 p.m. and 03:00 PM become 3 pm."""
    text = re.sub(r"\b([ap])\.?m\b", r" \1m", text.casefold().replace("in the morning", "am"))
    text = re.sub(r"\b0(?=\d)|:00(?= *[ap]m\b)", "", re.sub(r"(?<=\d)(?=[ap]m\b)", " ", text))
    return f" {' '.join(words(text))}"


_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d/\d\d/\d{4}")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?:\d{4})?(?!\d)")  # alone, or before month and day


def find_undated(benchmark: Benchmark, detector: str) -> Iterator[Suspicion]:
    """One finding per parameter that must be a date, where no message has any year."""
    for entry in benchmark.checked_with(Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL):
        if _YEAR.search(content_of(message for turn in entry.turns for message in turn)):
            continue
        for call in entry.truth:
            for function, parameters in call.items():
                for name, accepted in parameters.items():
                    if accepted and all(map(_is_date, accepted)):
                        where = f"{function}, {name}"
                        detail = f"no message states the year of {shown_options(accepted)}"
                        yield Suspicion(detector, entry.category, entry.entry_id, where, detail)


def _is_date(value: Json) -> bool:
    return isinstance(value, str) and _DATE.match(value) is not None
