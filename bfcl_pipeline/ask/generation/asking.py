"""How a model is asked: what its requests have, and how results of calls go back to it.

Covers models behind chat APIs, in both modes. `families.FamilyAsking` asks open weights as the leaderboard
does. The order of requests is the conversation's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bfcl_pipeline.benchmark.records import (
    Call,
    Entry,
    FunctionDoc,
    Json,
    Message,
    Mode,
    NameStyle,
    Request,
)
from bfcl_pipeline.dialogue.calls import executed_text
from bfcl_pipeline.dialogue.prompts import Texts, WireFormat, fc_request, prompt_request, tool_schemas


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
