"""A scripted conversation with a family of open weights, with short texts in the place of the release's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bfcl_pipeline.benchmark.config.families import load_families
from bfcl_pipeline.benchmark.records import DecodeFailure, Entry, FunctionDoc, Message, Request
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.dialogue.families import FamilyAsking
from bfcl_pipeline.dialogue.prompts import Texts

_ARRAY = ("You have access. ", '[{"name"}] ', "If no tool. ", "Do not interpret. ", "For tasks:\n")
_TOOLS = ("# Tools\n\n<tools>", "\n</tools>\n\nCall so.<|im_end|>\n")
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
        "arch": ("You are a helpful agent.", "\n\n# Tools\n\n<tools>", _TOOLS[1]),
        "bitagent": ("You are a helpful BitAgent.", *_ARRAY),
        "functiongemma": ("You are a model.",),
        "glm": ("[gMASK]<sop><|system|>\nTools",),
        "granite": ("SYSTEM: You are. {functions_str}\n",),
        "granite_3": ("Knowledge Cutoff Date: 1.", " You are a helpful AI assistant with tools."),
        "granite_4": (
            "You are a helpful assistant with access to\n<tools>",
            "\n</tools>\n\nCall so.",
            "You are a helpful assistant. Please.",
        ),
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
        "minicpm_fc": ("from enum import Enum\n", "# Functions\n{tools}\n{{explain}}\n"),
        "nanbeige_fc": ("你是一位工具函数调用专家。", *_TOOLS, "<|im_start|>system\n 你<|im_end|>\n"),
        "pelican_vl_fc": (
            "# Tools\n\nCall.",
            "\n\nYou are provided:",
            "\n\nFor each function call:",
            "\n<tool_call>\n{}\n</tool_call>",
        ),
        "qwen_fc": _TOOLS,
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
    outcome: str = " r"  # of a call, before its number
    asking: FamilyAsking = field(init=False)

    def __post_init__(self) -> None:
        self.asking = FamilyAsking(load_families()[self.family])

    def prompt(self) -> str:
        """The prompt of the next request."""
        written = self.asking.written(self._request(), TEXTS).prompt
        assert written is not None
        return written

    def answer(self, text: str) -> None:
        """The model's answer, and a result of each of its calls with its number: 0, 1, ..."""
        result, answer = self.asking.read(self._request(), text)
        self.messages.append(answer.reply)
        calls = decode_step(result, self.asking.mode)
        if not isinstance(calls, DecodeFailure):
            outcomes = [f"{self.outcome}{place}" for place in range(len(calls))]
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


FUNCTION: FunctionDoc = {"name": "f", "description": "é"}
"""Without parameters."""

QUESTION: Message = {"role": "user", "content": "Go."}


def prompt_after(
    family: str,
    *said: str | Message,
    question: tuple[Message, ...] = (QUESTION,),
    functions: tuple[FunctionDoc, ...] = (FUNCTION,),
) -> str:
    """The prompt after `question` and what was `said`: a text is an answer, whose calls have the results
    r0, r1, ...; a mapping is a further message."""
    talk = Talk(family, list(question), functions, outcome="r")
    for each in said:
        if isinstance(each, str):
            talk.answer(each)
        else:
            talk.messages.append(each)
    return talk.prompt()
