"""The ratio of two scores with its interval."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bfcl_pipeline.cli import main
from tests.support.synthetic_run import MadeUpModel, Marks, write_run


def recovered(
    folder: Path, first: np.ndarray, second: np.ndarray, capsys: pytest.CaptureFixture[str]
) -> dict[str, list[str]]:
    """What is printed of each score of two models on one category."""
    models = [
        MadeUpModel(name, {"multiple": Marks(right.tolist())})
        for name, right in (("a", first), ("b", second))
    ]
    assert main(["compare", str(write_run(folder, models)), "--recovery"]) == 0
    return {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines() if line}


def test_the_interval_holds_the_true_ratio(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of 95 % intervals of two dependent scores, about 95 % hold it; equal sides recover everything."""
    random, held = np.random.default_rng(1), 0
    for draw in range(60):
        first = random.random(150) < 0.8
        second = np.where(first, random.random(150) < 0.85, random.random(150) < 0.2)
        low, _, high = recovered(tmp_path / str(draw), first, second, capsys)["multiple"][4:]
        held += float(low) <= 100 * (0.8 * 0.85 + 0.2 * 0.2) / 0.8 <= float(high)
    assert 54 <= held <= 60
    _, _, _, ratio, low, _, high = recovered(tmp_path / "same", first, first, capsys)["multiple"]
    assert ratio == "100.00"
    assert float(low) < 100 < float(high)


def test_scores_without_a_ratio_and_partial_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A score of nothing is left out; a group of which categories lack verdicts is marked."""
    assert "multiple" not in recovered(tmp_path / "none", np.zeros(9, bool), np.ones(9, bool), capsys)
    found = recovered(tmp_path / "some", np.arange(20) < 16, np.arange(20) < 12, capsys)
    assert found["multiple"][:4] == ["20", "80.00", "60.00", "75.00"]
    assert found["overall*"][3] == "75.00"
