"""How open weights of a family are asked: the messages of their conversations, as text in one prompt.

An Asking of `ask.generation`. Source: the release's loop for prompted conversations, with what
each handler of model_handler/local_inference replaces in it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import valid_unicode
from bfcl_pipeline.benchmark.config.families import OWN_TEMPLATE, FamilyRow
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
from bfcl_pipeline.dialogue.families.readers import READERS
from bfcl_pipeline.dialogue.families.readers.answers import Answer
from bfcl_pipeline.dialogue.families.rendering import FORMS, render
from bfcl_pipeline.dialogue.prompts import (
    Texts,
    fc_request,
    joined_users,
    offered_functions,
    prompt_request,
)

PromptWriter: TypeAlias = Callable[[Sequence[Message], Sequence[Json]], str]
"""Messages and functions to the prompt. Raises ConfigError if the template's files are missing."""


@dataclass(frozen=True, slots=True)
class FamilyAsking:
    """A model of one family."""

    row: FamilyRow
    own_template: PromptWriter | None = None  # the model's, for a family without a template of its own

    @property
    def mode(self) -> Mode:
        """The form of answers, in which they are scored."""
        return self.row.mode

    @property
    def name_style(self) -> NameStyle:
        """The spelling of function names in prompts."""
        return self.row.name_style

    def first(self, entry: Entry, texts: Texts) -> Request:
        """The first turn; with the benchmark's system prompt if the family has none of its own."""
        asked = prompt_request(entry, texts) if self.row.system_prompt else fc_request(entry)
        return replace(
            asked,
            mode=self.mode,
            messages=self._turn(asked.messages, first=True),
            tools=offered_functions(entry),
        )

    def later(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The messages of a later turn in the family's roles."""
        return self._turn(messages, first=False)

    def more_functions(
        self, appeared: Sequence[FunctionDoc], texts: Texts
    ) -> tuple[Message, tuple[Json, ...]]:
        """A message with their docs, for families with tools too: what the template receives stays."""
        docs = texts.more_functions_prompt.format(functions=list(appeared))
        return {"role": "user", "content": docs}, ()

    def written(self, request: Request, texts: Texts) -> Request:
        """`request` with its prompt.

        Raises:
            MalformedRelease: the release lacks a text of it.
            ConfigError: a file or a package is missing.
        """
        earlier = _earlier(request)
        functions = FORMS[self.row.functions](request.tools, earlier)
        if self.row.template == OWN_TEMPLATE:
            if self.own_template is None:
                raise ConfigError(
                    f"family {self.row.name}: prompts need the template of a model's tokenizer."
                )
            prompt = self.own_template(request.messages, functions)
        else:
            prompt = render(self.row.template, request.messages, functions, texts.families, earlier)
        return replace(request, prompt=valid_unicode(prompt))  # calls may name half of a UTF-16 pair

    def read(self, request: Request, text: str) -> tuple[Json, Answer]:
        """The result of an answer in its uniform form, and its parts."""
        reader = READERS[self.row.reader]
        answer = reader.split(text, len(request.messages))
        return reader.uniform(answer.stored, request.goes_on), answer

    def outcomes(self, answer: Message, calls: Sequence[Call], outcomes: Sequence[str]) -> list[Message]:
        """The results of calls in the family's roles."""
        results = [
            {"role": "tool", "name": self._text(call), "content": outcome}
            for call, outcome in zip(calls, outcomes, strict=True)
        ]
        match self.row.result_role:
            case "user":
                return [{"role": "user", "content": results}]
            case "identified":
                ids = answer.get("tool_call_ids", ())
                return [
                    {"role": "tool", "tool_call_id": call_id, "content": outcome}
                    for call_id, outcome in zip(ids, outcomes, strict=False)
                ]
            case role:
                return [{**result, "role": role} for result in results]

    def _text(self, call: Call) -> str:
        if self.mode is Mode.PROMPT:
            return executed_text(call)
        arguments = (f"{name}={value!r}" for name, value in call.arguments.items())
        return f"{call.name}({self.row.between_arguments.join(arguments)})"

    def _turn(self, messages: Sequence[Message], *, first: bool) -> tuple[Message, ...]:
        as_user = self.row.system_as_user == "every" or (first and self.row.system_as_user == "first")
        turned = [
            {**each, "role": "user"} if as_user and each["role"] == "system" else each for each in messages
        ]
        return tuple(joined_users(turned) if self.row.joins_users else turned)


def _earlier(request: Request) -> int:
    """The number of requests that were sent before in a conversation: each left an answer.

    Only questions of single turns have answers of the model from the beginning.
    """
    if not request.goes_on:
        return 0
    return sum(message["role"] in ("assistant", "model") for message in request.messages)
