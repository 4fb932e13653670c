"""Finds values of the truth that nothing states: a model can only guess them.

Multi-turn: a value in a call of the truth that changes the state (which is compared exactly) must be known
when the call is made: from the user, the function docs, earlier results, or what a reading call could have
returned (the state and the tables of the APIs). Compared without case, kinds of quotes and amounts of white
space. Numbers are compared by value and may be the sum, difference, product or quotient of two known ones;
a date may be told in words; a text may be put together from known parts around numbers and commas.

Memory: questions whose accepted answers no session tells. The sessions of a question are those before it
that have a passage of the source which the release gives for it. One of them must tell an accepted answer:
its words, in the same order, or all items of a list. Single-turn: dates whose year no message states.
Executed: functions and arguments of expected calls that are not in the docs, and functions given as
Python's lambda; not values of calls, which are computed when an answer is scored, nor the category rest.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Self

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.definition import Check
from bfcl_pipeline.benchmark.records import Call, Entry, Json
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.texts import (
    MONTHS,
    all_texts,
    content_of,
    plain_text,
    result_texts,
    scalars,
    words,
)
from bfcl_pipeline.judge.scoring.findings import shorten, shown_options
from bfcl_pipeline.judge.scoring.multi_turn import TRUTH_OWNER
from bfcl_pipeline.world.executables import read_call
from bfcl_pipeline.world.tools import APIS, Effect, World, WorldConfig, effects, plain

_TABLES = ("trading_bot", "travel_booking", "vehicle_control")  # of the release: symbols, airports, limits

_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth"),
    *("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
)
_MONTHS = tuple(zip(MONTHS, _ORDINALS, strict=True))
"""Texts that tell a month."""

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_DATE = re.compile(r"(\d{4})-(0[1-9]|1[0-2])-(\d\d)")
_EXPIRY = re.compile(r"(?P<month>0[1-9]|1[0-2])/(?P<year>\d{4})")


class _Known:
    """What a model can know at a point of a conversation."""

    def __init__(self, text: str = " ", numbers: Iterable[float] = ()) -> None:
        self._text = text
        self._numbers = set(numbers)

    def copy(self) -> Self:
        """The same knowledge, to which can be added."""
        return type(self)(self._text, self._numbers)

    def learn(self, *texts: str) -> None:
        """Adds texts."""
        added = plain_text(" ".join(texts))
        self._text += f"{added} "
        self._numbers |= {float(number.replace(",", "")) for number in _NUMBER.findall(added)}

    def has(self, value: str | int | float) -> bool:
        """Whether the value is known, or follows from what is."""
        if not isinstance(value, str):
            return self._has_number(float(value))
        text = plain_text(value)
        if not words(text):  # such as `..`
            return True
        return text in self._text or self._is_date(text) or self._is_composed(text)

    def _has_number(self, number: float) -> bool:
        """Whether a number is known, or is the result of one operation on two known ones."""
        known = self._numbers
        if number in known or not number:
            return True
        return any(
            not known.isdisjoint((round(number - one, 2), round(one - number, 2), round(number + one, 2)))
            or (one and not known.isdisjoint((round(number / one, 2), round(number * one, 2))))
            for one in known
        )

    def _is_date(self, text: str) -> bool:
        if match := _EXPIRY.fullmatch(text):
            month, year = match["month"], match["year"]
            named = any(name in self._text for name in _MONTHS[int(month) - 1]) and year in self._text
            return named or f"{month}/{year[2:]}" in self._text
        if (match := _DATE.fullmatch(text)) is None:
            return False
        year, month, day = map(int, match.groups())
        return (
            (month in self._numbers or any(name in self._text for name in _MONTHS[month - 1]))
            and (day in self._numbers or " last day " in self._text)
            and year in self._numbers
        )

    def _is_composed(self, text: str) -> bool:
        """Whether all parts of a text between numbers and commas, or of a file name, are known."""
        cuts = r", |(\d+(?:\.\d+)?)" if " " in text else r"\."
        return all(part.strip() in self._text for part in re.split(cuts, text.lstrip("@#")) if part)


def unstated_values(benchmark: Benchmark) -> Iterator[Suspicion]:
    """One finding per value, or per question of a memory category."""
    yield from find_undated(benchmark)
    tables = _Known()
    tables.learn(*all_texts([benchmark.constants.modules.get(module) for module in _TABLES]))
    for entry in benchmark.checked_with(Check.MULTI_TURN):
        yield from _arguments(benchmark, entry, tables.copy())
    for entry in benchmark.checked_with(Check.EXECUTION_SIMPLE, Check.EXECUTION):
        for where, detail in _unexplained_calls(entry):
            yield Suspicion(entry, where, detail)
    for entry, detail in untold(benchmark):
        yield Suspicion(entry, "truth", detail)


def _arguments(benchmark: Benchmark, entry: Entry, known: _Known) -> Iterator[Suspicion]:
    """The unknown values in calls that change the state which is compared."""
    known.learn(*all_texts([entry.functions, entry.held_out, *_listed(benchmark, entry)]))
    changing = {
        name
        for api in entry.apis
        for name, effect in effects(APIS[api]).items()
        if effect is Effect.CHANGES
    }
    for number, (messages, turn) in enumerate(zip(entry.turns, benchmark.played(entry), strict=True), 1):
        known.learn(content_of(messages))
        for call, result in zip(turn.calls, turn.results, strict=True):
            for name, value in call.arguments.items() if call.name in changing else ():
                unknown = [part for part in scalars(value) if not known.has(part)]
                if unknown and _is_compared(benchmark, entry, call, name):
                    where = f"turn {number}, {call.name}, {name}"
                    detail = f"nothing states {', '.join(map(shorten, unknown))}"
                    yield Suspicion(entry, where, detail)
            known.learn(*result_texts(result))


def _is_compared(benchmark: Benchmark, entry: Entry, call: Call, name: str | None) -> bool:
    """Whether the truth with another value in this place would fail."""
    other = Call(call.name, {**call.arguments, name: _changed(call.arguments[name])})
    turns = [[other if each is call else each for each in turn.calls] for turn in benchmark.played(entry)]
    return benchmark.finding_on(entry, turns) is not None


def _changed(value: Json) -> Json:
    if isinstance(value, list):
        return [_changed(item) for item in value]
    return value + 1 if isinstance(value, int | float) else f"{value}?"


def _listed(benchmark: Benchmark, entry: Entry) -> Iterator[Json]:
    """What reading calls could return at the start: no password, and tickets only after a login."""
    for name, state in (entry.initial_state or {}).items():
        if name != "TicketAPI" or "ticket_login" in str(entry.truth):
            yield {key: value for key, value in state.items() if key != "password"}
    if "GorillaFileSystem" in entry.apis:  # with the fillers of long context
        world = World.for_entry(entry, WorldConfig(benchmark.constants), TRUTH_OWNER)
        yield plain(world.states()["GorillaFileSystem"].root)


_LAMBDA = "lambda"


def _unexplained_calls(entry: Entry) -> Iterator[tuple[str, str]]:
    """Where and why an expected call cannot be read or made by the docs; else each unstated lambda."""
    try:
        calls = [read_call(expected["call"]) for expected in entry.truth]
    except MalformedRelease as error:
        yield "truth", str(error)
        return
    docs = {doc["name"]: doc["parameters"]["properties"] for doc in entry.functions}
    for call in calls:
        if call.name not in docs:
            yield call.name, "the truth calls it, but it is not offered"
            return
        for name in call.arguments:
            if name not in docs[call.name]:
                yield f"{call.name}, {name}", "the truth has this argument, but the function doc lacks it"
                return
    if _LAMBDA in f"{content_of(entry.turns[0])} {entry.functions}".casefold():
        return
    values: dict[str, str] = {}
    for call in calls:
        for name, value in call.arguments.items():
            if isinstance(value, str) and value.startswith(_LAMBDA):
                values.setdefault(f"{call.name}, {name}", value)
    for where, value in values.items():
        yield where, f"nothing states that it is a lambda of Python, as in {shorten(value)}"


_EITHER = frozenset({"yes", "no"})  # answers that no session has to tell in so many words

_PASSAGES = re.compile(r"\.\.\.|…|[\"“”\n]|(?<=[.:]) ")
"""What separates the passages of a source."""

_SHORTEST = 12  # characters of a passage that identifies a session


def untold(benchmark: Benchmark) -> Iterator[tuple[Entry, str]]:
    """The questions that no session answers, each with the reason."""
    for entry, told in with_sessions(benchmark):
        texts = list(map(plain_times, told))
        if not told:
            yield entry, f"no session has its source, {shorten(entry.source)}"
        elif not any(answer.casefold() in _EITHER or _is_told(answer, texts) for answer in entry.truth):
            yield entry, f"no session with its source has {shown_options(entry.truth)}"


def with_sessions(benchmark: Benchmark) -> Iterator[tuple[Entry, list[str]]]:
    """The memory questions, each with the texts of the sessions before it that have its source."""
    sessions = {
        entry.entry_id: content_of(message for turn in entry.turns for message in turn)
        for entries in benchmark.entries.values()
        for entry in entries
        if entry.prerequisite
    }
    plain = {entry_id: plain_times(text) for entry_id, text in sessions.items()}
    for entry in benchmark.checked_with(Check.MEMORY):
        passages = [
            plain_times(part) for part in _PASSAGES.split(str(entry.source)) if len(part) > _SHORTEST
        ]
        before = [each for each in entry.depends_on if each in sessions]
        yield entry, [sessions[each] for each in before if any(part in plain[each] for part in passages)]


def _is_told(answer: str, sessions: list[str]) -> bool:
    """Whether each item of an answer, which may be a list, is in the sessions; words may go on there."""
    return all(any(plain_times(item) in text for text in sessions) for item in answer.split(","))


def plain_times(text: str) -> str:
    """Words and numbers alone, in lower case; 3:00 p.m. and 03:00 PM become 3 pm."""
    text = re.sub(r"\b([ap])\.?m\b", r" \1m", text.casefold().replace("in the morning", "am"))
    text = re.sub(r"\b0(?=\d)|:00(?= *[ap]m\b)", "", re.sub(r"(?<=\d)(?=[ap]m\b)", " ", text))
    return f" {' '.join(words(text))}"


_DATE_VALUE = re.compile(r"\d{4}-\d\d-\d\d|\d\d/\d\d/\d{4}")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?:\d{4})?(?!\d)")  # alone, or before month and day


def find_undated(benchmark: Benchmark) -> Iterator[Suspicion]:
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
                        yield Suspicion(entry, where, detail)


def _is_date(value: Json) -> bool:
    return isinstance(value, str) and _DATE_VALUE.match(value) is not None
