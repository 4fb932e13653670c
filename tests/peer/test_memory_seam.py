"""The memory seam: calls of the memories have the official results and leave the official snapshots."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import Constants, World, WorldConfig, effects
from bfcl_pipeline.world.tools.memory import MEMORIES, Memory
from tests.peer.comparison import Comparison, apart
from tests.peer.memory_calls import BACKENDS, Draw, Start, start, written
from tests.peer.peer import ask_peer, require_peer
from tests.peer.recorded import Seam
from tests.peer.world_digest import digest, shortened
from tests.peer.world_scenes import FAILED, is_failure
from tests.support.word_encoder import WordEncoder

REFERENCE = "memory_reference"
CALLS = "BFCL_MEMORY_CALLS"


@dataclass(frozen=True, slots=True)
class Played:
    """One trajectory and what our side did."""

    number: int
    start: Start
    calls: tuple[Call, ...]
    results: tuple[str, ...]
    states: tuple[str, ...]  # before the first call and after every call

    def row(self, full: bool = False) -> dict[str, Any]:
        """The question to the official side."""
        return {
            "number": self.number,
            "backend": self.start.backend,
            "initial": self.start.initial,
            "calls": [written(call) for call in self.calls],
            "full": full,
        }

    def answer(self) -> dict[str, Any]:
        """Our side, in the form of the official one."""
        return {
            "results": [shortened(text) for text in self.results],
            "states": [digest(state) for state in self.states],
        }


def play(number: int, begun: Start, rng: random.Random, constants: Constants) -> Played:
    """Our results and states for the calls that are drawn."""
    setting = WorldConfig(constants, encoder=WordEncoder())
    world = World.of([begun.api], {begun.api: begun.initial}, setting, f"seam_{number}")
    memory: Memory = world.apis[begun.api]  # type: ignore[assignment]
    calls, results, states = [], [], [_state(memory)]
    for call in Draw(begun, rng).calls(memory):
        calls.append(call)
        results.append(world.run(call))
        states.append(_state(memory))
    return Played(number, begun, tuple(calls), tuple(results), tuple(states))


def _state(memory: Memory) -> str:
    return f"{json.dumps(memory.snapshot())}\n{memory.context_text()}"


@pytest.mark.parametrize("backend", BACKENDS)
def test_random_calls_have_the_official_results_and_snapshots(
    backend: str, constants: Constants, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Calls right and wrong in many ways have the official results, and leave the official snapshots."""
    require_peer()
    wanted = int(os.environ.get(CALLS, "30000"))
    played: list[Played] = []
    while sum(len(one.calls) for one in played) < wanted:
        rng = random.Random(f"{backend}:{len(played)}")
        played.append(play(len(played), start(backend, rng), rng, constants))
    seam = Seam(f"memory_{backend}", REFERENCE)
    ours = [one.answer() for one in played]
    answers = seam.answers([one.row() for one in played], ours, tmp_path / "all")
    comparison: Comparison[tuple[Played, int]] = Comparison(f"memory seam, {backend}: trajectories")
    succeeded: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for one, own, answer in zip(played, ours, answers, strict=True):
        at = _first_difference(own, answer)
        comparison.add(backend, "trajectories", None if at is None else (one, at))
        for call, result in zip(one.calls, answer["results"], strict=True):
            (failed if is_failure(result) else succeeded)[call.name] += 1
    with capsys.disabled():
        total = succeeded.total() + failed.total()
        print(f"{comparison.summary()}\n{total:,} calls, {failed.total():,} of them failed")
    comparison.check(lambda some: _shown(some, tmp_path / "shown"))
    methods = effects(MEMORIES[f"MemoryAPI_{backend}"])
    assert min(succeeded[name] for name in methods) > wanted // 1_000
    assert min(failed[name] for name in methods) > wanted // 5_000


def _first_difference(ours: dict[str, Any], official: dict[str, Any]) -> int | None:
    """The first call at which the sides differ; -1 for the start."""
    sides = [zip(["", *side["results"]], side["states"], strict=True) for side in (ours, official)]
    differing = (at for at, (own, theirs) in enumerate(zip(*sides, strict=True)) if own != theirs)
    return next((at - 1 for at in differing), None)


def _shown(differing: Sequence[tuple[Played, int]], folder: Path) -> Iterator[str]:
    """Differences in full, for a person."""
    answers = ask_peer(REFERENCE, [one.row(full=True) for one, _ in differing], folder)
    for (one, at), answer in zip(differing, answers, strict=True):
        yield f"{one.start.api}, trajectory {one.number}, call {at}"
        yield from (f"    {written(call)[:1_000]}" for call in one.calls[max(0, at - 3) : at + 1])
        if at >= 0 and answer["results"][at] != one.results[at]:
            yield apart(one.results[at], answer["results"][at])
        yield apart(one.states[at + 1], answer["states"][at + 1])


def test_failures_are_reported(constants: Constants) -> None:
    """A call that a memory rejects counts as failed."""
    world = World.of(["MemoryAPI_rec_sum"], None, WorldConfig(constants), "m")
    assert is_failure(world.run(Call("memory_retrieve", {})))
    assert world.run(Call("memory_append", {})).startswith(FAILED)
