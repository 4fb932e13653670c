"""The request seam of agentic conversations with memories and the web.

Covers scripted conversations over all sessions and questions of the three memories and all web questions:
the messages of every request, its tools, the result, and the snapshot that each session writes. All run
over chat completions in both modes, a part over each other wire format. Memory sessions run in order, each
from the previous snapshot, and the questions after them. Our side uses a simulated web that fails
occasionally; the official side receives the same outcomes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.ask.generation import Completed
from bfcl_pipeline.ask.generation.conversation import STEP_LIMIT
from bfcl_pipeline.ask.generation.memory import memory_before, obstacle
from bfcl_pipeline.benchmark.records import Entry, Mode, Response, Status
from bfcl_pipeline.dialogue.prompts import Texts, WireFormat
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import Constants, World, WorldConfig
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.simulated import SimulatedWeb
from tests.peer.agentic_conversation_scripts import agentic_script
from tests.peer.conversation_seam import Case, Held, first_difference, held
from tests.peer.peer import ask_peer, require_peer
from tests.peer.recorded import Seam
from tests.support.word_encoder import WordEncoder

REFERENCE = "agentic_conversation_reference"
MEMORIES = ("memory_kv", "memory_vector", "memory_rec_sum")
WEBS = ("web_search_base", "web_search_no_snippet")
ELSEWHERE = ("healthcare", "notetaker")
"""Scenarios of which all sessions and every third question run over every wire format."""
EVERY_WEB = 5
"""Of the web questions, every n-th runs over each wire format other than chat completions."""
CONVERSATIONS = 2 * (3 * 192 + 2 * 100) + 3 * 2 * (3 * (10 + 18) + 2 * 20)


class TellingWeb:
    """A simulated web that fails now and then, and keeps its outcomes as the official side reads them."""

    def __init__(self, web: SimulatedWeb) -> None:
        self._web = web
        self.searches: dict[str, dict[str, Any]] = {}
        self.pages: dict[str, dict[str, Any]] = {}

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


@dataclass
class Chain:
    """Conversations of which each may start from what those before it left."""

    cases: Sequence[Case]
    web: TellingWeb
    held: list[Held] = field(default_factory=list)
    snapshots: list[str | None] = field(default_factory=list)  # after each session; None after a question

    def hold(self, texts: Texts, constants: Constants) -> None:
        """Our side."""
        completed: dict[str, Completed] = {}
        setting = WorldConfig(constants, web=self.web, encoder=WordEncoder())
        for case in self.cases:
            assert obstacle(case.entry, completed) is None
            world = World.for_entry(case.entry, setting, "model", memory_before(case.entry, completed))
            self.held.append(held(case, texts, world))
            left = world.memory.snapshot() if case.entry.prerequisite and world.memory else None
            answer = Response(case.entry.entry_id, case.entry.category, Mode.FC, None, Status.ANSWERED)
            completed[case.entry.entry_id] = Completed(case.entry, answer, left)
            self.snapshots.append(None if left is None else json.dumps(left))

    def row(self, full: bool = False) -> dict[str, Any]:
        """The question to the official side, with the web's answers that our side drew."""
        first = self.cases[0]
        return {
            "wire": first.wire,
            "mode": first.mode,
            "category": first.entry.category,
            "full": full,
            "conversations": [
                {key: row[key] for key in ("entry_id", "answers")}
                for row in (case.row() for case in self.cases)
            ],
            "web": {"searches": self.web.searches, "pages": self.web.pages},
        }

    def answer(self) -> dict[str, Any]:
        """Our side, in the form of the official one."""
        pairs = zip(self.held, self.snapshots, strict=True)
        return {"conversations": [{**ours.answer(), "snapshot": left} for ours, left in pairs]}

    def disagreements(self, theirs: dict[str, Any]) -> list[int]:
        """The numbers of the conversations in which the sides differ."""
        pairs = zip(self.answer()["conversations"], theirs["conversations"], strict=True)
        return [number for number, (ours, other) in enumerate(pairs) if ours != other]


def chains(entries: Callable[[str], list[Entry]], web: SimulatedWeb) -> Iterator[Chain]:
    """The compared conversations: a chain for each scenario of a memory, and one for each web category."""
    for wire in WireFormat:
        for asked in _asked(entries, everything=wire is WireFormat.OPENAI_CHAT):
            for mode in Mode:
                cases = [Case(entry, mode, wire, agentic_script(entry, mode, wire)) for entry in asked]
                yield Chain(cases, TellingWeb(web))


def _asked(entries: Callable[[str], list[Entry]], everything: bool) -> Iterator[list[Entry]]:
    for category in MEMORIES:
        by_scenario = sorted(entries(category), key=lambda entry: str(entry.scenario))
        for scenario, group in groupby(by_scenario, key=lambda entry: entry.scenario):
            members = list(group)
            sessions = [entry for entry in members if entry.prerequisite]
            questions = [entry for entry in members if not entry.prerequisite]
            if everything:
                yield sessions + questions
            elif scenario in ELSEWHERE:
                yield sessions + questions[::3]
    for category in WEBS:
        yield entries(category)[:: 1 if everything else EVERY_WEB]


@pytest.fixture(scope="module")
def texts(staged: Path) -> Texts:
    return read_texts(staged)


def test_agentic_conversations_equal_the_official_ones(
    entries: Callable[[str], list[Entry]],
    texts: Texts,
    constants: Constants,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every request of every session and question is the official one, and so are results and snapshots."""
    require_peer()
    web = SimulatedWeb.of(entry for category in WEBS for entry in entries(category))
    compared = list(chains(entries, web))
    for chain in compared:
        chain.hold(texts, constants)
    seam = Seam("agentic_conversations", REFERENCE, block=10)
    ours = [chain.answer() for chain in compared]
    official = seam.answers([chain.row() for chain in compared], ours, tmp_path / "peer")
    counts: Counter[str] = Counter()
    differing: list[tuple[Chain, int]] = []
    for chain, theirs in zip(compared, official, strict=True):
        differing += [(chain, number) for number in chain.disagreements(theirs)]
        counts.update(_counted(chain))
    with capsys.disabled():
        told = ", ".join(f"{what} {count:,}" for what, count in sorted(counts.items()))
        print(f"\nrequest seam, agentic: {told}; {len(differing)} conversations disagree")
    if differing:
        pytest.fail(f"{len(differing)} disagree, for one {_shown(*differing[0], tmp_path / 'shown')}")
    assert counts["conversations"] == CONVERSATIONS
    assert counts["ended for their steps"] >= 50
    assert counts["snapshots"] == 2 * (3 * 37 + 3 * 3 * 10)


def _counted(chain: Chain) -> Iterator[str]:
    for case, ours, left in zip(chain.cases, chain.held, chain.snapshots, strict=True):
        yield "conversations"
        yield "sessions" if case.entry.prerequisite else "questions"
        yield from ["requests", f"{case.wire} requests"] * len(ours.requests)
        yield from ["snapshots"] * (left is not None)
        yield from ["ended for their steps"] * (len(ours.result[-1]) > STEP_LIMIT)


def _shown(chain: Chain, number: int, folder: Path) -> str:
    """A conversation in which the sides differ, for a person."""
    case, ours, left = chain.cases[number], chain.held[number], chain.snapshots[number]
    (answer,) = ask_peer(REFERENCE, [chain.row(full=True)], folder)
    theirs = answer["conversations"][number]
    name = f"{case.entry.entry_id} {case.mode} {case.wire}"
    if left != theirs["snapshot"]:
        name += f"\n  our snapshot:      {left}\n  official snapshot: {theirs['snapshot']}\n"
    return f"{name}: {first_difference(ours, theirs)}"
