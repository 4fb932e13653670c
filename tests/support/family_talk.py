"""A scripted conversation with a family of open weights, with short texts in the place of the release's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bfcl_pipeline.calls import decode_step
from bfcl_pipeline.config.families import load_families
from bfcl_pipeline.families import FamilyAsking
from bfcl_pipeline.prompts import Texts
from bfcl_pipeline.records import DecodeFailure, Entry, FunctionDoc, Message, Request

_ARRAY = ("You have access. ", '[{"name"}] ', "If no tool. ", "Do not interpret. ", "For tasks:\n")
TEXTS = Texts(
    {},
    {},
    {},
    {},
    "",
    "",
    {},
    "",
    "",
    families={
        "bitagent": ("You are a helpful BitAgent.", *_ARRAY),
        "hammer": (
            "You are a tool calling assistant.\n",
            "\nThe output MUST be JSON.\n",
            "<|im_start|>system\nHelp.<|im_end|>\n<|im_start|>user\n",
        ),
        "llama_3_1": (
            "Given the following functions, call ",
            "with its proper arguments.\n\n",
            "Respond in the format {}.",
        ),
        "salesforce_llama": ("You are a helpful xLAM.", *_ARRAY),
        "salesforce_qwen": ("You are a helpful xLAM.", *_ARRAY),
        "think_agent": ("Given the following functions, call.", "Respond in the format {}."),
    },
)
"""Texts with the beginnings that they have in the release."""

DOC: FunctionDoc = {
    "name": "m.f",
    "description": "é",
    "parameters": {"type": "dict", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
}


@dataclass
class Talk:
    """A conversation whose answers and results are said by a test."""

    family: str
    messages: list[Message]
    functions: Sequence[FunctionDoc] = (DOC,)
    goes_on: bool = True
    asking: FamilyAsking = field(init=False)

    def __post_init__(self) -> None:
        self.asking = FamilyAsking(load_families()[self.family])

    def prompt(self) -> str:
        """The prompt of the next request."""
        written = self.asking.written(self._request(), TEXTS).prompt
        assert written is not None
        return written

    def answer(self, text: str) -> None:
        """The model's answer and the results of its calls: r0, r1, ..."""
        result, answer = self.asking.read(self._request(), text)
        self.messages.append(answer.reply)
        calls = decode_step(result, self.asking.mode)
        if not isinstance(calls, DecodeFailure):
            outcomes = [f" r{place}" for place in range(len(calls))]
            self.messages += self.asking.outcomes(answer.reply, calls, outcomes)

    def _request(self) -> Request:
        return Request(self.asking.mode, tuple(self.messages), tuple(self.functions), goes_on=self.goes_on)


def asked(content: str, *, system: str | None = None) -> list[Message]:
    """The messages of a first turn."""
    first = [] if system is None else [{"role": "system", "content": system}]
    return [*first, {"role": "user", "content": content}]


def first_messages(family: str, *turn: tuple[str, str]) -> list[tuple[str, str]]:
    """Roles and contents of the first request of an entry with that first turn, of a family that has the
    system prompt of its own."""
    messages = tuple({"role": role, "content": content} for role, content in turn)
    entry = Entry("simple_python_0", "simple_python", (messages,), (DOC,))
    request = FamilyAsking(load_families()[family]).first(entry, TEXTS)
    return [(message["role"], message["content"]) for message in request.messages]
