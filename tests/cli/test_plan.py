"""`bfcl-pipeline plan`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
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


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with models.yaml and a finished run of two models in results/old."""
    monkeypatch.chdir(tmp_path)
    made_up_tables(tmp_path, MODELS)
    (tmp_path / "results").mkdir()
    (tmp_path / "run").rename(tmp_path / "results" / "old")
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
    assert PUBLISHED.source in printed


def test_it_loads_no_heavy_library() -> None:
    """Without a run it starts fast because neither polars nor pyarrow is imported."""
    code = (
        "import sys; from bfcl_pipeline.cli import main; main(['plan', '--within', '3']); "
        "print([name for name in ('polars', 'pyarrow', 'numpy') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "[]"


def test_verdicts_and_tokens_of_a_run_are_used(project: Path) -> None:
    """A model that is right on half of a category needs more entries; its recorded tokens are charged."""
    half = plan("--within", "7", "--of", "multiple", "--from", "old", "--model", "priced")
    most = plan("--within", "7", "--of", "multiple", "--from", "old", "--model", "tie/a")
    entries = half["samples"]["weight"]["entries"]
    assert entries == pytest.approx(1.96**2 * 0.25 / 0.07**2, abs=3)
    assert most["samples"]["weight"]["entries"] == pytest.approx(1.96**2 * 0.09 / 0.07**2, abs=4)
    assert half["models"][0]["source"].startswith("measured in run old")
    spent = half["models"][0]["efforts"]["weight"]
    assert spent["input_tokens"] == entries * 1_000_000
    assert spent["cost_usd"] == pytest.approx(entries * (2.0 + 1.0))
    assert most["models"][0]["source"] == PUBLISHED.source  # it recorded none


def test_the_widest_of_all_models_counts_if_none_is_named(project: Path) -> None:
    """So it does if the run lacks the named model, which is about to run for the first time."""
    named = plan("--within", "7", "--of", "multiple", "--from", "old", "--model", "priced")
    for words in ([], ["--model", "oracle"]):
        found = plan("--within", "7", "--of", "multiple", "--from", "old", *words)
        assert found["samples"] == named["samples"]
        assert "on priced (the widest of several)" in found["basis"]


def test_a_difference_is_of_the_same_entries(project: Path) -> None:
    """80 of 200 entries differ, all in one direction: variance 0.4 x 0.6; the interval adds two."""
    found = plan("--within", "8", "--of", "multiple", "--from", "old", "--difference")
    assert "on priced - tie/a" in found["basis"]
    assert found["samples"]["weight"]["entries"] == pytest.approx(1.96**2 * 0.24 / 0.08**2, abs=6)
    detectable = found["samples"]["weight"]["detectable_points"]
    assert detectable == pytest.approx(
        found["samples"]["weight"]["half_width_points"] * 2.80 / 1.96, rel=0.01
    )


def test_embedded_models_cost_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They make no requests, so no tokens are printed."""
    assert plan("--within", "3", "--model", "oracle")["models"][0]["efforts"] == {}
    assert "oracle makes no requests: no tokens, no cost." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--within", "1"], "cannot be reached: all 5,090 entries give ±2.71. Give a greater --within, or"),
        (["--within", "3", "--of", "overal"], "unknown score 'overal'. Did you mean 'overall'?"),
        (["--within", "3", "--from", "odl"], "no run 'odl'. Did you mean 'old'?"),
        (["--within", "3", "--from", "one", "--difference"], "needs verdicts of two models; it has priced"),
        (["--within", "3", "--model", "prized"], "unknown model 'prized'. Did you mean 'priced'?"),
    ],
)
def test_bad_input_is_one_clear_line(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    """The command fails with what to do next, and writes no file."""
    one = project / "results" / "one" / "verdicts"
    one.mkdir(parents=True)
    (project / "results/old/verdicts/priced.parquet").rename(one / "priced.parquet")
    assert main(["plan", *words, "--models", "models.yaml", "--out", "plan.json"]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not Path("plan.json").exists()


@pytest.mark.parametrize("text", ["0", "-1", "100", "nan", "three"])
def test_points_are_a_number_between_0_and_100(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Other values are refused before anything is read."""
    with pytest.raises(SystemExit, match="2"):
        main(["plan", f"--within={text}"])
    assert "is not a number of points between 0 and 100" in capsys.readouterr().err


def test_a_table_of_usage_without_a_column_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names the file and the column."""
    usage = project / "results/old/tables/usage.parquet"
    pq.write_table(pq.read_table(usage).drop_columns(["exchanges"]), usage)
    assert main(["plan", "--within", "3", "--model", "priced", "--models", "models.yaml"]) == 1
    assert "usage.parquet: column 'exchanges' is missing" in capsys.readouterr().err


def test_names_from_a_table_do_not_reach_the_terminal_raw(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An escape sequence in the name of a model is printed as text."""
    path = project / "results/old/verdicts/priced.parquet"
    table = pq.read_table(path)
    names = pa.array(["\x1b[31mred"] * table.num_rows)
    pq.write_table(table.set_column(table.column_names.index("model"), "model", names), path)
    assert main(["plan", "--within", "7", "--of", "multiple", "--from", "old"]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\\x1b[31mred" in printed
