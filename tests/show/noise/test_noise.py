"""`bfcl-pipeline noise`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from bfcl_pipeline.benchmark.tables import read_table, write_table
from bfcl_pipeline.cli import main
from bfcl_pipeline.show.noise.noise import noise_of
from tests.show.compare.diff.made_run import CONVERSATION, MadeRun
from tests.support.synthetic_run import MadeUpModel, Marks, write_run


def test_trials_and_runs_of_one_row_are_equal_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 40 entries, 6 are right in one of three runs; two of them differ in 2/3 of the pairs."""
    three = [Marks([place % 3 == number or place >= 6 for place in range(40)]) for number in range(3)]
    names = ("m", "m~2")
    trials = [MadeUpModel(name, {"multiple": own}) for name, own in zip(names, three, strict=False)]
    runs = [
        write_run(tmp_path / "a", trials),
        write_run(tmp_path / "b", [MadeUpModel("m", {"multiple": three[2]})]),
    ]
    assert main(["noise", *map(str, runs)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "m: in what two equal runs are expected to differ, by 3 runs."
    change = f"{196 * np.sqrt(4.0) / 40:.2f}"
    assert lines[3].split() == ["multiple", "40", "4.0", "0", "to", "10", change, "-", "-"]
    assert max(map(len, lines)) <= 81
    assert main(["noise", str(runs[1])]) != 0
    assert (
        "Name several runs of one model, made with --fresh, or one with trials" in capsys.readouterr().err
    )


def test_flips_are_the_servers_or_the_agents(
    first: MadeRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another answer to the only request; or to an earlier one, after which other requests follow."""

    def otherwise(message: dict[str, list[dict[str, dict[str, str]]]]) -> None:
        message["tool_calls"][0]["function"]["arguments"] = '{"tweet_id": 99}'

    again = MadeRun(tmp_path / "again", first.staged, first.endpoint).make()
    other = again.copy(tmp_path / "other")
    other.answer_otherwise("simple_python_0", 1, otherwise)
    other.answer_otherwise(CONVERSATION, 2, otherwise)
    other.make()
    flip(other, ("simple_python_0", CONVERSATION), first)
    copied = ["noise", str(again.results), str(other.results), "--category", "simple_python"]
    assert main(copied) != 0  # the answers on both sides are of one journal
    assert "were asked each for itself" in capsys.readouterr().err
    assert main(["noise", str(first.results), str(other.results)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "%" in line]
    found = {
        row[0]: (row[2], row[-4], row[-2]) for row in rows if row[0] in ("simple_python", "multi_turn_base")
    }
    assert found == {"simple_python": ("1.0", "100", "0"), "multi_turn_base": ("1.0", "0", "100")}


def flip(run: MadeRun, entry_ids: tuple[str, ...], other: MadeRun) -> None:
    """Gives entries the verdicts that another run has not; of the others, its verdicts."""
    (path,) = (run.results / "verdicts").iterdir()
    theirs = read_table(other.results / "verdicts" / path.name)
    mine = pc.is_in(theirs.column("entry_id"), value_set=pa.array(entry_ids))
    valid = pc.if_else(mine, pc.invert(theirs.column("valid")), theirs.column("valid"))
    place = theirs.column_names.index("valid")
    write_table(path, theirs.set_column(place, theirs.schema.field("valid"), valid))


@pytest.mark.parametrize("runs", [2, 4])
def test_the_interval_holds_the_flips_of_other_runs(runs: int) -> None:
    """By simulation of entries that are right with different probabilities; also where few flip."""
    random = np.random.default_rng(0)
    entries = [("multiple", f"multiple_{place}") for place in range(200)]
    held = []
    for level in (0.02, 0.5):
        chance = np.where(random.random(200) < level, random.random(200), 1.0)
        for _ in range(150):
            marks = (random.random((runs + 2, 200)) < chance).astype(float)
            (row,) = noise_of(entries, marks[:runs])
            held.append(row.flips_low <= np.abs(marks[-1] - marks[-2]).sum() <= row.flips_high)
    assert np.mean(held) >= 0.95 - 3 * 0.0126
