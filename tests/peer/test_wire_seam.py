"""The wire seam: request bodies and decoded results of APIs equal the official ones.

Covers whole bodies: every official handler of an API is compared with the adapter of our row for it,
including options and URL, over single-turn entries and scripted multi-turn conversations in each of its
modes. The official side uses its vendor's client; both sides receive the same API answers. Intentional
differences are listed in `wire_reference.ARGUED`, `EMPTY_CALLS` and `without_ids`.

Not covered: Fireworks and Writer (separate formats that their servers no longer serve), Nemotron, Mining
and DM-Cito (separate prompts); for DeepSeek, Nvidia and Ling three entries of live_irrelevance with
adjacent user messages, which these handlers join; for Qwen and Nanbeige text beside calls, which they omit
from the history, and for Qwen calls without arguments, on which its handler stops with an error; for Novita
the descriptions of returned values, which it writes as prose; for Mistral conversations with calls, whose
results it sends with names beside their ids, and in which its client omits the descriptions of returned
values. Nor, because the official handlers stop with an error that they store as the answer, a prompt that
Gemini blocks, a Gemini call without arguments, and prompted Claude answers that are empty or begin with a
thought; because they lose text, several texts in one prompted answer.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.ask.generation import conversation
from bfcl_pipeline.ask.models.adapters.openai_chat import fold_events
from bfcl_pipeline.ask.models.adapters.response_validator import ResponseValidator
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Call, Entry, Exchange, Json, Mode
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import Constants, World, WorldConfig
from tests.peer.conversation_scripts import Answer, script, with_calls, without_calls
from tests.peer.conversation_seam import Held
from tests.peer.peer import ask_peer, require_peer
from tests.peer.recorded import Seam
from tests.peer.wire_handlers import HANDLERS, Handler
from tests.peer.wire_scripts import (
    anthropic_answers,
    chat_answers,
    gemini_answers,
    responses_answers,
    streamed,
)

REFERENCE = "wire_reference"
SINGLE_TURN = ("simple_python", "live_multiple", "parallel_multiple", "irrelevance", "simple_java")
SEVERAL_TURNS = ("multi_turn_base", "multi_turn_miss_func", "multi_turn_long_context")

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


def cases(entries: Callable[[str], list[Entry]]) -> Iterator[Case]:
    for handler in HANDLERS:
        first = handler.first
        asked = [entry for name in SINGLE_TURN for entry in entries(name)[first :: handler.every_single]]
        if handler.several_turns:
            asked += [entry for name in SEVERAL_TURNS for entry in entries(name)[first :: handler.every]]
        for entry in asked:
            for mode in handler.modes:
                yield Case(handler, mode, entry, list(answers(handler, mode, entry)))


def answers(handler: Handler, mode: Mode, entry: Entry) -> Iterator[Json]:
    """The API's answers in the conversation over `entry`."""
    rng = random.Random(f"{handler.label} {mode} {entry.entry_id}")
    scripted = list(said(handler, mode, entry, rng))
    match handler.kind:
        case "anthropic":
            return anthropic_answers(scripted, mode, rng)
        case "gemini":
            return gemini_answers(scripted, rng)
        case "openai_responses":
            return responses_answers(scripted, rng, thinks=handler.thinks)
    chat = chat_answers(scripted, rng, thinks=handler.thinks, silent=handler.silent, refuses=handler.wordy)
    return map(streamed, chat) if handler.options.get("stream") else chat


def said(handler: Handler, mode: Mode, entry: Entry, rng: random.Random) -> Iterator[Answer]:
    """The model's answers, limited to those that the handler and its API support."""
    wire = handler.adapter(mode).wire
    if CATEGORIES[entry.category].single_turn:
        called = [Call(entry.functions[0]["name"], {"a": "é"})] * rng.choice((1, 1, 2))
        answer = rng.choice((with_calls(rng, mode, called), without_calls(rng, mode, wire)))
        fenced = handler.kind == "gemini" and mode is Mode.PROMPT and answer.text is not None
        if fenced and rng.random() < 0.3:
            answer = Answer(f"```tool_code\n{answer.text}\n```")
        scripted = [answer]
    else:
        scripted = script(entry, mode, wire)
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
    argued, ours = 0, []
    for case in asked:
        done, empty = held(case, texts, constants)
        requests[case.handler.name] += len(done.requests)
        argued += empty
        ours.append(done.answer())
    seam = Seam("wire", REFERENCE)
    official = seam.answers([case.question() for case in asked], ours, tmp_path / "peer")
    differing = [case for case, own, theirs in zip(asked, ours, official, strict=True) if own != theirs]
    with capsys.disabled():
        told = ", ".join(f"{name} {count:,}" for name, count in requests.items())
        print(
            f"\nwire seam: {len(asked):,} conversations, {requests.total():,} bodies ({told}) compared, "
            f"{len(differing)} differ; {argued} times {EMPTY_CALLS}"
        )
    if differing:
        case = differing[0]
        (theirs,) = ask_peer(REFERENCE, [case.question(full=True)], tmp_path / "shown")
        told = held(case, texts, constants)[0].difference(theirs)
        named = f"{case.handler.label} {case.mode} {case.entry.entry_id}"
        pytest.fail(f"{len(differing)} differ, for one {named}: {told}")
    assert argued >= 20
    assert requests.total() >= 24_000


def held(case: Case, texts: Texts, constants: Constants) -> tuple[Held, int]:
    """The conversation with our adapter, over the same answers of the API; how often `EMPTY_CALLS`."""
    done, argued = Held(), 0
    tokens = [0, 0]  # sent and received
    model = case.handler.adapter(case.mode)
    owner = re.sub(r"[/.-]", "_", case.handler.model)  # as the official worlds are named after a model
    world = World.for_entry(case.entry, WorldConfig(constants), owner)
    talk = conversation(case.entry, model.asking, texts, world)
    request = next(talk)
    while True:
        answer = case.answers[min(len(done.requests), len(case.answers) - 1)]
        done.requests.append(text_of(without_ids(model.body(request))))
        raw = fold_events(answer.encode(), ResponseValidator("m")) if isinstance(answer, str) else answer
        exchange = model.read(request, raw)
        tokens[0] += exchange.input_tokens or 0
        tokens[1] += exchange.output_tokens or 0
        if lists_no_call(raw) and case.mode is Mode.FC:
            exchange = Exchange(request, [], reply=exchange.reply)
            argued += 1
        try:
            request = talk.send(exchange)
        except StopIteration as end:
            done.result = end.value
            url = f"{case.handler.endpoint}/{case.handler.path}"
            done.more = {"urls": [url], "tokens": tokens}
            return done, argued


def lists_no_call(raw: Json) -> bool:
    """Whether an answer has an empty list of calls."""
    return "choices" in raw and raw["choices"][0]["message"].get("tool_calls") == []


def without_ids(body: Json) -> Json:
    """A body as sent, without the ids of Gemini's calls, which their results repeat.

    Gemini documents that ids are sent back; the official handler does not send them.
    """
    if "contents" not in body:
        return body
    contents = [
        {**content, "parts": [_without_id(part) for part in content["parts"]]}
        for content in body["contents"]
    ]
    return {**{key: value for key, value in body.items() if key != "model"}, "contents": contents}


def _without_id(part: Json) -> Json:
    if "functionResponse" not in part:
        return part
    return {"functionResponse": {k: v for k, v in part["functionResponse"].items() if k != "id"}}


def text_of(body: Json) -> str:
    """A body as text; the order of keys counts in tools, as models see it, but not in Gemini's."""
    tools = json.dumps(body.get("tools"), sort_keys="contents" in body)
    return json.dumps({**body, "tools": None}, sort_keys=True) + "\n" + tools
