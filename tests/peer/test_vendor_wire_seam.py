"""The wire seam of Anthropic and Google: request bodies, and the decoded results of answers.

Covers whole bodies: the official handlers of Claude and Gemini are compared with our adapters, in both
modes, over all entries of a few single-turn categories and scripted multi-turn conversations. The official
side uses its vendor's client; both sides receive the same API answers. Intentional differences are listed
in `vendor_wire_reference.ARGUED` and `ours`.

Not covered, because the official handlers stop with an error that they store as the answer: a prompt that
Gemini blocks, a Gemini call without arguments, and prompted Claude answers that are empty or begin with a
thought; because they lose text: several texts in one prompted answer.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.ask.generation import conversation
from bfcl_pipeline.ask.generation.backends import Adapter
from bfcl_pipeline.ask.models.adapters.anthropic import Anthropic
from bfcl_pipeline.ask.models.adapters.gemini import API_VERSION, Gemini
from bfcl_pipeline.benchmark.config import KINDS, ModelRow
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Call, Entry, Json, Mode, total
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import Constants, World, WorldConfig
from tests.peer.conversation_scripts import Answer, script, with_calls, without_calls
from tests.peer.peer import ask_peer, require_peer
from tests.peer.recorded import Seam
from tests.peer.vendor_wire_scripts import anthropic_answers, gemini_answers

SINGLE_TURN = ("simple_python", "simple_java", "parallel_multiple", "irrelevance", "live_multiple")
SEVERAL_TURNS = ("multi_turn_base", "multi_turn_miss_func", "multi_turn_long_context")
EVERY = 10
"""Every n-th multi-turn entry is compared; of single-turn categories all entries are."""

CLAUDES = ("claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001")
GEMINIS = ("gemini-2.5-flash-lite", "gemini-3-pro-preview")


@dataclass(frozen=True)
class Case:
    """One conversation to run."""

    model: Adapter
    name: str  # the model's name at the API
    entry: Entry
    answers: Sequence[Json]  # of the API

    def question(self, full: bool = False) -> dict[str, Any]:
        """The question to the official side."""
        return {
            "wire": self.model.wire,
            "model": self.name,
            "mode": self.model.asking.mode,
            "category": self.entry.category,
            "entry_id": self.entry.entry_id,
            "answers": self.answers,
            "full": full,
        }


@dataclass
class Held:
    """A conversation as our side ran it."""

    requests: list[str] = field(default_factory=list)  # bodies as text
    result: Json = None
    tokens: tuple[int | None, int | None] = (None, None)  # sent and received

    def answer(self, case: Case) -> dict[str, Any]:
        """Our requests, result and tokens in the form of the official ones."""
        return {
            "requests": [blake2b(text.encode(), digest_size=8).hexdigest() for text in self.requests],
            "urls": urls(case),
            "result": self.result,
            "input_tokens": self.tokens[0],
            "output_tokens": self.tokens[1],
        }


def models() -> Iterator[tuple[Adapter, str]]:
    """Our models, and what their APIs call them."""
    for build, kind, names in ((Anthropic, "anthropic", CLAUDES), (Gemini, "gemini", GEMINIS)):
        for name in names:
            for mode in Mode:
                yield (
                    build(
                        ModelRow(
                            name=f"{name} {mode}",
                            kind=kind,
                            mode=mode,
                            display_name=name,
                            model=name,
                            endpoint=KINDS[kind].endpoint,
                        )
                    ),
                    name,
                )


def cases(entries: Callable[[str], list[Entry]]) -> Iterator[Case]:
    for model, name in models():
        some = len(CLAUDES if isinstance(model, Anthropic) else GEMINIS)
        first = (CLAUDES if isinstance(model, Anthropic) else GEMINIS).index(name)
        for category in SINGLE_TURN + SEVERAL_TURNS:
            single = CATEGORIES[category].single_turn
            asked = entries(category)[first :: some if single else some * EVERY]
            for entry in asked:
                yield Case(model, name, entry, list(answers(model, entry)))


def answers(model: Adapter, entry: Entry) -> Iterator[Json]:
    """The API's answers in the conversation over `entry`."""
    rng = random.Random(f"{model.name} {entry.entry_id}")
    said = list(scripted(model, entry, rng))
    if isinstance(model, Anthropic):
        return anthropic_answers(said, model.asking.mode, rng)
    return gemini_answers(said, rng)


def scripted(model: Adapter, entry: Entry, rng: random.Random) -> Iterator[Answer]:
    """The model's answers."""
    if not CATEGORIES[entry.category].single_turn:
        yield from script(entry, model.asking.mode, model.wire)
        return
    called = [Call(entry.functions[0]["name"], {"a": "é"})] * rng.choice((1, 1, 2))
    answer = rng.choice(
        (with_calls(rng, model.asking.mode, called), without_calls(rng, model.asking.mode, model.wire))
    )
    if model.asking.mode is Mode.PROMPT and answer.text is not None and rng.random() < 0.3:
        answer = Answer(f"```tool_code\n{answer.text}\n```")
    yield answer


def test_bodies_and_results_equal_the_official_ones(
    entries: Callable[[str], list[Entry]],
    staged: Path,
    constants: Constants,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every body that an API is sent is the official one, and so are every result and the tokens."""
    require_peer()
    texts = read_texts(staged)
    asked = list(cases(entries))
    requests: Counter[str] = Counter()
    made = []
    for case in asked:
        done = held(case, texts, constants)
        requests[case.model.wire] += len(done.requests)
        made.append(done.answer(case))
    seam = Seam("vendor_wire", "vendor_wire_reference")
    official = seam.answers([case.question() for case in asked], made, tmp_path / "peer")
    disagreements = [case for case, own, theirs in zip(asked, made, official, strict=True) if own != theirs]
    with capsys.disabled():
        told = ", ".join(f"{wire} {count:,}" for wire, count in requests.items())
        print(
            f"\nwire seam, vendors: {len(asked):,} conversations, {requests.total():,} bodies ({told}) "
            f"compared, {len(disagreements)} disagree"
        )
    if disagreements:
        case = disagreements[0]
        (theirs,) = ask_peer("vendor_wire_reference", [case.question(full=True)], tmp_path / "shown")
        shown = first_difference(case, held(case, texts, constants), theirs)
        pytest.fail(
            f"{len(disagreements)} disagree, for one {case.model.name} {case.entry.entry_id}: {shown}"
        )
    assert requests.total() >= 9_000


def held(case: Case, texts: Texts, constants: Constants) -> Held:
    """The conversation with our adapter, over the same answers of the API."""
    done, counts = Held(), []
    model = case.model
    owner = case.name.replace("-", "_").replace(".", "_")  # as the official worlds are named after a model
    world = World.for_entry(case.entry, WorldConfig(constants), owner)
    talk = conversation(case.entry, model.asking, texts, world)
    request = next(talk)
    while True:
        raw = case.answers[min(len(done.requests), len(case.answers) - 1)]
        done.requests.append(text_of(case, ours(case, model.body(request))))
        exchange = model.read(request, raw)
        counts.append((exchange.input_tokens, exchange.output_tokens))
        try:
            request = talk.send(exchange)
        except StopIteration as end:
            done.result = json.loads(json.dumps(end.value))
            sent, received = zip(*counts, strict=True)
            done.tokens = total(sent), total(received)
            return done


def ours(case: Case, body: Json) -> Json:
    """Our body as sent, without the ids of Gemini's calls, which their results repeat.

    Gemini documents that ids are sent back; the official handler does not send them.
    """
    if isinstance(case.model, Anthropic):
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


def urls(case: Case) -> list[str]:
    """The addresses of the official side's requests.

    Google's client requests v1 by default, and the handler sets no version; in its time it was v1beta.
    """
    if isinstance(case.model, Anthropic):
        return ["https://api.anthropic.com/v1/messages"]
    asked = f"{KINDS['gemini'].endpoint}/{API_VERSION}/models/{case.name}:generateContent"
    return [asked.replace(API_VERSION, "v1")]


def text_of(case: Case, body: Json) -> str:
    """A body as text; the order of keys counts in Anthropic's tools, as models see it."""
    ordered = isinstance(case.model, Anthropic)
    tools = json.dumps(body.get("tools"), sort_keys=not ordered)
    return json.dumps({**body, "tools": None}, sort_keys=True) + "\n" + tools


def first_difference(case: Case, ours: Held, theirs: dict[str, Any]) -> str:
    """Where the two sides of a conversation, both in full, fall apart; for a person."""
    for number, (mine, other) in enumerate(zip(ours.requests, theirs["requests"], strict=False)):
        if mine != other:
            pairs = enumerate(zip(mine, other, strict=False))
            at = next((at for at, (a, b) in pairs if a != b), min(len(mine), len(other)))
            window = slice(max(0, at - 300), at + 300)
            return f"body {number}\n  ours:     {mine[window]}\n  official: {other[window]}"
    counts = f"{len(ours.requests)} and {len(theirs['requests'])} requests to {theirs['urls']}"
    sums = f"{ours.tokens} and {theirs['input_tokens'], theirs['output_tokens']} tokens"
    result = json.dumps(theirs["result"])
    return f"{counts}, {sums}\n  ours:     {json.dumps(ours.result)}\n  official: {result}"
