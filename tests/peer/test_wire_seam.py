"""The wire seam of OpenAI's formats: request bodies and decoded results equal the official ones.

Covers whole bodies: every official handler over chat completions and Responses is compared with the adapter
of our row for it, including options and URL, over single-turn entries and scripted multi-turn conversations
in each of its modes. The official side uses its vendor's client; both sides receive the same API answers.
Intentional differences are listed in `wire_reference.ARGUED` and `EMPTY_CALLS`.

Not covered: Fireworks and Writer (separate formats that their servers no longer serve), Nemotron, Mining
and DM-Cito (separate prompts); for DeepSeek, Nvidia and Ling three entries of live_irrelevance with
adjacent user messages, which these handlers join; for Qwen and Nanbeige text beside calls, which they omit
from the history, and for Qwen calls without arguments, on which its handler stops with an error; for Novita
the descriptions of returned values, which it writes as prose; for Mistral conversations with calls, whose
results it sends with names beside their ids, and in which its client omits the descriptions of returned
values.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.ask.generation import conversation
from bfcl_pipeline.ask.generation.asking import ChatAsking
from bfcl_pipeline.ask.models.adapters.openai_chat import OpenAIChat, fold_events
from bfcl_pipeline.ask.models.adapters.openai_responses import OpenAIResponses
from bfcl_pipeline.ask.models.adapters.response_validator import ResponseValidator
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Call, Entry, Exchange, Json, Mode
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import Constants, World, WorldConfig
from tests.peer.conversation_scripts import Answer, script, with_calls, without_calls
from tests.peer.peer import ask_peer, require_peer
from tests.peer.recorded import Seam
from tests.peer.wire_handlers import HANDLERS, Handler
from tests.peer.wire_scripts import chat_answers, responses_answers, streamed

SINGLE_TURN = ("simple_python", "live_multiple", "parallel", "irrelevance", "simple_java")
SEVERAL_TURNS = ("multi_turn_base", "multi_turn_miss_func")

EMPTY_CALLS = "text beside an empty list of calls"
"""The official handler uses the empty list as the answer and drops the text; the documentation of chat
completions requires at least one call in the list, so the text is the answer."""


@dataclass(frozen=True)
class Case:
    """One conversation to run."""

    handler: Handler
    mode: Mode
    entry: Entry
    answers: Sequence[Json]  # of the API

    def question(self, full: bool = False) -> dict[str, Any]:
        """The question to the official side."""
        return {
            "handler": self.handler.name,
            "model": self.handler.model,
            "mode": self.mode,
            "category": self.entry.category,
            "entry_id": self.entry.entry_id,
            "answers": self.answers,
            "argued": self.handler.argued,
            "full": full,
        }


@dataclass
class Held:
    """A conversation as our side ran it."""

    requests: list[str] = field(default_factory=list)  # bodies as text
    result: Json = None
    tokens: list[int] = field(default_factory=lambda: [0, 0])  # sent and received
    argued: int = 0  # answers with an intentionally different result

    def answer(self, url: str) -> dict[str, Any]:
        """Our requests, result and tokens in the form of the official ones."""
        return {
            "requests": [blake2b(text.encode(), digest_size=8).hexdigest() for text in self.requests],
            "urls": [url],
            "result": self.result,
            "tokens": self.tokens,
        }


def cases(entries: Callable[[str], list[Entry]]) -> Iterator[Case]:
    for handler in HANDLERS:
        asked = [entry for name in SINGLE_TURN for entry in entries(name)[:: handler.every_single]]
        if handler.several_turns:
            asked += [entry for name in SEVERAL_TURNS for entry in entries(name)[:: handler.every]]
        for entry in asked:
            for mode in handler.modes:
                yield Case(handler, mode, entry, list(answers(handler, mode, entry)))


def answers(handler: Handler, mode: Mode, entry: Entry) -> Iterator[Json]:
    """The API's answers in the conversation over `entry`."""
    rng = random.Random(f"{handler.label} {mode} {entry.entry_id}")
    scripted = list(said(handler, mode, entry, rng))
    if handler.responses:
        yield from responses_answers(scripted, rng, thinks=handler.thinks)
        return
    for answer in chat_answers(
        scripted, rng, thinks=handler.thinks, silent=handler.silent, refuses=handler.wordy
    ):
        yield streamed(answer) if handler.options.get("stream") else answer


def said(handler: Handler, mode: Mode, entry: Entry, rng: random.Random) -> Iterator[Answer]:
    """The model's answers, limited to those that the handler and its API support."""
    model = OpenAIResponses(handler.row(mode)) if handler.responses else OpenAIChat(handler.row(mode))
    if CATEGORIES[entry.category].single_turn:
        called = [Call(entry.functions[0]["name"], {"a": "é"})] * rng.choice((1, 1, 2))
        wordless = without_calls(rng, mode, model.wire)
        scripted = [rng.choice((with_calls(rng, mode, called), wordless))]
    else:
        scripted = script(entry, mode, model.wire)
    for one in scripted:
        if handler.wordy:
            yield one
        elif one.calls:
            calls = tuple((name, arguments or "{") for name, arguments in one.calls)
            yield replace(one, text=None, calls=calls)
        else:
            yield Answer(one.text or "")


def test_bodies_and_results_equal_the_official_ones(
    entries: Callable[[str], list[Entry]],
    staged: Path,
    constants: Constants,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every body that an API is sent is the official one, and so is every result."""
    require_peer()
    texts = read_texts(staged)
    asked = list(cases(entries))
    requests: Counter[str] = Counter()
    argued = 0
    ours = []
    for case in asked:
        done = held(case, texts, constants)
        requests[case.handler.name] += len(done.requests)
        argued += done.argued
        ours.append(done.answer(case.handler.url))
    seam = Seam("wire", "wire_reference")
    official = seam.answers([case.question() for case in asked], ours, tmp_path / "peer")
    disagreements = [case for case, own, theirs in zip(asked, ours, official, strict=True) if own != theirs]
    with capsys.disabled():
        told = ", ".join(f"{name} {count:,}" for name, count in requests.items())
        print(
            f"\nwire seam: {len(asked):,} conversations, {requests.total():,} bodies ({told}) compared, "
            f"{len(disagreements)} disagree; {argued} times {EMPTY_CALLS}"
        )
    if disagreements:
        case = disagreements[0]
        (theirs,) = ask_peer("wire_reference", [case.question(full=True)], tmp_path / "shown")
        shown = first_difference(held(case, texts, constants), theirs)
        pytest.fail(
            f"{len(disagreements)} disagree, for one {case.handler.label} {case.mode} "
            f"{case.entry.entry_id}: {shown}"
        )
    assert argued >= 20
    assert requests.total() >= 15_000


def held(case: Case, texts: Texts, constants: Constants) -> Held:
    """The conversation with our adapter, over the same answers of the API."""
    done = Held()
    row = case.handler.row(case.mode)
    model = OpenAIResponses(row) if case.handler.responses else OpenAIChat(row)
    owner = re.sub(r"[/.-]", "_", case.handler.model)  # as the official worlds are named after a model
    world = World.for_entry(case.entry, WorldConfig(constants), owner)
    talk = conversation(case.entry, ChatAsking(case.mode, model.wire), texts, world)
    request = next(talk)
    while True:
        answer = case.answers[min(len(done.requests), len(case.answers) - 1)]
        done.requests.append(text_of(model.body(request)))
        raw = fold_events(answer.encode(), ResponseValidator("m")) if isinstance(answer, str) else answer
        exchange = model.read(request, raw)
        done.tokens[0] += exchange.input_tokens or 0
        done.tokens[1] += exchange.output_tokens or 0
        if lists_no_call(raw) and case.mode is Mode.FC:
            exchange = Exchange(request, [], reply=exchange.reply)
            done.argued += 1
        try:
            request = talk.send(exchange)
        except StopIteration as end:
            done.result = json.loads(json.dumps(end.value))
            return done


def lists_no_call(raw: Json) -> bool:
    """Whether an answer has an empty list of calls."""
    return "choices" in raw and raw["choices"][0]["message"].get("tool_calls") == []


def text_of(body: Json) -> str:
    """A body as text; the order of keys counts in tools, as models see it."""
    return json.dumps({**body, "tools": None}, sort_keys=True) + "\n" + json.dumps(body.get("tools"))


def first_difference(ours: Held, theirs: dict[str, Any]) -> str:
    """Where the two sides of a conversation, both in full, fall apart; for a person."""
    for number, (mine, other) in enumerate(zip(ours.requests, theirs["requests"], strict=False)):
        if mine != other:
            pairs = enumerate(zip(mine, other, strict=False))
            at = next((at for at, (a, b) in pairs if a != b), min(len(mine), len(other)))
            window = slice(max(0, at - 300), at + 300)
            return f"body {number}\n  ours:     {mine[window]}\n  official: {other[window]}"
    counts = f"{len(ours.requests)} and {len(theirs['requests'])} requests to {theirs['urls']}"
    told = f"{counts}, {ours.tokens} and {theirs['tokens']} tokens"
    return f"{told}\n  ours:     {json.dumps(ours.result)}\n  official: {json.dumps(theirs['result'])}"
