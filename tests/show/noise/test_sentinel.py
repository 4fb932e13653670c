"""Sentinels: which entries they have, what they find, and the gate on them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from bfcl_pipeline.benchmark.config.run_settings import complete_values
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import category_weights
from bfcl_pipeline.cli import main
from bfcl_pipeline.show.noise.loss import (
    cluster_sums,
    entry_weights,
    moments_with,
    power_of,
    probability,
)
from bfcl_pipeline.show.noise.mlperf import mlperf_entries, mlperf_text, standard_errors
from bfcl_pipeline.show.noise.records import Record, Records, published_records
from bfcl_pipeline.show.noise.sentinel import Sentinel, allocated, plan_sentinel, power, strata_of
from tests.support.synthetic_run import MadeUpModel, Marks, marks, write_run


def sentinel(score: str = "single_turn", loss: float = 0.03) -> Sentinel:
    """The sentinel of published records."""
    return plan_sentinel(score, loss, published_records())


@pytest.mark.parametrize("score", ["single_turn", "live", "multi_turn_base"])
def test_a_score_is_estimated_without_bias(score: str) -> None:
    """Weights of the chosen entries add up to those of each category and difficulty in the score."""
    records, loss = published_records(), 0.2 if score == "multi_turn_base" else 0.03
    chosen = [(name, one) for name, ids in sentinel(score, loss).entries.items() for one in ids]
    worth = entry_weights(score, chosen, records)
    for name, share in category_weights(score, {}).items():
        for difficulty in range(5):
            inside = [of == name and records[of][one].difficulty == difficulty for of, one in chosen]
            alike = sum(record.difficulty == difficulty for record in records[name].values())
            assert worth[inside].sum() == pytest.approx(share * alike / len(records[name]))
    truth = sum(
        share * np.mean([one.right for one in records[name].values()])
        for name, share in category_weights(score, {}).items()
    )
    found = (worth * [records[name][one].right for name, one in chosen]).sum()
    assert found == pytest.approx(truth, abs=0.04)


def test_no_entry_can_be_spared() -> None:
    """Fewer entries of any stratum do not find the loss; entries are of the release, in its order."""
    strata = strata_of("single_turn", published_records())
    counts = allocated(strata, 0.03)
    assert power(strata, counts, 0.03) >= 0.8
    assert power(strata, [max(1, count - 2) for count in counts], 0.03) < 0.8
    for name, ids in sentinel().entries.items():
        assert [one for one in published_records()[name] if one in set(ids)] == ids
    assert sentinel().claim == sentinel().claim
    assert sum(map(len, sentinel(loss=0.05).entries.values())) < sum(counts) / 2


def test_losses_are_found_and_equal_runs_are_not_called_worse() -> None:
    """By simulation: 5 % or less of equal runs; a planted loss as often as stated."""
    records = published_records()["irrelevance"]
    ids = sentinel("irrelevance", 0.08).entries["irrelevance"]
    worth = entry_weights("irrelevance", [("irrelevance", one) for one in ids], published_records())
    right = np.array([records[one].right for one in ids])
    everything = float(np.mean([one.right for one in records.values()]))
    random, cluster = np.random.default_rng(0), np.arange(len(ids))
    alarms, found, stated = [], [], []
    for _ in range(300):
        old, new = (random.random(len(ids)) < right for _ in range(2))
        lost = new & (random.random(len(ids)) < 0.08 / everything)
        sums = cluster_sums(cluster, worth * (new.astype(float) - old))
        alarms.append(probability(sums) <= 0.05)
        stated.append(power_of(moments_with(sums, worth, old.astype(float), 0.08), 0.08))
        found.append(
            probability(cluster_sums(cluster, worth * ((new & ~lost).astype(float) - old))) <= 0.05
        )
    assert np.mean(alarms) <= 0.05 + 3 * 0.0126
    assert np.mean(found) == pytest.approx(np.mean(stated), abs=0.03 + 3 * 0.022)
    assert probability(np.zeros(3)) == 1.0


def test_own_records_replace_the_published_ones() -> None:
    """A model that never calls twice loses nothing there, so that few entries of it are asked."""
    own: Records = {
        name: {
            one: Record(record.share, [(4 if "parallel" not in name else 0, 4)])
            for one, record in of.items()
        }
        for name, of in published_records().items()
    }
    planned = plan_sentinel("non_live", 0.05, own, own=True)
    assert max(len(planned.entries[name]) for name in ("parallel", "parallel_multiple")) <= 10
    assert len(planned.entries["multiple"]) > 10


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--gate 3 --minutes 5 --rate 5 --of overall", "nothing is recorded of multi_turn_long_context"),
        ("--gate 3 --minutes 5 --rate 5 --of all", "unknown score 'all'"),
        ("--gate 3 --minutes 5", "--gate needs --minutes and --rate"),
        (
            "--gate 3 --minutes 5 --rate 1",
            "takes 10 min, not 5 minutes at 1 requests a second. Give a greater",
        ),
        ("--gate 3 --minutes 5 --rate 9 --of irrelevance", "a loss of 3 points needs more entries. Give"),
        ("--gate 90 --minutes 5 --rate 5", "90 points cannot be lost: the recorded runs have"),
        ("--gate 3 --minutes 5 --rate 5 --records none", "no run 'none'"),
    ],
)
def test_what_cannot_be_planned_names_the_way_on(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, and no traceback."""
    assert main(["plan", *words.split()]) != 0
    assert message in capsys.readouterr().err


def night(folder: Path, right: int) -> str:
    """A run of all irrelevance entries, of which the last are wrong."""
    return str(write_run(folder, [MadeUpModel("m", {"irrelevance": marks(right, 240 - right)})]))


def test_a_planned_config_selects_its_entries_and_the_gate_decides_on_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the plan to the decision: a great loss is found, two lost entries are not one."""
    monkeypatch.chdir(tmp_path)
    words = ["--minutes", "5", "--rate", "5", "--of", "irrelevance", "--out", "sentinel.yaml"]
    assert main(["plan", "--gate", "8", *words]) == 0
    config = yaml.safe_load(Path("sentinel.yaml").read_text())
    shown = capsys.readouterr().out
    assert f"{len(config['entry_ids'])} entries" in shown
    assert max(map(len, shown.splitlines())) <= 100
    assert complete_values(config)["entry_ids"] == config["entry_ids"]
    options = ["--no-worse", "8", "--sentinel", "--category", "irrelevance", "--json", "gate.json"]
    old = night(tmp_path / "old", 240)
    assert main(["gate", night(tmp_path / "bad", 200), "--against", old, *options]) == 1
    assert "worse: p 0.0001, at most 5 % of equal runs are called so" in capsys.readouterr().out
    (score,) = json.loads(Path("gate.json").read_text())["scores"]
    assert score["difference"] == pytest.approx(-40 / 240, abs=0.05)
    assert score["stated"].startswith("worse: p 0.0001")
    assert main(["gate", night(tmp_path / "good", 238), "--against", old, *options]) == 0
    assert "no loss is shown" in capsys.readouterr().out
    assert main(["gate", str(tmp_path / "good"), "--against", old, "--no-worse", "5", "--sentinel"]) == 2
    assert "no verdicts in common on a part of simple_python" in capsys.readouterr().err


def test_omitted_entries_count_against_the_run_if_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Forty entries without an answer are left out and said, or are a loss."""
    old = night(tmp_path / "old", 240)
    lacking = Marks([True] * 200 + [None] * 40)
    run = str(write_run(tmp_path / "new", [MadeUpModel("m", {"irrelevance": lacking})]))
    command = ["gate", run, "--against", old, "--no-worse", "5", "--sentinel", "--category", "irrelevance"]
    assert main(command) == 0
    assert "40 entries without a verdict left out" in capsys.readouterr().out
    assert main([*command, "--omitted", "worst"]) == 1


def test_runs_that_differ_in_entries_are_refused_or_decided_on_what_both_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As by a gate on intervals: with `--common`, the entries of one side are counted."""
    old, lacking = night(tmp_path / "old", 240), tmp_path / "new"
    write_run(lacking, [MadeUpModel("m", {"irrelevance": marks(230)})])
    command = ["gate", str(lacking), "--against", old, "--no-worse", "5", "--sentinel"]
    command += ["--category", "irrelevance"]
    assert main(command) == 2
    assert "new:m lacks 10 entries of the other (irrelevance_230" in capsys.readouterr().err
    assert main([*command, "--common"]) == 0
    assert "; 10 entries of one side only left out" in capsys.readouterr().out


def test_mlperf_has_995_entries_and_its_band(staged: Path) -> None:
    """The published counts, scores and thresholds follow from the rule; no category is unknown."""
    chosen = mlperf_entries(staged)
    assert sum(map(len, chosen.values())) == 995
    assert chosen["simple_python"] == [f"simple_python_{number}" for number in range(248)]
    assert len(chosen["live_parallel_multiple"]) == CATEGORIES["live_parallel_multiple"].entries
    assert "Reference 86.23 %, passes from 83.64 %: a band of 2.59 points." in mlperf_text(chosen)
    independent, clustered = standard_errors(chosen)
    assert independent < clustered < 2 * independent
