"""The data classes that all packages share: entries, requests, exchanges, responses, calls, verdicts.

They have no behaviour beyond construction and sums. Tables of them are read and written by
`bfcl_pipeline.benchmark.tables`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

Json: TypeAlias = Any
"""A value as `json.loads` returns it."""

Message: TypeAlias = Mapping[str, Any]
"""One chat message: `role` and `content` (text).

Roles are system, user, assistant and tool. The calls of an assistant are in `tool_calls`, a list of
{id, name, arguments as JSON text}; a tool message has the id of its call in `tool_call_id`. The original
message of an API is in `raw`; where it is present it is sent back instead of the other keys."""

FunctionDoc: TypeAlias = Mapping[str, Any]
"""One function as the release documents it: `name`, `description`, `parameters` (a JSON-schema-like
mapping with the release's own type names), sometimes `response`."""

Number = TypeVar("Number", int, float)


class Mode(StrEnum):
    """How functions are presented to the model."""

    FC = "fc"  # as tool schemas of the wire format; the model answers with native tool calls
    PROMPT = "prompt"  # as text in the system prompt; the model answers with text that is decoded


class NameStyle(StrEnum):
    """The spelling of function names in a request, in which the calls are compared."""

    UNDERSCORED = "underscored"  # dots became underscores, as most function-calling APIs require
    DOTTED = "dotted"  # as in the release


class Status(StrEnum):
    """Whether a response can be scored; only `answered` responses have a verdict."""

    ANSWERED = "answered"
    INFRASTRUCTURE_ERROR = "infrastructure_error"  # the pipeline, a server or the network failed
    CONTEXT_OVERFLOW = "context_overflow"  # the request exceeds the model's context length
    NOT_RECORDED = "not_recorded"  # replay: a web request is not in the web cache
    SKIPPED = "skipped"  # intentionally not run
    UNSUPPORTED = "unsupported"  # this version has no scorer for the category
    LEFT_OUT = "left_out"  # rules `verified` only: the errata leave the entry out


class Rules(StrEnum):
    """The rule set that scores a response; docs/rules.md lists every difference."""

    OFFICIAL = "official"  # the verdicts of the pinned release
    CORRECTED = "corrected"  # without the defects of the release's checkers
    VERIFIED = "verified"  # corrected, on the entries that the errata mend or leave as they are


class AnswerClass(StrEnum):
    """What an answer is, beside being valid or not: of irrelevance and of agentic entries."""

    ABSTAINED_IN_WORDS = "abstained in words"  # irrelevance: text without a call
    EMPTY = "empty"  # irrelevance: no text and no call
    MALFORMED_CALL = "malformed call"  # irrelevance: a call was attempted and cannot be decoded
    CALLED = "called"  # irrelevance: a call that can be decoded
    RIGHT = "right"  # agentic: valid
    WRONG = "wrong"  # agentic: another answer
    HEDGE = "hedge"  # memory: an acceptable answer among other candidates, without a choice
    ABSTAINED = "abstained"  # agentic: it says in any words that it does not know or cannot answer
    NO_ANSWER_FORM = "no answer form"  # agentic: invalid, and without an answer in the requested form


@dataclass(frozen=True, slots=True)
class Entry:
    """One test of the benchmark."""

    entry_id: str  # id in the release, for example live_simple_3-1-0
    category: str  # one of benchmark.CATEGORIES
    turns: tuple[tuple[Message, ...], ...]  # messages of each turn; single-turn entries have one turn
    functions: tuple[FunctionDoc, ...]  # offered from the first turn, in the release's order
    truth: Json = None  # acceptable calls or answers, in the release's form; None if the entry has none
    prompt_format: str | None = None  # format_sensitivity: the prompt format; else None
    base_entry_id: str | None = None  # format_sensitivity: the entry it restates; else None
    apis: tuple[str, ...] = ()  # simulated APIs involved (multi-turn, agentic)
    initial_state: Json = None  # state of each API before the first turn
    held_out: Mapping[str, tuple[FunctionDoc, ...]] = field(default_factory=dict)
    # functions that are offered from a later turn on, by turn number as text (multi_turn_miss_func)
    depends_on: tuple[str, ...] = ()  # memory: ids of the entries that must run before this one
    prerequisite: bool = False  # memory: a session before the questions, which is never scored
    scenario: str | None = None  # memory: customer, finance, healthcare, notetaker, student
    source: Json = None  # evidence for the truth: hops of a web question, text of a memory fact


@dataclass(frozen=True, slots=True)
class Call:
    """A function name and its arguments. Never a string of code."""

    name: str
    arguments: Mapping[str | None, Any]  # the key None holds an argument without a name


@dataclass(frozen=True, slots=True)
class DecodeFailure:
    """Why a model's output could not be decoded as a list of calls."""

    error_type: str  # an official `ast_decoder:*` type
    message: str  # human-readable


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model, before an adapter writes it in a wire format."""

    mode: Mode
    messages: tuple[Message, ...]
    tools: tuple[Json, ...] = ()  # tool schemas in function-calling mode, else empty
    turn: int = 0  # turn of the entry, from 0; not sent
    goes_on: bool = False  # whether further requests may follow; controls prompt caching
    functions: tuple[FunctionDoc, ...] = ()  # all that are offered, without language hints; not sent
    return_format: str = "python"  # the benchmark.ReturnFormat in which calls are to be written; not sent
    tool_call_tag: bool = False  # whether calls are to be written between <TOOLCALL> tags; not sent
    prompt: str | None = None  # the whole request as one text, for a model that is asked for a completion


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to a model and its answer."""

    request: Request
    result: Json  # in the official result form: text, or a list of {name: arguments as JSON text}
    input_tokens: int | None = None
    output_tokens: int | None = None
    latency_seconds: float | None = None
    reply: Message | None = None  # message for the history; None: one is built from `result`
    finish_reason: str | None = None  # why the answer ended, in the API's own term


@dataclass(frozen=True, slots=True)
class Step:
    """Tokens, latency and finish reason of one exchange of a response; None if not reported."""

    turn: int  # turn of the entry, from 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    latency_seconds: float | None = None
    finish_reason: str | None = None  # why the answer ended, in the API's own term


def total(amounts: Iterable[Number | None]) -> Number | None:
    """The sum of the amounts that are not None; None if all are."""
    present = [amount for amount in amounts if amount is not None]
    return sum(present[1:], present[0]) if present else None


def token_dollars(
    sent: float | None, received: float | None, input_price: float | None, output_price: float | None
) -> float | None:
    """The price of tokens in US dollars, by prices for a million; None if any number is not known."""
    if sent is None or received is None or input_price is None or output_price is None:
        return None
    return (sent * input_price + received * output_price) / 1_000_000


@dataclass(frozen=True, slots=True)
class Response:
    """The result of one model on one entry."""

    entry_id: str
    category: str
    mode: Mode
    result_json: str | None  # the result in the official form, as JSON; None if the model gave none
    status: Status = Status.ANSWERED
    status_detail: str | None = None  # human-readable reason if not answered
    model: str | None = None
    run: str | None = None
    name_style: NameStyle | None = None  # None: underscored for fc, dotted for prompt
    input_tokens: int | None = None
    output_tokens: int | None = None
    latency_seconds: float | None = None
    steps: tuple[Step, ...] = ()  # exchanges in order; the three totals above are their sums
    web: str | None = None  # web search: the web mode, one of config.WEB_MODES


@dataclass(frozen=True, slots=True)
class Verdict:
    """The score of one response: valid or not, and why not."""

    valid: bool | None  # None if the status is not `answered`
    error_type: str | None = None  # the official name, or that of a corrected rule; None if valid
    error_message: str | None = None  # human-readable; None if valid
    status: Status = Status.ANSWERED
    answer_class: AnswerClass | None = None  # irrelevance and agentic entries only
    unread_call: bool = False  # mode fc: the answer has a call in its text, which was not read as one
