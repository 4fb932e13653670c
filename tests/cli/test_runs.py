"""Runs named on the command line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.process import this_process
from bfcl_pipeline.benchmark.records import Mode, Response
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.cli import main
from bfcl_pipeline.cli.runs import archive_file
from bfcl_pipeline.runs.folders import newest_first, run_folder, run_names
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.screen.run_list import run_lines
from bfcl_pipeline.show.screen.run_state import Phase, RunReport, RunState
from bfcl_pipeline.show.screen.state_file import run_file, write_record
from tests.support.run_form import recorded
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks

ENTRY = "simple_python_0"


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the runs `old` and `new`; `new` was recorded later."""
    monkeypatch.chdir(tmp_path)
    for place, name in enumerate(("new", "old")):
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        (folder / "config.yaml").write_text(recorded(f"run: {name}\n"))
        os.utime(folder / "config.yaml", (2000 - place, 2000 - place))
    return tmp_path


def answer(run: str, model: str, entry_id: str = ENTRY) -> None:
    """Writes the response of a model in a run."""
    response = Response(entry_id, "simple_python", Mode.PROMPT, f'"from {run}"', model=model)
    write_responses(Path("results") / run / "responses" / model / "simple_python.parquet", [response])


def test_a_run_is_named_or_its_directory_is_given(runs: Path) -> None:
    """The name, the relative path and the absolute path are the same run."""
    for given in ("old", "results/old", str(runs / "results/old")):
        assert run_folder(Path(given)).resolve() == runs / "results/old"


def test_an_unknown_run_is_answered_with_the_known_ones() -> None:
    """The error names a similar run and lists all."""
    with pytest.raises(ConfigError, match=r"'odl'. Did you mean 'old'\? Runs in results/: new, old."):
        run_folder(Path("odl"))
    Path("results").rename("elsewhere")
    with pytest.raises(ConfigError, match="There are no runs in results/ yet"):
        run_folder(Path("old"))


def test_runs_are_ordered_by_their_recorded_config() -> None:
    """The newest config first; a directory without one last."""
    (Path("results") / "bare").mkdir()
    (Path("results") / ".hidden").mkdir()
    assert run_names() == ["bare", "new", "old"]
    assert [folder.name for folder in newest_first()] == ["new", "old", "bare"]


def test_show_finds_the_newest_run_with_the_entry(staged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --run the newest run that has a response of the model is shown, and named."""
    command = ["show", ENTRY, "--data", str(staged), "--model", "m"]
    answer("old", "m")
    assert main(command) == 0
    assert "answered by m in results/old" in capsys.readouterr().out
    answer("new", "m")
    assert main(command) == 0
    assert "answered by m in results/new" in capsys.readouterr().out


def test_show_names_the_runs_that_have_an_entry(staged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An entry outside the sample of a run is an error with the runs and models that have it."""
    answer("old", "m")
    answer("new", "m", "simple_python_1")
    command = ["show", ENTRY, "--data", str(staged)]
    assert main([*command, "--model", "m", "--run", "new"]) == 1
    assert capsys.readouterr().err.endswith("Runs that have one: results/old (m).\n")
    assert main([*command, "--model", "other"]) == 1
    assert "no run has a response of 'other'" in capsys.readouterr().err


def test_name_of_a_run_is_the_name_of_its_archive(runs: Path) -> None:
    """`sign` and `verify` find the archive of a run by its name; a file of that name comes first."""
    archive = runs / "results/new.crate.zip"
    archive.touch()
    assert archive_file(Path("new")) == Path("results/new.crate.zip")
    assert archive_file(Path("results/old.crate.zip")) == Path("results/old.crate.zip")
    (runs / "new").touch()
    assert archive_file(Path("new")) == Path("new")
    with pytest.raises(ConfigError, match=r"neither an archive old nor results/old\.crate\.zip"):
        archive_file(Path("old"))


def test_runs_are_listed(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Newest first, with what the tables say, and the reported state; an unreadable one costs no other."""
    made = made_up_tables(
        runs / "made",
        [MadeUpModel("a", {"multiple": marks(1, 2)}), MadeUpModel("b~2", {"multiple": marks(0, 1)})],
    )
    (made / "report.html").touch()
    (made / "big").write_bytes(b"1" * 2_000_000)
    made.rename("results/made")
    os.utime("results/made", (500, 500))
    (Path("results/old/tables")).mkdir()
    (Path("results/old/tables/leaderboard.csv")).write_text("x\n1\n")
    failed = RunReport(1, this_process(), RunState(name="new", phase=Phase.FAILED))
    write_record(run_file("new"), failed)
    assert main(["runs"]) == 0
    head, *lines, _ = (line.split() for line in capsys.readouterr().out.splitlines())
    assert head == ["Run", "Date", "State", "Models", "Entries", "Best", "Requests", "MB"]
    assert [line[:3] for line in lines] == [
        ["new", "1970-01-01", "failed"],
        ["old", "1970-01-01", "unreadable"],
        ["made", "1970-01-01", "done"],
    ]
    assert lines[2][3:7] == ["a", "+1", "3", "0.83*"]
    assert lines[2][8].startswith("2.")
    narrow = list(run_lines([Run(Path("results/made"))], 50))
    assert max(map(len, narrow[:2])) <= 50
    assert narrow[-1] == "Not shown in 50 columns: Requests, MB."


def test_no_runs_is_an_error(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message says how to start one."""
    (runs / "results").rename(runs / "elsewhere")
    assert main(["runs"]) == 1
    assert "Start one: bfcl-pipeline run" in capsys.readouterr().err
