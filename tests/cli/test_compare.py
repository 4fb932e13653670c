"""`bfcl-pipeline compare`."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.cli import main
from tests.support.synthetic_run import MadeUpModel, Marks, marks, write_run

HOSTILE = "a|b_%\x1b[31m"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of three models on one category."""
    models = [
        MadeUpModel("a", {"multiple": Marks([True] * 8 + [False] * 2)}),
        MadeUpModel("b", {"multiple": Marks([True] * 6 + [False] * 3 + [True])}),
        MadeUpModel(HOSTILE, {"multiple": marks(10)}),
    ]
    return write_run(tmp_path / "mine", models)


def test_two_models_are_printed_score_by_score(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table has the accuracies, the difference and the flips, whose ids are listed by direction."""
    assert main(["compare", f"{run}:a", f"{run}:b"]) == 0
    printed = capsys.readouterr().out
    cells = next(line for line in printed.splitlines() if line.startswith("multiple")).split()
    assert cells[:5] == ["multiple", "10", "80.00", "70.00", "+10.00"]
    assert "Only A right: 2 entries: multiple_6, multiple_7." in printed
    assert "Only B right: 1 entry: multiple_9." in printed


def test_a_model_alone_is_one_of_the_run_option(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --run, sides are names of models."""
    assert main(["compare", "a", "b", "--run", str(run)]) == 0
    assert main(["compare", f"{run}:a", f"{run}:b"]) == 0
    printed = capsys.readouterr().out
    assert printed[: len(printed) // 2] == printed[len(printed) // 2 :]


def test_a_model_may_have_a_colon_in_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --run or after RUN:, a colon may be a part of the model's name."""
    run = write_run(
        tmp_path / "r", [MadeUpModel(name, {"multiple": marks(3)}) for name in ("q:7b", "q:8b")]
    )
    assert main(["compare", "q:7b", f"{run}:q:8b", "--run", str(run)]) == 0
    assert capsys.readouterr().out.startswith("A: q:7b\nB: q:8b\n")


def test_a_run_alone_is_all_its_models(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The others are compared with the first, or every pair; several pairs take a line each."""
    assert main(["compare", str(run), "--all-pairs"]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert [line.split()[:2] for line in printed.splitlines()[3:6]] == [
        ["a", "a|b_%\\x1b[31m"],
        ["a", "b"],
        ["a|b_%\\x1b[31m", "b"],
    ]


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl", ".json", ".md", ".tex"])
def test_every_form_is_written_alike_twice(run: Path, tmp_path: Path, suffix: str) -> None:
    """Each form has the difference, and equal comparisons are equal bytes."""
    one, two = tmp_path / f"one{suffix}", tmp_path / f"two{suffix}"
    for path in (one, two):
        assert main(["compare", f"{run}:a", f"{run}:b", "--out", str(path)]) == 0
    assert one.read_bytes() == two.read_bytes()
    if suffix == ".parquet":
        (row,) = [row for row in pq.read_table(one).to_pylist() if row["score"] == "multiple"]
        assert (row["only_first"], row["only_second"], row["entries"]) == (2, 1, 10)
        assert row["difference"] == pytest.approx(0.1)
    else:
        shown = {".csv": ",0.8,0.7,0.1,", ".md": " +10.00 ", ".tex": " +10.00 "}
        assert shown.get(suffix, '"difference": 0.1,') in one.read_text()


def test_json_has_the_flips(run: Path, tmp_path: Path) -> None:
    """The JSON document names the model that has a flipped entry right."""
    out = tmp_path / "c.json"
    assert main(["compare", f"{run}:a", f"{run}:b", "--out", str(out)]) == 0
    (found,) = json.loads(out.read_text())["comparisons"]
    assert [(flip["entry_id"], flip["right"]) for flip in found["flips"]] == [
        ("multiple_6", "a"),
        ("multiple_7", "a"),
        ("multiple_9", "b"),
    ]


def test_flips_are_a_table(run: Path, tmp_path: Path) -> None:
    """--flips writes every flipped entry of every pair."""
    out = tmp_path / "flips.csv"
    assert main(["compare", f"{run}:a", f"{run}:b", "--flips", str(out)]) == 0
    assert out.read_text().splitlines()[1:] == [
        "a,b,official,multiple,multiple_6,a",
        "a,b,official,multiple,multiple_7,a",
        "a,b,official,multiple,multiple_9,b",
    ]


def test_names_cannot_break_markdown_or_latex(run: Path, tmp_path: Path) -> None:
    """A hostile name is escaped in both."""
    for suffix, escaped in ((".md", r"a\|b\_%\\x1b\[31m"), (".tex", r"a|b\_\%\textbackslash{}x1b[31m")):
        out = tmp_path / f"c{suffix}"
        assert main(["compare", f"{run}:{HOSTILE}", f"{run}:b", "--out", str(out)]) == 0
        assert escaped in out.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{run}:a"], "only one side, a: expected two or more models"),
        (["{run}:a", "{run}:c"], "unknown model 'c'"),
        (["{run}:a", "{run}:b", "--out", "x.pdf"], "x.pdf: expected a file name that ends in .parquet"),
        (["{run}:a", "{run}:b", "--flips", "x.md"], "x.md: expected a file name that ends in .parquet"),
        (["{run}:a", "{run}:b", "--category", "parallel"], "no verdict on these categories"),
        (["{run}:a", "{run}:b", "--category", "nonsense"], "unknown category 'nonsense'"),
        (["{run}:a", "nowhere"], "no run 'nowhere'"),
        (["{run}:a", "{run}:b", "--show", "-1"], "--show: expected 0 or more"),
    ],
)
def test_bad_input_is_one_line(
    run: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error says what is wrong, and nothing is written."""
    assert main(["compare", *(text.format(run=run) for text in arguments)]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
