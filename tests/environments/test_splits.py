"""Splits have no related entries on both sides, by a check that does not use their grouping."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.benchmark.records import Entry, Rules
from bfcl_pipeline.cli import main
from bfcl_pipeline.environments.setting import Setting, open_setting
from bfcl_pipeline.environments.splits import (
    NEARLY,
    SIDES,
    Split,
    frozen_split,
    named_split,
    scores_by_side,
    shared_otherwise,
    split,
    v4_entries,
    words,
)
from bfcl_pipeline.runs.run import open_run


@pytest.fixture(scope="module")
def setting(staged: Path) -> Setting:
    return open_setting(staged, Path("cache"), "simulated")


@pytest.fixture(scope="module")
def every(setting: Setting) -> list[Entry]:
    return v4_entries(setting)


@pytest.fixture(scope="module")
def made(setting: Setting) -> Split:
    return frozen_split("clusters-v1", setting)


def test_no_cluster_doc_or_scenario_is_on_both_sides(made: Split, every: list[Entry]) -> None:
    """Clusters of the statistics, docs of single-turn functions, memory scenarios, restated entries."""
    sides: dict[tuple[str, str], set[str]] = defaultdict(set)
    for entry in every:
        side = made.sides[entry.entry_id]
        sides["cluster", cluster_of(entry.category, entry.entry_id, entry.base_entry_id)].add(side)
        sides["restated", entry.base_entry_id or entry.entry_id].add(side)
        if entry.scenario is not None:
            sides["scenario", entry.scenario].add(side)
        if CATEGORIES[entry.category].single_turn:
            for doc in entry.functions:
                sides["doc", json.dumps(doc, sort_keys=True)].add(side)
    assert sum(len(found) > 1 for found in sides.values()) == 0
    assert Counter(what for what, _ in sides)["scenario"] == 5


def test_no_question_is_nearly_the_same_on_the_other_side(made: Split, every: list[Entry]) -> None:
    """All pairs of questions of both sides are compared."""
    texts = {words(entry): made.sides[entry.entry_id] for entry in every}
    number = {word: place for place, word in enumerate(sorted(set().union(*texts)))}
    rows = {}
    for side in SIDES:
        own = [text for text, on in texts.items() if on == side and text]
        rows[side] = np.zeros((len(own), len(number)), np.float32)
        for row, text in zip(rows[side], own, strict=True):
            row[[number[word] for word in text]] = 1
    train, test = rows["train"], rows["test"]
    common = train @ test.T
    union = train.sum(1)[:, None] + test.sum(1)[None, :] - common
    assert (common / union).max() < NEARLY


def test_each_category_has_about_its_share(made: Split, every: list[Entry]) -> None:
    """70 per cent within two points; of memory, which has five scenarios, 65."""
    totals = Counter(entry.category for entry in every)
    train = Counter(entry.category for entry in every if made.sides[entry.entry_id] == "train")
    assert list(totals) == list(V4_CATEGORIES)
    for category, total in totals.items():
        expected = 0.645 if category.startswith("memory") else 0.7
        assert train[category] / total == pytest.approx(expected, abs=0.02)


def test_a_split_follows_from_its_seed(setting: Setting, every: list[Entry], made: Split) -> None:
    """Whatever the order of the entries; another seed divides otherwise."""
    few = [entry for entry in every if entry.category in ("simple_python", "multiple", "live_simple")]
    first, again, other = (split(few, 0.5, seed) for seed in (3, 3, 4))
    assert first == again
    assert first.digest != other.digest
    assert named_split("test:clusters-v1", setting) == made.ids("test")
    for wrong in ("clusters-v1", "train:clusters-v0"):
        with pytest.raises(ConfigError, match="clusters-v1"):
            named_split(wrong, setting)
    with pytest.raises(ConfigError, match="between 0 and 1"):
        split(few, 1, 1)


def test_what_is_shared_nevertheless_is_counted(made: Split, every: list[Entry]) -> None:
    """Names of functions with different docs, and the tools of simulated APIs."""
    assert shared_otherwise(made, every) == {"single-turn function names": 207, "tool names": 153}


def test_the_command_writes_the_sides_and_shows_a_run(
    staged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file has a line for each entry."""
    out = tmp_path / "sides.csv"
    assert main(["split", "--name", "clusters-v1", "--out", str(out), "--data", str(staged)]) == 0
    printed = capsys.readouterr().out
    assert "multi_turn_base" in printed
    assert "207 single-turn function names" in printed
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "entry_id,category,side,group"
    assert len(lines) == sum(CATEGORIES[name].entries for name in V4_CATEGORIES) + 1
    assert main(["split", "--name", "clusters-v1", "--seed", "2", "--data", str(staged)]) == 1
    assert "frozen" in capsys.readouterr().err


def test_a_run_is_shown_by_side(made: Split, every: list[Entry], tmp_path: Path) -> None:
    """A model that knows the train side alone has 100 there and 0 on test, overall too."""
    known = made.ids("train")
    rows = [
        {"model": "learnt", "rules": "official", "category": entry.category, "entry_id": entry.entry_id}
        | {"valid": entry.entry_id in known}
        for entry in every
        if entry.category != "simple_java"
    ]
    for folder in ("responses/learnt/multiple.parquet", "verdicts/learnt.parquet"):
        (tmp_path / folder).parent.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / folder)
    lines = scores_by_side(made, open_run(tmp_path), Rules.OFFICIAL).splitlines()
    shown = {line.split()[1]: line.split()[2:] for line in lines[1:]}
    assert shown["multiple"] == shown["multi_turn"] == shown["live"] == ["100.0", "0.0", "+100.0"]
    assert not shown.keys() & {"simple_java", "simple_ast", "non_live", "overall"}  # not evaluated
    with pytest.raises(ConfigError, match="both sides"):
        scores_by_side(made, open_run(tmp_path), Rules.CORRECTED)
