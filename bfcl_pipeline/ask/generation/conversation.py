"""The conversation over one entry, sans-IO: it yields requests, takes exchanges, ends in a result.

Covers single-turn entries, whose conversation is one request, and entries of several turns, in which
calls run in a simulated world and their results go back to the model. It uses no model, clock or
disk: the caller (`generate.run_entries`) supplies the exchanges. What its requests have and how results of
calls go back is an `Asking`: `ChatAsking` for chat APIs, `families.FamilyAsking` for open weights.
Source: the release's inference loop.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import (
    Call,
    DecodeFailure,
    Entry,
    Exchange,
    FunctionDoc,
    Json,
    Message,
    Mode,
    NameStyle,
    Request,
)
from bfcl_pipeline.dialogue.calls import decode_step, executed_text
from bfcl_pipeline.dialogue.prompts import (
    Texts,
    WireFormat,
    fc_request,
    prompt_request,
    tool_schemas,
    with_memory,
)
from bfcl_pipeline.world.tools import World


class Asking(Protocol):
    """How one model is asked."""

    @property
    def mode(self) -> Mode:
        """The form of the model's answers, in which they are scored."""

    @property
    def name_style(self) -> NameStyle | None:
        """The spelling of function names in requests; None: the default of the mode."""

    def first(self, entry: Entry, texts: Texts) -> Request:
        """The request at the first turn of `entry`, before `written`."""

    def later(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The messages of a later turn."""

    def more_functions(
        self, appeared: Sequence[FunctionDoc], texts: Texts
    ) -> tuple[Message, tuple[Json, ...]]:
        """At a turn with further functions: the user's message, and what requests from now on have more."""

    def written(self, request: Request, texts: Texts) -> Request:
        """`request` with all that an adapter needs to write it."""

    def outcomes(self, answer: Message, calls: Sequence[Call], outcomes: Sequence[str]) -> list[Message]:
        """The messages with the results of the calls of one step.

        Args:
            answer: the assistant's message that made them.
            calls: as they ran.
            outcomes: one text for each call.
        """


@dataclass(frozen=True, slots=True)
class ChatAsking:
    """A model behind a chat API, or in this process. An Asking."""

    mode: Mode
    wire: WireFormat = WireFormat.OPENAI_CHAT
    name_style: None = None

    def first(self, entry: Entry, texts: Texts) -> Request:
        """Functions as tools, or in the benchmark's system prompt."""
        return fc_request(entry, self.wire) if self.mode is Mode.FC else prompt_request(entry, texts)

    def later(self, messages: Sequence[Message]) -> Sequence[Message]:
        """As they are."""
        return messages

    def more_functions(
        self, appeared: Sequence[FunctionDoc], texts: Texts
    ) -> tuple[Message, tuple[Json, ...]]:
        """Further tools, or a message with their docs."""
        if self.mode is Mode.FC:
            tools = tuple(tool_schemas(appeared, self.wire))
            return {"role": "user", "content": texts.more_functions_fc}, tools
        docs = texts.more_functions_prompt.format(functions=list(appeared))
        return {"role": "user", "content": docs}, ()

    def written(self, request: Request, texts: Texts) -> Request:  # noqa: ARG002  # the adapter's
        """As it is."""
        return request

    def outcomes(self, answer: Message, calls: Sequence[Call], outcomes: Sequence[str]) -> list[Message]:
        """A tool message each, or one user message in prompt mode."""
        if self.mode is Mode.FC:
            return [
                {"role": "tool", "tool_call_id": call["id"], "name": call["name"], "content": outcome}
                for call, outcome in zip(answer["tool_calls"], outcomes, strict=False)
            ]
        messages = [
            {"role": "tool", "name": executed_text(call), "content": outcome}
            for call, outcome in zip(calls, outcomes, strict=True)
        ]
        return [{"role": "user", "content": repr(messages)}]


STEP_LIMIT = 20
"""Steps with calls that a turn may have; one more ends the whole conversation."""

Conversation: TypeAlias = Generator[Request, Exchange, Json]
"""Yields requests, receives their exchanges, returns the result in the official form: for a single turn the
result itself, for several turns a list of the results of each turn's steps."""


def conversation(entry: Entry, asking: Asking, texts: Texts, world: World) -> Conversation:
    """The conversation over `entry` with a model that is asked as `asking` says.

    world: new, for this entry alone.
    """
    if world.memory is not None:
        entry = with_memory(entry, texts, world.memory.context_text())
    request = asking.first(entry, texts)
    if CATEGORIES[entry.category].single_turn:
        exchange = yield asking.written(request, texts)
        return exchange.result
    return (yield from _turns(entry, request, asking, texts, world))


def _turns(entry: Entry, first: Request, asking: Asking, texts: Texts, world: World) -> Conversation:
    """Every turn is a number of steps: the model answers, its calls run, their outcomes are sent back.

    A turn ends with an answer without calls, or without calls that can be read. A turn of too many steps
    ends the conversation: the turns after it are missing from the result.
    """
    tools, functions, history = first.tools, first.functions, list(first.messages)
    turns: list[list[Json]] = []
    for turn, messages in enumerate(entry.turns):
        appeared = entry.held_out.get(str(turn), ())
        if appeared:
            message, more = asking.more_functions(appeared, texts)
            tools += more
            functions += appeared
            history.append(message)
        elif turn > 0:  # the first turn's messages are in the first request
            history.extend(asking.later(messages))
        turns.append([])
        for _ in range(STEP_LIMIT + 1):
            request = replace(
                first, messages=tuple(history), tools=tools, turn=turn, goes_on=True, functions=functions
            )
            exchange = yield asking.written(request, texts)
            turns[turn].append(exchange.result)
            answer = exchange.reply or answer_message(exchange.result, len(history))
            history.append(answer)
            calls = decode_step(exchange.result, first.mode)
            if isinstance(calls, DecodeFailure) or not calls:
                break
            history.extend(asking.outcomes(answer, calls, [world.run(call) for call in calls]))
        else:
            break
    return turns


def answer_message(result: Json, step: int) -> Message:
    """The assistant's message of a result in the official form. step: part of the ids of its calls."""
    if not isinstance(result, list):
        return {"role": "assistant", "content": result}
    written = [item for named in result for item in named.items()]
    calls = [
        {"id": f"call_{step}_{place}", "name": name, "arguments": arguments}
        for place, (name, arguments) in enumerate(written)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}
