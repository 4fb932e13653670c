"""`bfcl-pipeline aggregate`."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from bfcl_pipeline.cli import main
from tests.support.run_form import recorded
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks


def run_of_two(tmp_path: Path) -> Path:
    return made_up_tables(tmp_path, [MadeUpModel(name, {"multiple": marks(1)}) for name in ("a", "b")])


def test_it_writes_the_tables_and_prints_their_path(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The path is printed as it was given, with the number of models."""
    run = run_of_two(tmp_path)
    (run / "tables" / "leaderboard.csv").unlink()
    assert (
        main(["aggregate", str(run), "--data", str(tmp_path), "--models", str(tmp_path / "models.yaml")])
        == 0
    )
    assert (run / "tables" / "leaderboard.csv").is_file()
    assert capsys.readouterr().err == f"{run}/tables: 2 models\n"


def test_models_and_rules_can_be_chosen(tmp_path: Path) -> None:
    """The official files show the chosen models under the chosen rules."""
    run = run_of_two(tmp_path)
    options = ["--models", str(tmp_path / "models.yaml"), "--model", "b", "--rules", "corrected"]
    assert main(["aggregate", str(run), *options]) == 0
    text = (run / "tables" / "official" / "data_overall.csv").read_text()
    assert [line.split(",")[2] for line in text.splitlines()] == ["Model", "b"]


def test_a_sample_by_weight_is_weighted_by_the_sizes_of_the_release(tmp_path: Path) -> None:
    """So the tables are; the official files are what the official tool writes of the same answers."""
    run = made_up_tables(
        tmp_path, [MadeUpModel("a", {"live_simple": marks(5, 5), "live_multiple": marks(10)})]
    )
    command = ["aggregate", str(run), "--data", str(tmp_path), "--models", str(tmp_path / "models.yaml")]
    official = (run / "tables/official/data_live.csv").read_bytes()
    usual = pl.read_parquet(run / "tables/leaderboard.parquet")
    assert usual["live"].to_list() == pytest.approx([15 / (10 + 10 + 16 + 24)] * usual.height)
    (run / "config.yaml").write_text(recorded("sample:\n  by: weight\n  entries: 20\nseed: 0\n"))
    assert main(command) == 0
    weighted = pl.read_parquet(run / "tables/leaderboard.parquet")
    assert weighted["live"].to_list() == pytest.approx([(258 * 0.5 + 1053) / 1351] * usual.height)
    assert (run / "tables/official/data_live.csv").read_bytes() == official


def test_a_run_without_verdicts_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit status is 1, and the message names the directory."""
    assert main(["aggregate", str(tmp_path)]) == 1
    assert f"{tmp_path}/verdicts: no verdicts." in capsys.readouterr().err
