"""The request seam of conversations: the request of every step equals that of the official package.

Covers scripted conversations over every multi-turn entry, all sessions and questions of the three memories
and all web questions: the messages of every request in its wire format, its tools, the result, and the
snapshot that each session writes. All run over chat completions in both modes, a part over each other wire
format. Memory sessions run in order, each from the previous snapshot, and the questions after them. Our
side uses a simulated web that fails occasionally; the official side receives the same outcomes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

import pytest

from bfcl_pipeline.ask.generation.conversation import STEP_LIMIT
from bfcl_pipeline.benchmark.records import Entry, Mode
from bfcl_pipeline.dialogue.prompts import WireFormat
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import Constants
from bfcl_pipeline.world.web.simulated import SimulatedWeb
from tests.peer.agentic_conversation_scripts import agentic_script
from tests.peer.conversation_scripts import script
from tests.peer.conversation_seam import Case, Chain, TellingWeb
from tests.peer.peer import ask_peer, require_peer
from tests.peer.recorded import Seam

REFERENCE = "conversation_reference"
SEVERAL_TURNS = (
    "multi_turn_base",
    "multi_turn_miss_func",
    "multi_turn_miss_param",
    "multi_turn_long_context",
)
EVERY = 8
"""Of the entries with several turns, every n-th runs over each wire format other than chat completions."""
MEMORIES = ("memory_kv", "memory_vector", "memory_rec_sum")
WEBS = ("web_search_base", "web_search_no_snippet")
ELSEWHERE = ("healthcare", "notetaker")
"""Scenarios of which all sessions and every third question run over every wire format."""
EVERY_WEB = 5
"""Of the web questions, every n-th runs over each wire format other than chat completions."""
COUNTS = {
    "conversations": 2 * (800 + 3 * 100 + 3 * 192 + 2 * 100) + 3 * 2 * (3 * (10 + 18) + 2 * 20),
    "snapshots": 2 * (3 * 37 + 3 * 3 * 10),
}


def chains(entries: Callable[[str], list[Entry]], web: SimulatedWeb) -> Iterator[Chain[Case]]:
    """A chain for each entry with several turns, each scenario of a memory, and each web category."""
    for wire in WireFormat:
        every = wire is WireFormat.OPENAI_CHAT
        single = [entry for category in SEVERAL_TURNS for entry in entries(category)]
        asked = [[entry] for entry in single[:: 1 if every else EVERY]]
        for group in [*asked, *_agentic(entries, everything=every)]:
            write = script if group[0].category in SEVERAL_TURNS else agentic_script
            for mode in Mode:
                cases = [Case(entry, mode, wire, write(entry, mode, wire)) for entry in group]
                yield Chain(cases, {"wire": wire, "mode": mode}, TellingWeb(web))


def _agentic(entries: Callable[[str], list[Entry]], everything: bool) -> Iterator[list[Entry]]:
    for category in MEMORIES:
        for members in scenarios(entries(category)):
            sessions = [entry for entry in members if entry.prerequisite]
            questions = [entry for entry in members if not entry.prerequisite]
            if everything:
                yield sessions + questions
            elif members[0].scenario in ELSEWHERE:
                yield sessions + questions[::3]
    for category in WEBS:
        yield entries(category)[:: 1 if everything else EVERY_WEB]


def scenarios(entries: list[Entry]) -> Iterator[list[Entry]]:
    """The entries of a memory by scenario."""

    def scenario(entry: Entry) -> str:
        return str(entry.scenario)

    for _, members in groupby(sorted(entries, key=scenario), key=scenario):
        yield list(members)


def test_conversations_equal_the_official_ones(
    entries: Callable[[str], list[Entry]],
    staged: Path,
    constants: Constants,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every request of every conversation is the official one, and so are results and snapshots."""
    require_peer()
    texts = read_texts(staged)
    web = SimulatedWeb.of(entry for category in WEBS for entry in entries(category))
    compared = list(chains(entries, web))
    for chain in compared:
        chain.hold(texts, constants)
    seam = Seam("conversations", REFERENCE, block=40)
    ours = [chain.answer() for chain in compared]
    official = seam.answers([chain.question() for chain in compared], ours, tmp_path / "peer")
    counts = Counter(what for chain in compared for what in _counted(chain))
    differing = [
        (chain, number)
        for chain, theirs in zip(compared, official, strict=True)
        for number, held in enumerate(chain.held)
        if held.answer() != theirs["conversations"][number]
    ]
    with capsys.disabled():
        told = ", ".join(f"{what} {count:,}" for what, count in sorted(counts.items()))
        print(f"\nrequest seam: {told}; {len(differing)} conversations differ")
    if differing:
        chain, number = differing[0]
        (answer,) = ask_peer(REFERENCE, [chain.question(full=True)], tmp_path / "shown")
        case, theirs = chain.talks[number], answer["conversations"][number]
        named = f"{case.entry.entry_id} {case.mode} {case.wire}"
        pytest.fail(f"{len(differing)} differ, for one {named}: {chain.held[number].difference(theirs)}")
    assert COUNTS.items() <= counts.items()
    assert counts["ended for their steps"] >= 100
    assert counts["requests"] >= 35_000


def _counted(chain: Chain[Case]) -> Iterator[str]:
    for case, ours in zip(chain.talks, chain.held, strict=True):
        yield "conversations"
        yield from ["requests", f"{case.wire} requests"] * len(ours.requests)
        yield from ["snapshots"] * (ours.more["snapshot"] is not None)
        yield from ["ended for their steps"] * any(len(turn) > STEP_LIMIT for turn in ours.result)
