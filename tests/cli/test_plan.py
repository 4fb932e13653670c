"""`bfcl-pipeline plan`."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.ask.jobs.effort import PUBLISHED
from bfcl_pipeline.cli import main
from tests.support.synthetic_run import MODELS_FILE, MadeUpModel, made_up_tables, marks

TOKENS = {"multiple": [(1_000_000, 100_000)] * 200}
MODELS = [
    MadeUpModel("priced", {"multiple": marks(100, 100)}, tokens=TOKENS),
    MadeUpModel("tie/a", {"multiple": marks(180, 20)}),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of two models, with its models.yaml."""
    folder = tmp_path_factory.mktemp("made")
    made_up_tables(folder, MODELS)
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with models.yaml and the finished run in results/old."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made / "run", tmp_path / "results/old")
    (tmp_path / "models.yaml").write_text(MODELS_FILE, encoding="utf-8")
    return tmp_path


def plan(*words: str) -> dict[str, Any]:
    """The JSON document of a plan with these arguments."""
    assert main(["plan", *words, "--models", "models.yaml", "--out", "plan.json"]) == 0
    document: dict[str, Any] = json.loads(Path("plan.json").read_text(encoding="utf-8"))
    return document


def test_a_plan_needs_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In an empty folder it prints both samples with their precision, and the assumptions."""
    monkeypatch.chdir(tmp_path)
    assert main(["plan", "--within", "3"]) == 0
    printed = capsys.readouterr().out
    lines = {words[0]: words[1:] for line in printed.splitlines() if (words := line.split())}
    assert lines["web_search_base"][-3:] == ["100", "71", "100"]
    assert lines["entries"] == ["5,090", "3,606", "1,526"]
    assert lines["95"] == ["%", "interval", "±2.71", "±3.00", "±3.00"]
    assert "assumed: accuracies of 50 %" in printed
    assert "  categories: [all_scoring]\n  sample: 3617\n" in printed
    assert PUBLISHED.source in " ".join(printed.split())
    assert max(map(len, printed.splitlines())) <= 80


def test_tokens_of_a_run_are_used(project: Path) -> None:
    """The recorded tokens of a model are charged, published ones of a model that recorded none."""
    found = plan("--within", "7", "--of", "multiple", "--model", "priced", "--model", "tie/a")
    entries = found["samples"]["weight"]["entries"]
    first, second = found["models"]
    assert first["source"].startswith("measured in run old")
    spent = first["efforts"]["weight"]
    assert spent["input_tokens"] == entries * 1_000_000
    assert spent["cost_usd"] == pytest.approx(entries * (2.0 + 1.0))
    assert second["source"] == PUBLISHED.source


def test_a_difference_is_of_the_same_entries(project: Path) -> None:
    """A correlation of 0.5 between two models leaves the variance of one; the interval adds two entries."""
    found = plan("--within", "8", "--of", "multiple", "--difference")
    entries = found["samples"]["weight"]["entries"]
    half_widths = [
        1.96 * math.sqrt(0.85 * 0.15 * count + 2) / (count + 2) for count in (entries, entries - 1)
    ]
    assert half_widths[0] <= 0.08 < half_widths[1]
    detectable = found["samples"]["weight"]["detectable_points"]
    assert detectable == pytest.approx(
        found["samples"]["weight"]["half_width_points"] * 2.80 / 1.96, rel=0.01
    )


def test_the_largest_sample_that_fits_in_a_time(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At 5 requests a second, 10 minutes have 3,000; one more entry would not fit. Trials share them."""
    words = ["--minutes", "10", "--rate", "5", "--of", "multi_turn"]
    once, thrice = plan(*words), plan(*words, "--trials", "3")
    for found, trials in ((once, 1), (thrice, 3)):
        for need in found["models"][0]["efforts"].values():
            assert 3_000 - trials * 13 < need["requests"] <= 3_000
            assert need["seconds"] <= 600
    assert "trials" not in once["config"]
    assert thrice["config"]["trials"] == 3
    assert once["samples"]["weight"]["half_width_points"] < thrice["samples"]["weight"]["half_width_points"]
    assert "10 minutes for multi_turn, one model, 3 trials." in capsys.readouterr().out


def test_embedded_models_cost_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They make no requests, so no tokens are printed."""
    assert plan("--within", "3", "--model", "oracle")["models"][0]["efforts"] == {}
    assert "oracle makes no requests: no tokens, no cost." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--within", "1"], "cannot be reached: all 5,090 entries give ±2.71. Give a greater --within, or"),
        (["--minutes", "10"], "minutes are too few for overall: one entry of each category takes 39 min."),
        (["--minutes", "10", "--rate", "5"], "What fits with --of: web_search ±8.49, multi_turn ±7.41, "),
        (["--minutes", "0.01"], "Give more --minutes."),
        (["--within", "3", "--trials", "0"], "--trials: expected 1 or more, got 0."),
        (["--within", "3", "--of", "overal"], "unknown score 'overal'. Did you mean 'overall'?"),
        (["--within", "3", "--model", "prized"], "unknown model 'prized'. Did you mean 'priced'?"),
    ],
)
def test_bad_input_is_one_clear_message(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    """The command fails with what to do next, and writes no file."""
    assert main(["plan", *words, "--models", "models.yaml", "--out", "plan.json"]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") <= 2
    assert not Path("plan.json").exists()


@pytest.mark.parametrize("text", ["0", "-1", "100", "nan", "three"])
def test_points_are_a_number_between_0_and_100(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Other values are refused before anything is read."""
    for option in ["--within", "--minutes", "--rate"][: 1 if text == "100" else 3]:
        with pytest.raises(SystemExit, match="2"):
            main(["plan", f"{option}={text}"])
    assert "is not a number of points between 0 and 100" in (error := capsys.readouterr().err)
    assert error.count("is not a positive number") == (0 if text == "100" else 2)


def test_a_table_of_usage_without_a_column_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names the file and the column."""
    usage = project / "results/old/tables/usage.parquet"
    pq.write_table(pq.read_table(usage).drop_columns(["exchanges"]), usage)
    assert main(["plan", "--within", "3", "--model", "priced", "--models", "models.yaml"]) == 1
    assert "usage.parquet: column 'exchanges' is missing" in capsys.readouterr().err
