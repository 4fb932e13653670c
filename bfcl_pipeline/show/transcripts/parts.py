"""The records of which the page of one entry is made; `show` prints them, the report embeds them as JSON.

An entry is the same for all models and is recorded once; an answer is that of one model. Their turns belong
together by position. Texts are those of the release, of models and of the web: they are never trusted, and
what shows them escapes them. `as_json.py` has the form of the records in a page.
"""

from collections.abc import Iterable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum, StrEnum
from functools import cache
from typing import Any, TypeAlias

from bfcl_pipeline.base.text import printable
from bfcl_pipeline.benchmark.records import Json


class Kind(StrEnum):
    """What an item is, which decides how it is shown."""

    SYSTEM = "system"  # messages, by role
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    FUNCTION = "function"  # the signature of an offered function
    TEXT = "text"  # what a model wrote, if it is shown as it is
    CALL = "call"  # a call as Python
    RESULT = "result"  # what the call before it returned, as the model saw it
    VALUE = "value"  # what the call before it returns when it is executed to score it
    REQUEST = "request"  # what the call before it asks a web API when it is executed
    CHANGE = "change"  # what the call before it changed: place: before -> after
    MEMORY = "memory"  # one text of a memory; the label is its key
    ACCEPTED = "accepted"  # an acceptable answer, or the acceptable values of a parameter
    HOP = "hop"  # one step from a web question to its answer
    SOURCE = "source"  # where the answer of a hop stands
    ERRATUM = "erratum"  # a defect of the entry
    NOTE = "note"  # a remark of the pipeline


@dataclass(frozen=True, slots=True)
class Item:
    """One text with what it is."""

    kind: Kind
    text: str
    label: str = ""  # shown before it: a key, a parameter, the number of a step
    remark: str = ""  # shown after it, in the colour of an error
    marked: bool = False  # a text of a memory: it has an acceptable answer


Items: TypeAlias = tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class EntryTurn:
    """One turn of an entry. Its truth is a CALL, its RESULT and its CHANGEs for each call, or a NOTE."""

    messages: Items  # what the user says
    appears: Items = ()  # functions that are offered from this turn on
    truth: Items = ()  # calls of the truth with their results and changes


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """One entry."""

    entry_id: str
    category: str
    about: tuple[str, ...]  # what it is about, in words: APIs, prompt format, sessions before it
    functions: Items  # offered from the start
    turns: tuple[EntryTurn, ...]
    accepted: Items = ()  # acceptable answers, of entries without a truth by turns: ACCEPTED without label,
    # or a FUNCTION and its parameters, ACCEPTED with the parameter as label; SOURCE: where a fact was said;
    # of executed calls a CALL, its REQUESTs, its VALUE and a NOTE on how values are compared
    hops: Items = ()  # the chain of a web question: HOP, its answer (ACCEPTED) and its SOURCE, one by one
    prerequisite: bool = False  # a session before the questions of a memory, which is never scored
    errata: Items = ()  # ERRATUM with its status as label, then a NOTE for each further text


@dataclass(frozen=True, slots=True)
class AnswerTurn:
    """What a model did in one turn."""

    steps: Items  # calls with results and changes, texts; the label of a step's first item numbers it
    remark: str = ""  # first failing turn, or after it
    missing: tuple[int, ...] = ()  # calls of the truth that the answer does not make, by position from 0
    as_truth: bool = False  # its calls are those of the truth, in the same order


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """A memory at one moment."""

    title: str  # memory at the question, or after the session
    about: str  # how much it holds, or why it is not recorded
    texts: Items  # a NOTE for each part (core, archival, text) and then the MEMORY of that part


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """The verdict under one rule set."""

    rules: str
    valid: bool | None  # None without a verdict
    status: str
    error_type: str = ""  # empty if valid
    message: str = ""
    answer_class: str = ""
    turn: int | None = None  # the first failing turn, from 0; None without one
    why: str = ""  # why a memory or web question is wrong, in words; empty if it is not told


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """What one model did on one entry."""

    model: str
    entry_id: str
    turns: tuple[AnswerTurn, ...]
    answer: Items = ()  # a single answer, and what was read from it; executed calls as those of the entry
    memories: tuple[MemoryRecord, ...] = ()  # before, and after
    sessions: tuple[str, ...] = ()  # memory: the ids of the sessions before the question, in order
    verdicts: tuple[VerdictRecord, ...] = ()  # by rule set; none for a session


@dataclass(frozen=True, slots=True)
class TextLimits:
    """Characters of each kind of text, and numbers of items. A cut text ends with what is missing."""

    words: int  # of a text of a user, of the release or of a model
    call: int  # of a call or a signature
    result: int  # of a result, and of one hit of a search
    page: int  # of a fetched page
    value: int  # of a value: before and after a change, of a parameter, of a memory
    memory: int  # of a memory that is one text
    changes: int  # of one call
    hits: int  # of one search
    answer: int  # of all items of an answer; what follows is left out


TERMINAL = TextLimits(
    words=3_000,
    call=600,
    result=400,
    page=1_200,
    value=200,
    memory=10_000,
    changes=6,
    hits=10,
    answer=300_000,
)
PAGE = TextLimits(
    words=20_000,
    call=20_000,
    result=20_000,
    page=20_000,
    value=2_000,
    memory=20_000,
    changes=50,
    hits=50,
    answer=1_000_000,
)


class Room:
    """How many characters of items one answer still has."""

    def __init__(self, limits: TextLimits) -> None:
        self._left = limits.answer

    @property
    def is_full(self) -> bool:
        """Whether nothing more fits."""
        return self._left < 0

    def fitting(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items that there is room for, then a note if one was left out."""
        for item in items:
            if self.is_full:
                yield Item(Kind.NOTE, "(cut: the rest of the answer is not shown)")
                return
            self._left -= len(item.text) + len(item.label) + 40  # an item without a text takes space, too
            yield item


def as_json(record: Any) -> Json:
    """A record of `parts`, or a part of one, as a value of JSON; equal records become equal values."""
    if isinstance(record, str):
        return printable(record.value if isinstance(record, Enum) else record)
    if isinstance(record, tuple):
        return [as_json(part) for part in record]
    if not is_dataclass(record):
        return record.value if isinstance(record, Enum) else record
    kind: Any = type(record)
    found: dict[str, Json] = {}
    for name, default in _fields(kind):
        value = getattr(record, name)
        if value not in ("", ()) and (default is MISSING or value != default):
            found[name] = as_json(value)
    return found


@cache
def _fields(kind: Any) -> list[tuple[str, Any]]:
    """The names of the fields of a dataclass with their defaults."""
    return [(field.name, field.default) for field in fields(kind)]
