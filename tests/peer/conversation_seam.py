"""Scripted conversations: runs them on our side, and makes the requests of both sides comparable.

Covers our requests converted to a wire format, an adapter's result for a scripted answer, and the first
difference between the two sides. The tests choose the conversations and their worlds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from bfcl_pipeline.ask.generation import conversation
from bfcl_pipeline.ask.generation.asking import ChatAsking
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Mode, Request
from bfcl_pipeline.dialogue.prompts import Texts, WireFormat, messages_for, offered_functions, tool_schemas
from bfcl_pipeline.world.tools import World
from tests.peer.conversation_scripts import Answer

SILENT_GEMINI = "The model did not return any response."
"""The official Gemini handler's result for an answer without parts."""


@dataclass(frozen=True)
class Case:
    """One conversation to run."""

    entry: Entry
    mode: Mode
    wire: WireFormat
    answers: Sequence[Answer]  # of the scripted model, which ends with "done" after the last

    def row(self, full: bool = False) -> dict[str, Any]:
        """The question to the official side."""
        return {
            "wire": self.wire,
            "mode": self.mode,
            "category": self.entry.category,
            "entry_id": self.entry.entry_id,
            "answers": [(answer.text, answer.calls) for answer in self.answers],
            "full": full,
        }


@dataclass
class Held:
    """A conversation as our side ran it."""

    requests: list[tuple[str, str]] = field(default_factory=list)  # messages and tools as JSON
    result: Json = None

    def answer(self) -> dict[str, Any]:
        """Our requests and result in the form of the official ones."""
        requests = [digest(*request) for request in self.requests]
        return {"requests": requests, "result": json.loads(json.dumps(self.result))}


class Sent:
    """The requests of one conversation in its wire format, as JSON."""

    def __init__(self, case: Case) -> None:
        self._wire = case.wire
        docs = [
            *offered_functions(case.entry),
            *(doc for docs in case.entry.held_out.values() for doc in docs),
        ]
        self._docs = {doc["name"]: doc for doc in docs}
        self._ids: dict[str, str] = {}

    def of(self, request: Request) -> tuple[str, str]:
        """Messages and tools."""
        shaped = messages_for(self._wire, request.messages)
        sent = json.dumps({"system": shaped.system, "messages": shaped.messages}, sort_keys=True)
        tools = request.tools
        if self._wire is not WireFormat.OPENAI_CHAT:
            tools = tool_schemas([self._docs[tool["function"]["name"]] for tool in tools], self._wire)
        return re.sub(r'"call_\d+_\d+"', self._numbered, sent), json.dumps(tools)

    def _numbered(self, found: re.Match[str]) -> str:
        """The conversation's own id of a call as the script has it: numbered through the whole."""
        return self._ids.setdefault(found[0], f'"call_{len(self._ids)}"')


def held(case: Case, texts: Texts, world: World) -> Held:
    """The conversation in that world, with the script in the model's place."""
    done, sent, answers = Held(), Sent(case), iter(case.answers)
    talk = conversation(case.entry, ChatAsking(case.mode), texts, world)
    request = next(talk)
    while True:
        done.requests.append(sent.of(request))
        try:
            request = talk.send(exchange(case, request, next(answers, Answer("Done."))))
        except StopIteration as end:
            done.result = end.value
            return done


def exchange(case: Case, request: Request, answer: Answer) -> Exchange:
    """An adapter's exchange for an answer: the official result form, with a reply if that form is
    insufficient."""
    result = official_result(case, answer)
    text = answer.text
    if case.wire is WireFormat.GEMINI and text is None and not answer.calls:
        text = SILENT_GEMINI
    if answer.calls is None and result == text:
        return Exchange(request, result)
    if answer.calls and text is None and isinstance(result[0][answer.calls[0][0]], str):
        return Exchange(request, result)
    reply: dict[str, Any] = {"role": "assistant", "content": text}
    if answer.calls is not None:
        reply["tool_calls"] = [
            {"id": f"call_{len(request.messages)}_{place}", "name": name, "arguments": arguments}
            for place, (name, arguments) in enumerate(answer.calls)
        ]
    return Exchange(request, result, reply=reply)


def official_result(case: Case, answer: Answer) -> Json:
    """The result form of the official handler of the wire format."""
    match case.wire, case.mode:
        case WireFormat.OPENAI_CHAT, _:
            return answer.text if answer.calls is None else named(answer, str)
        case WireFormat.OPENAI_RESPONSES, _:
            return named(answer, str) or answer.text or ""
        case WireFormat.GEMINI, Mode.PROMPT:
            return SILENT_GEMINI if answer.text is None else answer.text
        case _, Mode.PROMPT:
            return answer.text
        case WireFormat.ANTHROPIC, _:
            calls = named(answer, lambda arguments: json.dumps(json.loads(arguments)))
        case _:
            calls = named(answer, json.loads)
    return calls or [text for text in (answer.text,) if text is not None]


def named(answer: Answer, form: Callable[[str], Json]) -> list[dict[str, Json]]:
    """The calls of an answer, the arguments of each in that form."""
    return [{name: form(arguments)} for name, arguments in answer.calls or ()]


def digest(messages: str, tools: str) -> str:
    """The digest that the official side returns in place of a whole request."""
    return blake2b(f"{messages}\n{tools}".encode(), digest_size=8).hexdigest()


def first_difference(ours: Held, theirs: dict[str, Any]) -> str:
    """Where the two sides of a conversation, both in full, fall apart; for a person."""
    pairs = zip(ours.requests, theirs["requests"], strict=False)
    for number, (mine, other) in enumerate(pairs):
        for what, a, b in zip(("messages", "tools"), mine, other, strict=True):
            if a != b:
                at = next(
                    (at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
                )
                window = slice(max(0, at - 300), at + 300)
                return f"{what} of request {number}\n  ours:     {a[window]}\n  official: {b[window]}"
    counts = f"{len(ours.requests)} and {len(theirs['requests'])} requests"
    return f"{counts}\n  ours:     {json.dumps(ours.result)}\n  official: {json.dumps(theirs['result'])}"
