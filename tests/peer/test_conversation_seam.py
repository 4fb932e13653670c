"""The request seam of conversations: the request of every step equals that of the official package.

Covers scripted conversations over every multi-turn entry in both modes: the messages of every request in
its wire format, its tools, and the result. All entries run over chat completions, every eighth over each
other wire format. Both sides are compared by digest; the first differing request is shown in full.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Entry, Mode
from bfcl_pipeline.dialogue.prompts import Texts, WireFormat
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import Constants, World, WorldConfig
from tests.peer.conversation_scripts import script
from tests.peer.conversation_seam import Case, Held, first_difference, held
from tests.peer.peer import ask_peer, require_peer
from tests.peer.recorded import Seam

CATEGORIES = ("multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param", "multi_turn_long_context")
EVERY = {wire: 1 if wire is WireFormat.OPENAI_CHAT else 8 for wire in WireFormat}
CONVERSATIONS = 2 * (800 + 3 * 100)


def cases(entries: Callable[[str], list[Entry]]) -> Iterator[Case]:
    asked = [entry for category in CATEGORIES for entry in entries(category)]
    for wire, every in EVERY.items():
        for entry in asked[::every]:
            for mode in Mode:
                yield Case(entry, mode, wire, script(entry, mode, wire))


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
    requests: Counter[WireFormat] = Counter()
    ours = []
    ended = 0
    for case in asked:
        done = _held(case, texts, constants)
        requests[case.wire] += len(done.requests)
        ended += len(done.result) < len(case.entry.turns)
        ours.append(done.answer())
    seam = Seam("conversations", "conversation_reference")
    official = seam.answers([case.row() for case in asked], ours, tmp_path / "peer")
    disagreements = [case for case, own, theirs in zip(asked, ours, official, strict=True) if own != theirs]
    with capsys.disabled():
        told = ", ".join(f"{wire} {count:,}" for wire, count in requests.items())
        print(
            f"\nrequest seam: {len(asked):,} conversations ({ended} ended for their steps), "
            f"{requests.total():,} requests ({told}) compared, {len(disagreements)} disagree"
        )
    if disagreements:
        case = disagreements[0]
        (theirs,) = ask_peer("conversation_reference", [case.row(full=True)], tmp_path / "shown")
        shown = first_difference(_held(case, texts, constants), theirs)
        pytest.fail(
            f"{len(disagreements)} disagree, for one {case.entry.entry_id} {case.mode} {case.wire}: {shown}"
        )
    assert len(asked) == CONVERSATIONS
    assert ended >= 50
    assert requests.total() >= 25_000


def _held(case: Case, texts: Texts, constants: Constants) -> Held:
    return held(case, texts, World.for_entry(case.entry, WorldConfig(constants), "model"))
