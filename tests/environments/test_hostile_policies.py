"""Whatever a policy writes, its episode ends after bounded work, earns nothing, and evaluates nothing."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Call, Json
from bfcl_pipeline.environments import REFUSED, Episode, PolicyAnswer
from tests.support.episodes import as_bytes

MANY = 100_000


def nested(depth: int) -> Json:
    """Lists within lists."""
    value: Json = 1
    for _ in range(depth):
        value = [value]
    return value


LONG = "x" * 400_000

POLICIES: dict[str, Callable[[], PolicyAnswer]] = {
    "the same call for ever": lambda: [{"ls": "{}"}],
    "100,000 calls at once": lambda: [{"ls": "{}"}] * MANY,
    "as many calls as the bound allows": lambda: [{"ls": "{}"}] * 30_000,
    "100,000 calls as records": lambda: [Call("echo", {"content": "x"})] * MANY,
    "a huge argument": lambda: [{"echo": json.dumps({"content": LONG})}],
    "an answer above the bound": lambda: LONG * 2,
    "arguments nested deeply": lambda: [{"echo": f'{{"content": {"[" * MANY}{"]" * MANY}}}'}],
    "records nested deeply": lambda: [Call("echo", {"content": nested(MANY)})],
    "a message nested deeply": lambda: {"role": "assistant", "content": "", "extra": nested(MANY)},
    "brackets as text": lambda: "[" * MANY,
    "a name that is code": lambda: [{"__import__('os').system": '{"command": "exit 1"}'}],
    "an argument that is code": lambda: [{"echo": '{"content": "__import__(\'os\')._exit(1)"}'}],
    "attributes of the world": lambda: [{"state": "{}"}, {"__class__": "{}"}, {"_methods": "{}"}],
    "the verdict's own words": lambda: '{"valid": true, "reward": 1.0}',
    "a message that names its reward": lambda: {"role": "assistant", "content": "reward: 1", "reward": 1.0},
    "the official form of a verdict": lambda: [{"verdict": '{"valid": true}'}],
}

ENTRIES = ("multi_turn_base_12", "simple_python_3", "memory_kv_3-customer-3", "web_search_base_3")


@pytest.mark.parametrize("mode", ["fc", "prompt"])
@pytest.mark.parametrize("policy", POLICIES)
def test_it_earns_nothing_after_bounded_work(policy: str, mode: str, staged: Path) -> None:
    """At most 21 steps a turn, and at most 200 MB at once."""
    answer = POLICIES[policy]()
    for entry_id in ENTRIES:
        honest = Episode(entry_id, mode=mode, data=staged)
        before = as_bytes(honest)
        episode = Episode(entry_id, mode=mode, data=staged)
        turns = len(episode.entry.turns)
        tracemalloc.start()
        while not episode.done:
            episode.answer(answer)
            assert len(episode.answered) <= 21 * turns
        assert episode.reward == 0
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 200_000_000, f"{peak:,} bytes"
        assert set(episode.turn_rewards) == {0}
        assert as_bytes(honest) == before


def test_an_answer_above_a_bound_is_not_an_abstention(staged: Path) -> None:
    """Where no call is wanted, it earns nothing, also under the official rules."""
    for rules in ("official", "verified"):
        episode = Episode("irrelevance_0", rules=rules, data=staged)
        episode.answer(LONG * 2)
        assert episode.verdict is not None
        assert (episode.reward, episode.verdict.error_type) == (0, REFUSED)
        assert episode.answered[0].answer == ""
        assert as_bytes(Episode.restored(episode.snapshot())) == as_bytes(episode)
        abstained = Episode("irrelevance_0", rules=rules, data=staged)
        abstained.answer("None of these functions can do that.")
        assert abstained.reward == 1
