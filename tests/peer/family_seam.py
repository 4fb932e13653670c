"""Scripted conversations of open weights: runs them on our side, and compares them with the official ones.

Covers the bodies of our completions with the official limit on new tokens, and the results as they would be
stored. The tests choose models and conversations.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

from bfcl_pipeline.ask.generation import conversation
from bfcl_pipeline.ask.models.adapters.completions import Completions
from bfcl_pipeline.ask.models.adapters.prompt_length import new_tokens
from bfcl_pipeline.benchmark.config import ModelRow, load_models
from bfcl_pipeline.benchmark.config.families import OWN_TEMPLATE, is_own, load_families
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Request
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.world.tools import Constants, World
from tests.peer.comparison import Comparison
from tests.peer.conversation_seam import Chain, Held, TellingWeb
from tests.peer.family_scripts import texts_of
from tests.peer.family_tokenizer import write_tokenizer
from tests.peer.peer import ask_peer
from tests.peer.recorded import Seam, folder_digest

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


@dataclass(frozen=True)
class Talk:
    """One conversation with a model."""

    model: Model
    entry: Entry
    context: int  # of the model, in tokens
    stop: bool  # after the first request

    @cached_property
    def answers(self) -> list[str]:
        """Texts in the form of the model's family."""
        return [] if self.stop else texts_of(self.model.handler, self.entry, self.model.family)

    def hold(self, texts: Texts, world: World) -> Held:
        """Our side."""
        done, ids, script = Held(more={"error": None}), _Ids(), iter(self.answers)
        adapter = self.model.adapter
        single = CATEGORIES[self.entry.category].single_turn
        turns: list[list[Json]] = []
        talk = conversation(self.entry, adapter.asking, texts, world)
        try:
            request = next(talk)
            while True:
                done.requests.append(ids.numbered(self._sent(adapter.body(request), request)))
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
            done.more["error"] = f"{type(error).__name__}: {error}"
        return done

    def _sent(self, body: Json, request: Request) -> str:
        """The body as it is sent, with the limit that the count of the prompt's tokens gives."""
        prompt_tokens = -(-len(request.prompt or "") // 4)
        limit = new_tokens(self.context, prompt_tokens)
        sent = json.dumps({**body, "max_tokens": limit}, sort_keys=True)
        folder = self.model.folder
        return sent.replace(folder, OWN_FOLDER) if folder else sent

    def compared(self, held: Held) -> int | None:
        """How many requests are compared; None: all.

        In a conversation the official handler of Granite-20b evaluates text as Python, and the model is
        sent the error; here the text is the name of an unknown function.
        """
        if self.model.handler != "GraniteFunctionCallingHandler":
            return None
        texts = [place for place, answer in enumerate(self.answers) if _has_text(answer)]
        said = min(texts, default=len(self.answers)) + 1
        return said if len(held.requests) > said else None

    def differs(self, held: Held, theirs: dict[str, Any]) -> bool:
        """Whether the official side differs; where its handler stops with an error, it stores no result."""
        ours, compared = held.answer(), self.compared(held)
        if theirs["error"] or compared is not None:
            most = len(theirs["requests"][:compared])
            return bool(ours["requests"][:most] != theirs["requests"][:most])
        return ours["error"] is not None or ours != theirs


def chain(model: Model, entries: Sequence[Entry], web: TellingWeb, stop: bool = False) -> Chain[Talk]:
    """Conversations with one model; the length of its context is drawn."""
    drawn = blake2b(f"{model.name} {entries[0].entry_id}".encode()).digest()[0]
    context = CONTEXTS[drawn % len(CONTEXTS)]
    asked = {"model": model.name, "folder": model.folder, "context": context, "stop": stop}
    return Chain([Talk(model, entry, context, stop) for entry in entries], asked, web)


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
class Compared:
    """What was compared, by family."""

    comparison: Comparison[tuple[Chain[Talk], int]]
    prompts: Counter[str] = field(default_factory=Counter)
    stopped: Counter[tuple[str, str]] = field(default_factory=Counter)  # official handlers, by error
    evaluated: int = 0  # conversations compared up to a text

    def add(self, chain: Chain[Talk], theirs: dict[str, Any]) -> None:
        for number, (talk, held) in enumerate(zip(chain.talks, chain.held, strict=True)):
            family, other = talk.model.family, theirs["conversations"][number]
            compared = talk.compared(held)
            self.prompts[family] += len(other["requests"][:compared])
            if other["error"]:
                self.stopped[family, other["error"]] += 1
            self.evaluated += compared is not None
            kind = f"stops with {other['error']}" if other["error"] else "answers"
            self.comparison.add(family, kind, (chain, number) if talk.differs(held, other) else None)


def check(
    name: str, chains: Sequence[Chain[Talk]], texts: Texts, constants: Constants, folder: Path
) -> Compared:
    """Both sides of all chains, whose official answers are recorded under a name; fails if they differ."""
    for chain in chains:
        chain.hold(texts, constants)
    asked = [*chains[::2], *chains[1::2]]  # the two processes have alike work
    written = {chain.asked["folder"] for chain in chains} - {None}
    names = {path: folder_digest(Path(path)) for path in written}
    official = Seam(name, REFERENCE, names=names, block=BLOCK).answers(
        [each.question() for each in asked], [each.answer() for each in asked], folder / "peer"
    )
    compared = Compared(Comparison(f"{name}: conversations by family"))
    for chain, theirs in zip(asked, official, strict=True):
        compared.add(chain, theirs)
    print(
        f"{compared.comparison.summary()}\n{compared.prompts.total():,} prompts; in {compared.evaluated:,} "
        "conversations the official handler evaluates a text, up to which they are compared"
    )
    compared.comparison.check(lambda some: _shown(some, folder / "shown"))
    assert set(compared.prompts) == set(load_families())
    return compared


def _shown(differing: Sequence[tuple[Chain[Talk], int]], folder: Path) -> Iterator[str]:
    answered = ask_peer(REFERENCE, [chain.question(full=True) for chain, _ in differing], folder)
    for (chain, number), theirs in zip(differing, answered, strict=True):
        talk, held = chain.talks[number], chain.held[number]
        told = held.difference(theirs["conversations"][number])
        yield f"{talk.model.name} {talk.entry.entry_id}: {told}"


def sampled(entries: Sequence[Entry], every: int, offset: int) -> Sequence[Entry]:
    """Every n-th entry, more or all of them as SHARE says, from a place that differs between families."""
    share = os.environ.get(SHARE, "1")
    step = 1 if share == "all" else max(1, round(every / float(share)))
    return entries[offset % min(step, len(entries)) :: step]


Entries = Callable[[str], list[Entry]]
