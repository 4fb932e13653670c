"""The world seam: calls of simulated APIs have the official results and leave the official states."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.world.tools import Constants, WorldConfig
from tests.peer.peer import PYTHON, ask_peer, printed_under, require_peer
from tests.peer.recorded import Seam as Recorded
from tests.peer.world_calls import Draws
from tests.peer.world_scenes import API_OF, METHODS, truths
from tests.peer.world_seam import Calls, Disagreement, Played, in_full, play

REFERENCE = "world_reference"
CALLS = "BFCL_WORLD_CALLS"
TODAY = WorldConfig(Constants({})).today.isoformat()
MULTI_TURN = tuple(name for name in CATEGORIES if name.startswith("multi_turn"))
TRUTHS = 800
METHOD_COUNT = 128
NEVER_SUCCEEDS = {"get_outside_temperature_from_weather_com"}
"""A function that always returns an error, as in the release."""


@dataclass(frozen=True)
class Seam:
    """Both sides, ready to run."""

    entries: Sequence[Entry]  # of the multi-turn categories
    constants: Constants
    folder: Path

    def drawn(self, wanted: int) -> list[Played]:
        """Random trajectories of at least that many calls, with what our side did."""
        trajectories: list[Played] = []
        draws = Draws(self.entries).trajectories(count(), seed=0)
        while wanted > 0:
            scene, drawing = next(draws)
            trajectories.append(play(len(trajectories), scene, drawing, self.constants))
            wanted -= len(trajectories[-1].calls)
        return trajectories

    def checked(self, name: str, trajectories: Sequence[Played]) -> Calls:
        """Both sides of the trajectories, printed; fails at a difference that is not argued."""
        calls = Calls()
        rows = [played.row(TODAY) for played in trajectories]
        ours = [played.answer() for played in trajectories]
        official = Recorded(f"world_{name}", REFERENCE).answers(rows, ours, self.folder / name)
        for played, theirs in zip(trajectories, official, strict=True):
            calls.add(played, theirs)
        print(f"\n{len(trajectories):,} trajectories{calls.comparison.summary()}")

        def asked(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
            return ask_peer(REFERENCE, rows, self.folder / f"{name} in full")

        def shown(some: Sequence[Disagreement]) -> Iterator[str]:
            return (one.shown() for one in in_full(some, self.constants, asked, TODAY))

        calls.comparison.check(shown)
        return calls


@pytest.fixture(scope="module")
def seam(
    entries: Callable[[str], list[Entry]], staged: Path, tmp_path_factory: pytest.TempPathFactory
) -> Seam:
    require_peer()
    _require_same_python()
    asked = [entry for category in MULTI_TURN for entry in entries(category)]
    texts = json.loads((staged / "release" / "texts.json").read_text(encoding="utf-8"))
    return Seam(asked, Constants(texts), tmp_path_factory.mktemp("world"))


def _require_same_python() -> None:
    """Skips if the sides run on different Python versions, because error texts that a model sees differ."""
    command = [PYTHON, "-c", "import sys; print(*sys.version_info[:2])"]
    theirs = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    if theirs != [str(part) for part in sys.version_info[:2]]:
        pytest.skip(f"the official package runs on Python {'.'.join(theirs)}: make parity PEER_PYTHON=...")


def test_the_truths_have_the_official_results_and_states(
    seam: Seam, capsys: pytest.CaptureFixture[str]
) -> None:
    """The truth of every multi-turn entry has the official results, and leaves the official states."""
    drawn = enumerate(truths(seam.entries))
    trajectories = [play(number, scene, drawing, seam.constants) for number, (scene, drawing) in drawn]
    with capsys.disabled():
        calls = seam.checked("truths", trajectories)
    assert not calls.comparison.excepted
    assert len(trajectories) == TRUTHS


def test_random_calls_have_the_official_results_and_states(
    seam: Seam, capsys: pytest.CaptureFixture[str]
) -> None:
    """Calls right and wrong in many ways have the official results, and leave the official states."""
    wanted = int(os.environ.get(CALLS, "200000"))
    with capsys.disabled():
        calls = seam.checked("random", seam.drawn(wanted))
    assert calls.comparison.compared >= wanted
    assert calls.passed_over <= wanted // 1_000
    seldom = {
        name: (calls.succeeded[name], calls.failed[name])
        for name in API_OF
        if min(calls.succeeded[name], calls.failed[name]) < wanted // 3_000
        or calls.succeeded[name] + calls.failed[name] < wanted // 500
    }
    assert set(seldom) == NEVER_SUCCEEDS, f"seldom (succeeded, failed): {seldom}"


def test_every_method_is_simulated(seam: Seam) -> None:
    """The functions that entries offer are those of the APIs, and every API of an entry exists."""
    assert Draws(seam.entries).documented == set(API_OF)
    assert len(API_OF) == METHOD_COUNT
    assert {api for entry in seam.entries for api in entry.apis} == set(METHODS)


def test_draws_do_not_depend_on_the_process(staged: Path) -> None:
    """The same seed generates the same calls under another hash seed; another seed generates other
    calls."""
    script = (
        "import json, sys\nfrom pathlib import Path\n"
        "from bfcl_pipeline.benchmark.tables import entries_path, read_entries\n"
        "from bfcl_pipeline.world.tools import Constants\n"
        "from tests.peer.world_calls import Draws\nfrom tests.peer.world_seam import play\n"
        "data = Path(sys.argv[1])\n"
        "texts = json.loads((data / 'release' / 'texts.json').read_text(encoding='utf-8'))\n"
        "draws = Draws(read_entries(entries_path(data, 'multi_turn_base')))\n"
        "drawn = draws.trajectories(range(0, 200, 7), int(sys.argv[2]))\n"
        "print([play(0, *one, Constants(texts)).row('') for one in drawn])\n"
    )

    printed = partial(printed_under, script, staged)
    assert printed("1", "0") == printed("2", "0")
    assert printed("1", "0") != printed("1", "1")
