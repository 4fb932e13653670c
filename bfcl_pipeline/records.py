"""The nouns of the pipeline, as frozen records.

Covers what passes between the layers: entries, requests, exchanges, responses, calls, verdicts. It
holds no behaviour beyond construction and sums; reading and writing tables is `bfcl_pipeline.tables`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

Json: TypeAlias = Any
"""A value as `json.loads` returns it."""

Message: TypeAlias = Mapping[str, Any]
"""One chat message: `role` and `content` (text).

Roles are system, user, assistant and tool. What an assistant called stands in `tool_calls`, a list of
{id, name, arguments as JSON text}; a tool message names the call it answers in `tool_call_id`. What an API
wants back as it gave it stands in `raw` and is sent in place of all others."""

FunctionDoc: TypeAlias = Mapping[str, Any]
"""One function as the release documents it: `name`, `description`, `parameters` (a JSON-schema-like
mapping with the release's own type names), sometimes `response`."""

Number = TypeVar("Number", int, float)


class Mode(StrEnum):
    """How a model is given the functions."""

    FC = "fc"  # as tool schemas of the wire format; the answer is native tool calls
    PROMPT = "prompt"  # as text in the system prompt; the answer is text to be decoded


class NameStyle(StrEnum):
    """How the functions were named to the model, and so how its calls are compared."""

    UNDERSCORED = "underscored"  # dots became underscores, as most function-calling APIs require
    DOTTED = "dotted"  # as in the release


class Status(StrEnum):
    """Whether a response can be judged at all; only `answered` ones have a verdict."""

    ANSWERED = "answered"
    INFRASTRUCTURE_ERROR = "infrastructure_error"  # the machinery failed, not the model
    CONTEXT_OVERFLOW = "context_overflow"  # the request did not fit the model
    NOT_RECORDED = "not_recorded"  # replay: the record has no outcome for a request
    SKIPPED = "skipped"  # left out on purpose
    UNSUPPORTED = "unsupported"  # this version has no scorer for the category


class Rules(StrEnum):
    """Which reading of the benchmark judges a response; docs/rules.md lists every difference."""

    OFFICIAL = "official"
    CORRECTED = "corrected"


@dataclass(frozen=True, slots=True)
class Entry:
    """One test of the benchmark."""

    entry_id: str  # as in the release, for example live_simple_3-1-0
    category: str  # one of benchmark.CATEGORIES
    turns: tuple[tuple[Message, ...], ...]  # messages of each turn; single-turn entries have one
    functions: tuple[FunctionDoc, ...]  # offered from the start, in the release's order
    truth: Json = None  # acceptable calls or answers as in the release; None where there are none
    prompt_format: str | None = None  # format_sensitivity: its configuration; else None
    base_entry_id: str | None = None  # format_sensitivity: the entry it restates; else None
    apis: tuple[str, ...] = ()  # simulated APIs involved (multi-turn, agentic)
    initial_state: Json = None  # state of each API before the first turn
    held_out: Mapping[str, tuple[FunctionDoc, ...]] = field(default_factory=dict)
    # functions that appear only at a later turn, by turn number as text (multi_turn_miss_func)
    depends_on: tuple[str, ...] = ()  # entries to be run before this one (memory)
    prerequisite: bool = False  # memory: a session to be played before the questions, never scored
    scenario: str | None = None  # memory: customer, finance, healthcare, notetaker, student
    source: Json = None  # where the truth comes from: hops of a web question, text of a memory fact


@dataclass(frozen=True, slots=True)
class Call:
    """A function name and its arguments. Never a string of code."""

    name: str
    arguments: Mapping[str | None, Any]  # None is the key of what was given without a name


@dataclass(frozen=True, slots=True)
class DecodeFailure:
    """Model output that is not a list of calls, and why."""

    error_type: str  # an official `ast_decoder:*` type
    message: str  # for a person


@dataclass(frozen=True, slots=True)
class Request:
    """What one model is sent, in the terms of its wire format."""

    mode: Mode
    messages: tuple[Message, ...]
    tools: tuple[Json, ...] = ()  # tool schemas in function-calling mode, else empty
    turn: int = 0  # which turn of the entry it belongs to; not sent
    goes_on: bool = False  # whether the conversation may go on after it; decides what an API caches


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to a model and what came back."""

    request: Request
    result: Json  # the official result form: text, or a list of {name: arguments as JSON text}
    input_tokens: int | None = None
    output_tokens: int | None = None
    latency_seconds: float | None = None
    reply: Message | None = None  # what goes into the history; None: a message made of `result`
    finish_reason: str | None = None  # why the answer ended, in the API's word; None if not told


@dataclass(frozen=True, slots=True)
class Step:
    """What one exchange of a response took."""

    turn: int  # which turn of the entry it belongs to, from 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    latency_seconds: float | None = None
    finish_reason: str | None = None  # why the answer ended, in the API's word; None if not told


def total(amounts: Iterable[Number | None]) -> Number | None:
    """The sum of what was told; None if nothing was."""
    told = [amount for amount in amounts if amount is not None]
    return sum(told[1:], told[0]) if told else None


@dataclass(frozen=True, slots=True)
class Response:
    """Everything one model did on one entry."""

    entry_id: str
    category: str
    mode: Mode
    result_json: str | None  # the result in the official form, as JSON; None if there is none
    status: Status = Status.ANSWERED
    status_detail: str | None = None  # what went wrong, for a person
    model: str | None = None
    run: str | None = None
    name_style: NameStyle | None = None  # None: underscored for fc, dotted for prompt
    input_tokens: int | None = None
    output_tokens: int | None = None
    latency_seconds: float | None = None
    steps: tuple[Step, ...] = ()  # its exchanges in order; the three totals are their sums
    web: str | None = None  # web search: which web was searched, one of config.WEB_MODES


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the benchmark says of one response."""

    valid: bool | None  # None where the status is not `answered`
    error_type: str | None = None  # the official name; None where valid
    error_message: str | None = None  # for a person; None where valid
    status: Status = Status.ANSWERED
