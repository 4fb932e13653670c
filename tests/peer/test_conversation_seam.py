"""The request seam of conversations: at every step a model is sent what the official package sends.

Covers scripted conversations over every multi-turn entry in both modes: the messages of every request in
the terms of the wire format, its tools, and the result. All entries are held over chat completions, every
eighth over each other wire format. Both sides are compared by digest; a disagreement is shown in full
where it begins.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from conversation_scripts import Answer, script
from peer import ask_peer, require_peer

from bfcl_pipeline.generation import conversation
from bfcl_pipeline.prompts import Texts, WireFormat, messages_for, offered_functions, tool_schemas
from bfcl_pipeline.records import Entry, Exchange, Json, Mode, Request
from bfcl_pipeline.tables.texts import read_texts
from bfcl_pipeline.tools import Constants, Setting, World

pytestmark = pytest.mark.peer

CATEGORIES = ("multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param", "multi_turn_long_context")
EVERY = {wire: 1 if wire is WireFormat.OPENAI_CHAT else 8 for wire in WireFormat}
CONVERSATIONS = 2 * (800 + 3 * 100)

SILENT_GEMINI = "The model did not return any response."
"""What the official Gemini handler takes for an answer that has no parts."""


@dataclass(frozen=True)
class Case:
    """One conversation to be held."""

    entry: Entry
    mode: Mode
    wire: WireFormat

    @property
    def answers(self) -> list[Answer]:
        return script(self.entry, self.mode, self.wire)

    def row(self, full: bool = False) -> dict[str, Any]:
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
    """A conversation as our side held it."""

    requests: list[tuple[str, str]] = field(default_factory=list)  # messages and tools as JSON
    result: Json = None


def cases(entries: Callable[[str], list[Entry]]) -> Iterator[Case]:
    asked = [entry for category in CATEGORIES for entry in entries(category)]
    for wire, every in EVERY.items():
        for entry in asked[::every]:
            for mode in Mode:
                yield Case(entry, mode, wire)


class Sent:
    """Requests of one conversation in the terms of its wire format, as JSON."""

    def __init__(self, case: Case) -> None:
        self._wire = case.wire
        docs = [
            *offered_functions(case.entry),
            *(doc for docs in case.entry.held_out.values() for doc in docs),
        ]
        self._docs = {doc["name"]: doc for doc in docs}
        self._ids: dict[str, str] = {}

    def of(self, request: Request) -> tuple[str, str]:
        shaped = messages_for(self._wire, request.messages)
        sent = json.dumps({"system": shaped.system, "messages": shaped.messages}, sort_keys=True)
        tools = request.tools
        if self._wire is not WireFormat.OPENAI_CHAT:
            tools = tool_schemas([self._docs[tool["function"]["name"]] for tool in tools], self._wire)
        return re.sub(r'"call_\d+_\d+"', self._numbered, sent), json.dumps(tools)

    def _numbered(self, found: re.Match[str]) -> str:
        """The conversation's own id of a call as the script has it: numbered through the whole."""
        return self._ids.setdefault(found[0], f'"call_{len(self._ids)}"')


def held(case: Case, texts: Texts, constants: Constants) -> Held:
    """The conversation, with the script in the model's place."""
    done, sent, answers = Held(), Sent(case), iter(case.answers)
    talk = conversation(
        case.entry, case.mode, texts, World.for_entry(case.entry, Setting(constants), "model")
    )
    request = next(talk)
    while True:
        done.requests.append(sent.of(request))
        try:
            request = talk.send(exchange(case, request, next(answers, Answer("Done."))))
        except StopIteration as end:
            done.result = end.value
            return done


def exchange(case: Case, request: Request, answer: Answer) -> Exchange:
    """What an adapter makes of an answer: the official result form, a reply where that says too little."""
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
    return [{name: form(arguments)} for name, arguments in answer.calls or ()]


def digest(messages: str, tools: str) -> str:
    return blake2b(f"{messages}\n{tools}".encode(), digest_size=8).hexdigest()


@pytest.fixture(scope="module")
def texts(staged: Path) -> Texts:
    return read_texts(staged)


def test_conversations_equal_the_official_ones(
    entries: Callable[[str], list[Entry]],
    texts: Texts,
    constants: Constants,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every request of every conversation is the official one, and so is the result."""
    require_peer()
    asked = list(cases(entries))
    official = ask_peer("conversation_reference.py", [case.row() for case in asked], tmp_path / "peer")
    requests: Counter[WireFormat] = Counter()
    disagreements: list[Case] = []
    ended = 0
    for case, theirs in zip(asked, official, strict=True):
        ours = held(case, texts, constants)
        requests[case.wire] += len(ours.requests)
        ended += len(ours.result) < len(case.entry.turns)
        same = [digest(*request) for request in ours.requests] == theirs["requests"]
        if not same or json.loads(json.dumps(ours.result)) != theirs["result"]:
            disagreements.append(case)
    with capsys.disabled():
        told = ", ".join(f"{wire} {count:,}" for wire, count in requests.items())
        print(
            f"\nrequest seam: {len(asked):,} conversations ({ended} ended for their steps), "
            f"{requests.total():,} requests ({told}) compared, {len(disagreements)} disagree"
        )
    if disagreements:
        case = disagreements[0]
        (theirs,) = ask_peer("conversation_reference.py", [case.row(full=True)], tmp_path / "shown")
        shown = _first_difference(held(case, texts, constants), theirs)
        pytest.fail(
            f"{len(disagreements)} disagree, for one {case.entry.entry_id} {case.mode} {case.wire}: {shown}"
        )
    assert len(asked) == CONVERSATIONS
    assert ended >= 50
    assert requests.total() >= 25_000


def _first_difference(ours: Held, theirs: dict[str, Any]) -> str:
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
