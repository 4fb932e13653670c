"""Scripted conversations of open weights: runs them on our side, and compares them with the official ones.

Covers the bodies of our completions with the official limit on new tokens, the results as they would be
stored, and the first difference between the two sides. The tests choose models and conversations.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from bfcl_pipeline.ask.generation import Completed, conversation
from bfcl_pipeline.ask.generation.memory import memory_before, obstacle
from bfcl_pipeline.ask.models.adapters.completions import Completions
from bfcl_pipeline.ask.models.adapters.prompt_length import new_tokens
from bfcl_pipeline.benchmark.config import ModelRow, load_models
from bfcl_pipeline.benchmark.config.families import OWN_TEMPLATE, is_own, load_families
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Mode, Request, Response, Status
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.world.tools import Constants, World, WorldConfig
from tests.peer.family_scripts import texts_of
from tests.peer.family_tokenizer import write_tokenizer
from tests.peer.peer import ask_peer
from tests.peer.recorded import Seam, folder_digest
from tests.peer.test_agentic_conversation_seam import TellingWeb
from tests.support.word_encoder import WordEncoder

REFERENCE = "family_reference"
BLOCK = 10
"""How many chains have one digest of their official answers."""
OWN_FOLDER = "tokenizer"
"""The name that both sides give the folder of a tokenizer in what is sent."""
SHARE = "BFCL_FAMILY_SHARE"
"""The environment variable that multiplies how many conversations are compared; `all` compares all."""

CONTEXTS = (2_048, 8_192, 32_768, 131_072)
"""Lengths of contexts, in tokens: prompts exceed the first ones, and leave much of the last ones."""


@dataclass(frozen=True)
class Model:
    """One official model with our adapter for it."""

    name: str
    family: str
    handler: str  # of the official tool
    adapter: Completions
    folder: str | None = None  # of its tokenizer, if that writes the prompts

    @property
    def scarcity(self) -> int:
        """The factor by which fewer entries are sampled: each prompt of MiniCPM has generated code."""
        return 5 if self.handler == "MiniCPMFCHandler" else 1


def models_of(staged: Path, tokenizer: Path) -> list[Model]:
    """The models of all families in the table, in its order.

    tokenizer: a folder to which a tokenizer is written for the families whose prompts it writes.
    """
    write_tokenizer(tokenizer)
    listed = json.loads((staged / "release" / "models.json").read_text(encoding="utf-8"))
    official = {model["name"]: model for model in listed}
    rows = load_models()
    models = []
    for family in load_families().values():
        if is_own(family.name):
            continue
        folder = str(tokenizer) if family.template == OWN_TEMPLATE else None
        for name in family.models:
            bare = ModelRow(name, "vllm", family.mode, name, model=official[name]["model_name"])
            adapter = _adapter(rows.get(name, bare), family.name, folder)
            models.append(Model(name, family.name, official[name]["handler"], adapter, folder))
    return models


def _adapter(row: ModelRow, family: str, folder: str | None) -> Completions:
    """The adapter of a row, asked by its family."""
    asked = replace(row, prompting="leaderboard", family=family, model=folder or row.model, options={})
    return Completions(asked, "http://localhost:1/v1", offline=True)


@dataclass
class Held:
    """A conversation as our side ran it."""

    bodies: list[str] = field(default_factory=list)  # as JSON
    result: Json = None
    error: str | None = None  # with which it stopped
    snapshot: str | None = None  # of a session's memory

    def answer(self) -> dict[str, Any]:
        """Our side, in the form of the official one."""
        return {
            "requests": [blake2b(body.encode(), digest_size=8).hexdigest() for body in self.bodies],
            "result": json.loads(json.dumps(self.result)),
            "error": self.error,
            "snapshot": self.snapshot,
        }

    def differs(self, theirs: dict[str, Any], compared: int | None) -> bool:
        """Whether the official side differs; where its handler stops with an error, it stores no result.

        compared: how many requests are; None: all, and the result.
        """
        ours = self.answer()
        if theirs["error"] or compared is not None:
            most = len(theirs["requests"][:compared])
            return bool(ours["requests"][:most] != theirs["requests"][:most])
        return self.error is not None or ours != theirs


@dataclass
class Chain:
    """Conversations with one model, of which each may start from the memory that those before it left."""

    model: Model
    entries: Sequence[Entry]  # of one category
    web: TellingWeb
    stop: bool = False  # after the first request
    held: list[Held] = field(default_factory=list)
    answers: list[list[str]] = field(default_factory=list)

    @property
    def context(self) -> int:
        """The length of the model's context in tokens; drawn."""
        drawn = blake2b(f"{self.model.name} {self.entries[0].entry_id}".encode()).digest()[0]
        return CONTEXTS[drawn % len(CONTEXTS)]

    def hold(self, texts: Texts, constants: Constants) -> None:
        """Our side."""
        completed: dict[str, Completed] = {}
        setting = WorldConfig(constants, web=self.web, encoder=WordEncoder())
        for entry in self.entries:
            assert obstacle(entry, completed) is None
            answers = [] if self.stop else texts_of(self.model.handler, entry, self.model.family)
            world = World.for_entry(entry, setting, "model", memory_before(entry, completed))
            held = self._converse(entry, texts, world, answers)
            left = world.memory.snapshot() if entry.prerequisite and world.memory else None
            answer = Response(entry.entry_id, entry.category, Mode.FC, None, Status.ANSWERED)
            completed[entry.entry_id] = Completed(entry, answer, left)
            held.snapshot = None if left is None else json.dumps(left)
            self.held.append(held)
            self.answers.append(answers)

    def _converse(self, entry: Entry, texts: Texts, world: World, answers: Iterable[str]) -> Held:
        done, ids, script = Held(), _Ids(), iter(answers)
        adapter = self.model.adapter
        single = CATEGORIES[entry.category].single_turn
        turns: list[list[Json]] = []
        talk = conversation(entry, adapter.asking, texts, world)
        try:
            request = next(talk)
            while True:
                done.bodies.append(ids.numbered(self._sent(adapter.body(request), request)))
                if self.stop:
                    return done
                result, parts = adapter.family.read(request, next(script, "Done."))
                ids.see(parts.reply)
                if len(turns) == request.turn:
                    turns.append([])
                turns[request.turn].append(parts.stored)
                done.result = parts.stored if single else turns
                request = talk.send(Exchange(request, result, reply=parts.reply))
        except StopIteration:
            pass
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            done.error = f"{type(error).__name__}: {error}"
        return done

    def _sent(self, body: Json, request: Request) -> str:
        """The body as it is sent, with the limit that the count of the prompt's tokens gives."""
        prompt_tokens = -(-len(request.prompt or "") // 4)
        limit = new_tokens(self.context, prompt_tokens)
        sent = json.dumps({**body, "max_tokens": limit}, sort_keys=True)
        folder = self.model.folder
        return sent.replace(folder, OWN_FOLDER) if folder else sent

    def compared(self, number: int) -> int | None:
        """How many requests of a conversation are compared; None: all.

        In a conversation the official handler of Granite-20b evaluates text as Python, and the model is
        sent the error; here the text is the name of an unknown function.
        """
        if self.model.handler != "GraniteFunctionCallingHandler":
            return None
        texts = [place for place, answer in enumerate(self.answers[number]) if _has_text(answer)]
        said = min(texts, default=len(self.answers[number])) + 1
        return said if len(self.held[number].bodies) > said else None

    def answer(self) -> dict[str, Any]:
        """Our side, in the form of the official one."""
        return {"conversations": [held.answer() for held in self.held]}

    def row(self, full: bool = False) -> dict[str, Any]:
        """The question to the official side, with the web's answers that our side drew."""
        return {
            "model": self.model.name,
            "folder": self.model.folder,
            "category": self.entries[0].category,
            "context": self.context,
            "full": full,
            "stop": self.stop,
            "web": {"searches": self.web.searches, "pages": self.web.pages},
            "conversations": [
                {"entry_id": entry.entry_id, "answers": answers}
                for entry, answers in zip(self.entries, self.answers, strict=True)
            ],
        }


def _has_text(answer: str) -> bool:
    """Whether an answer of Granite-20b has a part that is not JSON."""
    for part in filter(None, map(str.strip, answer.split("<function_call>"))):
        try:
            json.loads(part)
        except ValueError:
            return True
    return False


class _Ids:
    """The ids of calls in one conversation, numbered as on the official side, which draws them."""

    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}

    def see(self, reply: Json) -> None:
        for id_ in reply.get("tool_call_ids", ()):
            self._numbers[id_] = f"id{len(self._numbers) + 1:07}"

    def numbered(self, body: str) -> str:
        if not self._numbers:
            return body
        return re.sub("|".join(self._numbers), lambda found: self._numbers[found[0]], body)


@dataclass
class Comparison:
    """What was compared, by family."""

    prompts: Counter[str] = field(default_factory=Counter)
    conversations: Counter[str] = field(default_factory=Counter)
    stopped: Counter[tuple[str, str]] = field(default_factory=Counter)  # official handlers, by error
    evaluated: Counter[str] = field(default_factory=Counter)  # conversations compared up to a text
    differing: list[tuple[Chain, int]] = field(default_factory=list)

    def add(self, chain: Chain, theirs: dict[str, Any]) -> None:
        family = chain.model.family
        for number, (ours, other) in enumerate(zip(chain.held, theirs["conversations"], strict=True)):
            compared = chain.compared(number)
            self.prompts[family] += len(other["requests"][:compared])
            self.conversations[family] += 1
            if other["error"]:
                self.stopped[family, other["error"]] += 1
            self.evaluated[family] += compared is not None
            if ours.differs(other, compared):
                self.differing.append((chain, number))

    def summary(self) -> Iterator[str]:
        """Lines for a person."""
        yield (
            f"{self.prompts.total():,} prompts of {len(self.prompts)} families in "
            f"{self.conversations.total():,} conversations compared, {len(self.differing)} differ; in "
            f"{self.stopped.total():,} the official handler stops with an error, in "
            f"{self.evaluated.total():,} it evaluates a text, up to which they are compared"
        )
        for family, prompts in self.prompts.items():
            errors = [f"{error} {count:,}" for (of, error), count in self.stopped.items() if of == family]
            differing = sum(chain.model.family == family for chain, _ in self.differing)
            yield (
                f"{prompts:>10,}  {family}, {self.conversations[family]:,} conversations"
                f"{f', {differing} differ' if differing else ''}{'; stops: ' if errors else ''}"
                f"{', '.join(errors)}"
            )


def compare(
    name: str, chains: Sequence[Chain], texts: Texts, constants: Constants, folder: Path
) -> Comparison:
    """Both sides of all chains, whose official answers are recorded under a name."""
    for chain in chains:
        chain.hold(texts, constants)
    asked = [*chains[::2], *chains[1::2]]  # the two processes have alike work
    written = {chain.model.folder for chain in chains if chain.model.folder}
    names = {path: folder_digest(Path(path)) for path in written}
    official = Seam(name, REFERENCE, names=names, block=BLOCK).answers(
        [each.row() for each in asked], [each.answer() for each in asked], folder
    )
    comparison = Comparison()
    for chain, theirs in zip(asked, official, strict=True):
        comparison.add(chain, theirs)
    return comparison


def shown(comparison: Comparison, folder: Path) -> str:
    """The first difference of each family, for a person."""
    firsts: dict[str, tuple[Chain, int]] = {}
    for chain, number in comparison.differing:
        firsts.setdefault(chain.model.family, (chain, number))
    asked = list(firsts.values())
    answered = ask_peer(REFERENCE, [chain.row(full=True) for chain, _ in asked], folder)
    return "\n\n".join(
        f"{chain.model.name} {chain.entries[number].entry_id}: "
        f"{_first_difference(chain.held[number], theirs['conversations'][number])}"
        for (chain, number), theirs in zip(asked, answered, strict=True)
    )


def _first_difference(ours: Held, theirs: dict[str, Any]) -> str:
    for number, (mine, other) in enumerate(zip(ours.bodies, theirs["requests"], strict=False)):
        if mine != other:
            at = next(
                (at for at, (x, y) in enumerate(zip(mine, other, strict=False)) if x != y),
                min(len(mine), len(other)),
            )
            window = slice(max(0, at - 300), at + 300)
            return (
                f"request {number}, character {at}\n  ours:     {mine[window]}\n  official: {other[window]}"
            )
    counts = f"{len(ours.bodies)} and {len(theirs['requests'])} requests; ours stops: {ours.error}"
    return (
        f"{counts}\n  ours:     {json.dumps(ours.result)}\n  official: {json.dumps(theirs['result'])}"
        f"\n  our snapshot:      {ours.snapshot}\n  official snapshot: {theirs['snapshot']}"
    )


def sampled(entries: Sequence[Entry], every: int, offset: int) -> Sequence[Entry]:
    """Every n-th entry, more or all of them as SHARE says, from a place that differs between families."""
    share = os.environ.get(SHARE, "1")
    step = 1 if share == "all" else max(1, round(every / float(share)))
    return entries[offset % min(step, len(entries)) :: step]


Entries = Callable[[str], list[Entry]]
