"""The request seam of open weights, conversations: every prompt equals that of the official handlers.

Covers every family in conversations with simulated APIs, memories and the web, run by the official handlers
with only client and tokenizer replaced. The answers are in the family's own form: every prompt, every limit
on new tokens, every stored result and every memory's snapshot is compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import Constants
from bfcl_pipeline.world.web.simulated import SimulatedWeb
from tests.peer.conversation_seam import Chain, TellingWeb
from tests.peer.family_seam import Entries, Model, Talk, chain, check, models_of, sampled
from tests.peer.peer import require_peer
from tests.peer.test_conversation_seam import MEMORIES, SEVERAL_TURNS, WEBS, scenarios

EVERY = 80
"""Of the entries with several turns, and of the web questions, every n-th is held with each family."""
EVERY_SCENARIO = 15
"""Of the scenarios of memories, every n-th is held with each family: all its sessions, some questions."""
EVERY_QUESTION = 10
"""And of their questions, every n-th."""


TAGGED = frozenset({"KeyError"})
"""A value between tags that is no call stops the next prompt."""
STOPS = {
    "arch": frozenset({"SyntaxError", "NameError", "AttributeError", "TypeError", "KeyError"}),  # evaluated
    "granite-4": TAGGED,
    "mistral-fc": frozenset({"KeyError", "TypeError", "AttributeError"}),  # a list of what is no call
    "nanbeige-fc": TAGGED,
    "pelican-fc": TAGGED,
    "qwen3-fc": TAGGED,
}
"""The errors with which official handlers stop, and the official tool stores an error as the result."""
MOST_STOPPED = 0.02
"""Of all conversations."""


def chains(models: list[Model], entries: Entries, web: SimulatedWeb) -> Iterator[Chain[Talk]]:
    """The conversations of each family, with its first model."""
    firsts = {model.family: model for model in reversed(models)}
    for offset, model in enumerate(reversed(firsts.values())):
        for category in (*SEVERAL_TURNS, *WEBS):
            for entry in sampled(entries(category), EVERY * model.scarcity, 7 * offset):
                yield chain(model, [entry], TellingWeb(web))
        groups = [members for category in MEMORIES for members in scenarios(entries(category))]
        for members in sampled(groups, EVERY_SCENARIO * model.scarcity, offset):
            sessions = [entry for entry in members if entry.prerequisite]
            questions = [entry for entry in members if not entry.prerequisite]
            yield chain(model, [*sessions, *sampled(questions, EVERY_QUESTION, offset)], TellingWeb(web))


def test_family_conversations_equal_the_official_ones(
    staged: Path,
    entries: Entries,
    constants: Constants,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every prompt of every conversation is the official one, and so are limits, results and snapshots."""
    require_peer()
    web = SimulatedWeb.of(entry for category in WEBS for entry in entries(category))
    asked = list(chains(models_of(staged, tmp_path / "tokenizer"), entries, web))
    with capsys.disabled():
        compared = check("family_conversations", asked, read_texts(staged), constants, tmp_path)
    for family, error in compared.stopped:
        assert error in STOPS.get(family, ()), f"{family} stops with {error}"
    assert compared.stopped.total() <= compared.comparison.compared * MOST_STOPPED
    assert compared.prompts.total() >= 5_000
