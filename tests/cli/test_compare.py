"""`bfcl-pipeline compare`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.cli import main
from tests.support.run_form import recorded
from tests.support.synthetic_run import MadeUpModel, Marks, marks, write_run

HOSTILE = "a|b_%\x1b[31m"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three models on one category."""
    models = [
        MadeUpModel("a", {"multiple": Marks([True] * 8 + [False] * 2)}),
        MadeUpModel("b", {"multiple": Marks([True] * 6 + [False] * 3 + [True])}),
        MadeUpModel(HOSTILE, {"multiple": marks(10)}),
    ]
    return write_run(tmp_path_factory.mktemp("runs") / "mine", models)


def test_two_models_are_printed_score_by_score(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table has the accuracies, the difference and the flips, whose ids are listed by direction."""
    assert main(["compare", f"{run}:a", f"{run}:b"]) == 0
    printed = capsys.readouterr().out
    cells = next(line for line in printed.splitlines() if line.startswith("multiple")).split()
    assert cells[:5] == ["multiple", "10", "80.00", "70.00", "+10.00"]
    assert "Only A right: 2 entries: multiple_6, multiple_7." in printed
    assert "Only B right: 1 entry: multiple_9." in printed


def test_a_model_alone_is_one_of_the_run_option(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --run, sides are names of models, in which a colon may be, as after RUN:."""
    assert main(["compare", "a", "b", "--run", str(run)]) == 0
    by_name = capsys.readouterr().out
    assert main(["compare", f"{run}:a", f"{run}:b"]) == 0
    assert capsys.readouterr().out == by_name
    models = [MadeUpModel(name, {"multiple": marks(3)}) for name in ("q:7b", "q:8b")]
    other = write_run(tmp_path / "r", models)
    assert main(["compare", "q:7b", f"{other}:q:8b", "--run", str(other)]) == 0
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


def test_flips_are_a_table_and_are_in_json(run: Path, tmp_path: Path) -> None:
    """Every flipped entry, with the model that has it right."""
    out, flips = tmp_path / "c.json", tmp_path / "flips.csv"
    assert main(["compare", f"{run}:a", f"{run}:b", "--out", str(out), "--flips", str(flips)]) == 0
    expected = [("multiple_6", "a"), ("multiple_7", "a"), ("multiple_9", "b")]
    (found,) = json.loads(out.read_text())["comparisons"]
    assert [(flip["entry_id"], flip["right"]) for flip in found["flips"]] == expected
    rows = [f"a,b,official,multiple,{entry_id},{right}" for entry_id, right in expected]
    assert flips.read_text().splitlines()[1:] == rows


def test_names_cannot_break_markdown_or_latex(run: Path, tmp_path: Path) -> None:
    """A hostile name is escaped in both."""
    for suffix, escaped in (
        (".md", r"a\|b\_%\\x1b\[31m"),
        (".tex", r"a\textbar{}b\_\%\textbackslash{}x1b[31m"),
    ):
        out = tmp_path / f"c{suffix}"
        assert main(["compare", f"{run}:{HOSTILE}", f"{run}:b", "--out", str(out)]) == 0
        assert escaped in out.read_text()
        assert "p (Holm): exact test" in out.read_text()


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
        (["{run}", "--modes"], "--modes: no model with both modes"),
        (["{run}", "--group", "a", "z"], "unknown model 'z'"),
        (["{run}", "--group", "a"], "only one side, a"),
        (["none.crate.zip:a", "{run}:a"], "none.crate.zip: no such file"),
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


def test_whole_runs_are_compared_by_model(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Models of one name are pairs; a model of one run only is named."""
    other = write_run(tmp_path / "other", [MadeUpModel(name, {"multiple": marks(10)}) for name in "ac"])
    assert main(["compare", str(run), str(other)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("A: mine:a\nB: other:a\n")
    assert printed.count("A: ") == 1
    assert "Compared with none: a|b_%\\x1b[31m, b, c." in printed


def test_modes_and_groups_choose_the_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--modes pairs X-FC with X, --group names the pairs, and files may have several forms."""
    names = ("x-FC", "x", "y")
    run = write_run(tmp_path / "r", [MadeUpModel(name, {"multiple": marks(3)}) for name in names])
    assert main(["compare", str(run), "--modes"]) == 0
    assert capsys.readouterr().out.startswith("A: x-FC\nB: x\n")
    out = [tmp_path / "c.csv", tmp_path / "c.parquet"]
    files = [word for path in out for word in ("--out", str(path))]
    assert main(["compare", str(run), "--group", "y", "x", "--group", "x", "x-FC", *files]) == 0
    assert [row.split(",")[:2] for row in out[0].read_text().splitlines()[1::3]] == [
        ["y", "x"],
        ["x", "x-FC"],
    ]
    assert pq.read_table(out[1]).num_rows == 6


def test_a_run_under_other_rules_only_is_refused(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error says which rules the verdicts have."""
    run = shutil.copytree(run, tmp_path / "run")
    path = run / "verdicts" / "b.parquet"
    table = pq.read_table(path)
    pq.write_table(
        table.filter([rules == "corrected" for rules in table.column("rules").to_pylist()]), path
    )
    assert main(["compare", f"{run}:a", f"{run}:b"]) == 1
    assert "'b' has no verdict under official rules, only under corrected" in capsys.readouterr().err


def test_a_model_without_verdicts_costs_no_other_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the rule of a run compares: after an outage of one model, the tables have the other pairs."""
    run = write_run(
        tmp_path / "r",
        [
            MadeUpModel("a", {"multiple": marks(3)}),
            MadeUpModel("b", {"multiple": marks(2, 1)}),
            MadeUpModel("out", {"multiple": marks(0, 0, 3)}),
        ],
    )
    sides = [f"{run}:{name}" for name in ("a", "b", "out")]
    files = ["--common", "--out", str(tmp_path / "c.parquet"), "--flips", str(tmp_path / "f.parquet")]
    assert main(["compare", *sides, "--group", "a", "b", "out", *files]) == 0
    assert "Not compared: a and out have no entry with a verdict in common." in capsys.readouterr().out
    rows = pq.read_table(tmp_path / "c.parquet").to_pylist()
    assert {(row["first"], row["second"]) for row in rows} == {("a", "b")}
    assert main(["compare", *sides, "--group", "a", "out", *files]) == 0
    assert capsys.readouterr().out.startswith("No comparison.\nNot compared: a and out")
    assert len(pq.read_table(tmp_path / "c.parquet")) == 0
    assert len(pq.read_table(tmp_path / "f.parquet")) == 0
    assert main(["compare", f"{run}:a", f"{run}:out", "--common"]) == 1
    assert "a and out have no entry with a verdict in common" in capsys.readouterr().err


def test_webs_that_cannot_be_joined_cost_no_comparison(tmp_path: Path) -> None:
    """A simulated, a real and no web in one group are compared without web search."""
    webs = {"sim": "simulated", "off": "off", "real": "live"}
    models = [
        MadeUpModel(
            name, {"web_search_base": marks(3), "multiple": marks(2)}, webs={"web_search_base": web}
        )
        for name, web in webs.items()
    ]
    run = write_run(tmp_path / "r", models)
    (run / "config.yaml").write_text(recorded("web: simulated\n"))
    out = tmp_path / "c.parquet"
    words = ["compare", *(f"{run}:{name}" for name in webs), "--common", "--out", str(out)]
    assert main(words) == 0
    assert len(pq.read_table(out)) > 0


def test_settings_of_two_runs_are_printed_before_many_pairs(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once for two runs, above the line of each pair; of sides that recorded none, that is stated."""
    models = [MadeUpModel(name, {"multiple": marks(9, 1)}) for name in ("a", "b", HOSTILE)]
    other = write_run(tmp_path / "other", models)
    assert main(["compare", str(run), str(other)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(
        "mine:a and other:a\n"
        "  settings    not recorded of both\n"
        "  explained   not known: a side did not record its settings\n"
        "Overall, per cent"
    )
    assert printed.count("settings ") == 1
