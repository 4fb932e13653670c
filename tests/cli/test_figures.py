"""`bfcl-pipeline figures`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from tests.support.run_form import recorded
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs without any experiment."""
    models = [
        MadeUpModel("a", {"simple_python": marks(3, 1)}),
        MadeUpModel("b", {"simple_python": marks(2, 2)}),
    ]
    folder = tmp_path_factory.mktemp("runs")
    for name in ("one", "two"):
        (folder / name).mkdir()
    return [made_up_tables(folder / name, models) for name in ("one", "two")]


def sizes_of_text(svg: Path) -> set[float]:
    return {float(size) for size in re.findall(r'font-size="([\d.]+)', svg.read_text(encoding="utf-8"))}


def test_the_figures_of_a_run_are_drawn_again(runs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Without --out they are written to the run, and their paths are printed."""
    assert main(["figures", str(runs[0])]) == 0
    printed = capsys.readouterr().out.splitlines()
    names = ("overall", "errors", "weights", "composition")
    assert printed == [f"{runs[0]}/figures/{name}.svg" for name in names]
    assert all(Path(path).with_suffix(suffix).is_file() for path in printed for suffix in (".svg", ".png"))
    assert sizes_of_text(Path(printed[0])) == {11, 14}


def test_text_is_enlarged_for_one_column(runs: list[Path], tmp_path: Path) -> None:
    """--text enlarges the text of the files; a factor outside 1 to 2 is refused."""
    arguments = ["figures", str(runs[0]), "--out", str(tmp_path)]
    assert main([*arguments, "--text", "1.5"]) == 0
    assert sizes_of_text(tmp_path / "overall.svg") == {16.5, 21}
    for factor in ("0.5", "nan", "x"):
        with pytest.raises(SystemExit):
            main([*arguments, "--text", factor])


def test_several_runs_need_a_directory(runs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Figures of several runs, or without titles, are written only to a directory that is named."""
    for arguments in ([*map(str, runs)], [str(runs[0]), "--no-titles"]):
        assert main(["figures", *arguments]) == 1
        assert "--out" in capsys.readouterr().err


def test_models_of_several_runs_are_drawn_together(
    runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each figure but that of one run's entries has all models, under names with their runs."""
    out = tmp_path / "out"
    assert main(["figures", *map(str, runs), "--out", str(out)]) == 0
    names = ("overall", "errors")
    assert capsys.readouterr().out.split() == [f"{out}/{name}.svg" for name in names]
    svg = (out / "overall.svg").read_text(encoding="utf-8")
    shown = re.findall(r"(one|two)/run:([ab])</text>", svg)
    assert shown == [("one", "a"), ("two", "a"), ("one", "b"), ("two", "b")]


def test_the_simulated_and_the_real_web_are_not_joined(
    runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Scores of another web are not comparable."""
    for run, web in zip(runs, ("simulated", "record"), strict=True):
        (run / "config.yaml").write_text(recorded(f"web: {web}\n"))
    assert main(["figures", *map(str, runs), "--out", str(tmp_path / "out")]) == 1
    assert "simulated web" in capsys.readouterr().err
