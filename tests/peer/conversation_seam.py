"""Scripted conversations: runs them on our side, and makes the requests of both sides comparable.

Covers chains of conversations of which each starts from the memory that those before it left, our requests
converted to a wire format, an adapter's result for a scripted answer, and what a person is told of the
first difference. The tests choose the conversations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Generic, Protocol, TypeVar

from bfcl_pipeline.ask.generation import Completed, conversation
from bfcl_pipeline.ask.generation.conversation import ChatAsking
from bfcl_pipeline.ask.generation.memory import memory_before, obstacle
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Mode, Request, Response, Status
from bfcl_pipeline.dialogue.prompts import Texts, WireFormat, messages_for, offered_functions, tool_schemas
from bfcl_pipeline.world.tools import Constants, World, WorldConfig
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.simulated import SimulatedWeb
from tests.peer.comparison import apart
from tests.peer.conversation_scripts import Answer
from tests.support.word_encoder import WordEncoder

SILENT_GEMINI = "The model did not return any response."
"""The official Gemini handler's result for an answer without parts."""


@dataclass
class Held:
    """A conversation as our side ran it."""

    requests: list[str] = field(default_factory=list)  # as text
    result: Json = None
    more: dict[str, Json] = field(default_factory=dict)  # what a seam compares besides

    def answer(self) -> dict[str, Any]:
        """Requests, as digests, result and more, in the form of the official side."""
        requests = [blake2b(text.encode(), digest_size=8).hexdigest() for text in self.requests]
        return {"requests": requests, "result": json.loads(json.dumps(self.result)), **self.more}

    def difference(self, theirs: Mapping[str, Any]) -> str:
        """Where the official side, in full, differs first; for a person."""
        pairs = enumerate(zip(self.requests, theirs["requests"], strict=False))
        for number, (ours, other) in pairs:
            if ours != other:
                return f"request {number}, {apart(ours, other)}"
        left = {"requests": len(self.requests), "result": self.result, **self.more}
        official = {**theirs, "requests": len(theirs["requests"])}
        return f"\n  ours:     {json.dumps(left)}\n  official: {json.dumps(official)}"


class TellingWeb:
    """A simulated web that fails now and then, and keeps its outcomes as the official side reads them."""

    def __init__(self, web: SimulatedWeb) -> None:
        self._web = web
        self.searches: dict[str, dict[str, Any]] = {}
        self.pages: dict[str, dict[str, Any]] = {}

    @classmethod
    def empty(cls) -> TellingWeb:
        """A web without pages."""
        return cls(SimulatedWeb.of(()))

    def search(self, keywords: str, region: str) -> Hits | WebFailure:
        """One search in nine fails."""
        asked = json.dumps([keywords, region])
        if _drawn(asked, 9) == 0:
            self.searches[asked] = {"failure": "HTTPSConnectionPool(host='s.test'): Read timed out."}
            return WebFailure(self.searches[asked]["failure"])
        found = self._web.search(keywords, region)
        assert isinstance(found, Hits)
        shown = [{"title": hit.title, "link": hit.href, "snippet": hit.body} for hit in found.hits]
        self.searches[asked] = {"organic_results": shown} if shown else {"search_metadata": {}}
        return found

    def fetch(self, url: str) -> Page | WebFailure:
        """One fetch in nine fails, and another returns a page that is not HTML."""
        if _drawn(url, 9) == 0:
            self.pages[url] = {"failure": "('Connection aborted.', ConnectionResetError(104, 'reset'))"}
            return WebFailure(self.pages[url]["failure"])
        outcome = Page('{"a": "<b>é</b>"}\r\n') if _drawn(url, 9) == 1 else self._web.fetch(url)
        if isinstance(outcome, WebFailure):
            self.pages[url] = {"status": 404, "reason": "Not Found", "text": "<p>none</p>"}
        else:
            self.pages[url] = {"status": 200, "reason": "OK", "text": outcome.text}
        return outcome


def _drawn(text: str, most: int) -> int:
    return blake2b(text.encode()).digest()[0] % most


class Talk(Protocol):
    """One conversation of a seam."""

    @property
    def entry(self) -> Entry: ...

    @property
    def answers(self) -> Sequence[Json]:
        """Of the scripted model, which ends with "Done." after the last."""

    def hold(self, texts: Texts, world: World) -> Held:
        """Our side."""


TalkT = TypeVar("TalkT", bound=Talk)


@dataclass
class Chain(Generic[TalkT]):
    """Conversations of one category, of which each may start from the memory that those before it left."""

    talks: Sequence[TalkT]
    asked: Mapping[str, Any]  # what the official side is told of all of them
    web: TellingWeb
    held: list[Held] = field(default_factory=list)

    def hold(self, texts: Texts, constants: Constants) -> None:
        """Our side."""
        completed: dict[str, Completed] = {}
        setting = WorldConfig(constants, web=self.web, encoder=WordEncoder())
        for talk in self.talks:
            entry = talk.entry
            assert obstacle(entry, completed) is None
            world = World.for_entry(entry, setting, "model", memory_before(entry, completed))
            held = talk.hold(texts, world)
            left = world.memory.snapshot() if entry.prerequisite and world.memory else None
            answer = Response(entry.entry_id, entry.category, Mode.FC, None, Status.ANSWERED)
            completed[entry.entry_id] = Completed(entry, answer, left)
            held.more["snapshot"] = None if left is None else json.dumps(left)
            self.held.append(held)

    def question(self, full: bool = False) -> dict[str, Any]:
        """The question to the official side, with the web's answers that our side drew."""
        return {
            **self.asked,
            "category": self.talks[0].entry.category,
            "full": full,
            "web": {"searches": self.web.searches, "pages": self.web.pages},
            "conversations": [
                {"entry_id": talk.entry.entry_id, "answers": talk.answers} for talk in self.talks
            ],
        }

    def answer(self) -> dict[str, Any]:
        """Our side, in the form of the official one."""
        return {"conversations": [held.answer() for held in self.held]}


@dataclass(frozen=True)
class Case:
    """One conversation with an API."""

    entry: Entry
    mode: Mode
    wire: WireFormat
    script: Sequence[Answer]

    @property
    def answers(self) -> list[Json]:
        """Pairs of text and calls."""
        return [(answer.text, answer.calls) for answer in self.script]

    def hold(self, texts: Texts, world: World) -> Held:
        """The conversation in that world, with the script in the model's place."""
        done, sent, answers = Held(), Sent(self), iter(self.script)
        talk = conversation(self.entry, ChatAsking(self.mode), texts, world)
        request = next(talk)
        while True:
            done.requests.append(sent.of(request))
            try:
                request = talk.send(exchange(self, request, next(answers, Answer("Done."))))
            except StopIteration as end:
                done.result = end.value
                return done


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

    def of(self, request: Request) -> str:
        """Messages and tools, a line each."""
        shaped = messages_for(self._wire, request.messages)
        sent = json.dumps({"system": shaped.system, "messages": shaped.messages}, sort_keys=True)
        tools = request.tools
        if self._wire is not WireFormat.OPENAI_CHAT:
            tools = tool_schemas([self._docs[tool["function"]["name"]] for tool in tools], self._wire)
        return re.sub(r'"call_\d+_\d+"', self._numbered, sent) + f"\n{json.dumps(tools)}"

    def _numbered(self, found: re.Match[str]) -> str:
        """The conversation's own id of a call as the script has it: numbered through the whole."""
        return self._ids.setdefault(found[0], f'"call_{len(self._ids)}"')


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
