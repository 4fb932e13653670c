"""The state of a run, read from the files that it and its jobs write."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.base.process import Process, this_process
from bfcl_pipeline.show.screen.plain_state import state_lines, state_object
from bfcl_pipeline.show.screen.progress_file import ProgressFile
from bfcl_pipeline.show.screen.run_file import NAME, RunFile, model_progress_path, run_progress_folder
from bfcl_pipeline.show.screen.run_view import FailedStep, ModelState, ModelView, Phase, RunView
from bfcl_pipeline.show.screen.watching import RunWatcher, last_reported, reported_runs, workflow_folder
from tests.support.job_progress import NONE_YET

ELSEWHERE = Process(host="n1", machine="m", boot="b", namespace="p", pid=77, started="1")
SECOND = 10**9


class Run:
    """The files of a run, a clock, and what watches them."""

    def __init__(self, folder: Path, here: Process | None = None) -> None:
        self.folder = folder
        self.seconds = 1000.0
        self.watcher = RunWatcher(folder, "mine", clock=lambda: self.seconds, here=here or this_process())

    def write(self, *models: ModelView, **fields: Any) -> None:
        """Writes the run's file as the screen does."""
        view = RunView(
            name="mine",
            title="Run mine: 3 models",
            phase=Phase.RUNNING,
            seconds=90.0,
            steps_done=1,
            steps_total=9,
            steps_running=("Score oracle",),
            failed=(),
            models=models,
        )
        RunFile("mine").write(replace(view, **fields))

    def job(self, name: str, modified: int | None = None, **fields: Any) -> Path:
        """Writes the progress of a job as it does. modified: seconds, by the clock of its machine."""
        path = model_progress_path("mine", name)
        ProgressFile(path).show(replace(NONE_YET, name=name, **fields))
        if modified is not None:
            os.utime(path, ns=(modified * SECOND, modified * SECOND))
        return path

    def read(self) -> RunView:
        view = self.watcher.read()
        assert view is not None
        return view


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return Run(tmp_path)


def model(name: str, state: ModelState = ModelState.RUNNING) -> ModelView:
    return ModelView(name=name, state=state)


def test_steps_and_models_are_put_together(run: Run) -> None:
    """A job that has reported has its progress; one that waits has none, whatever an earlier run left."""
    run.job("a-FC", entries_done=1)
    run.job("b-FC", entries_done=2)
    failed = (FailedStep(text="Score c", log="c.log", reason="no room"),)
    run.write(model("a-FC"), model("b-FC", ModelState.WAITING), failed=failed)
    view = run.read()
    first, second = view.models
    assert first.progress is not None
    assert (first.progress.entries_done, first.log) == (1, "results/mine/logs/generate/a-FC.log")
    assert second == model("b-FC", ModelState.WAITING)
    assert (view.phase, view.at_work, view.failed) == (Phase.RUNNING, True, failed)


def test_models_finished_by_an_earlier_part_of_the_run_are_shown(run: Run) -> None:
    """They are not among the steps any more; an incomplete one belongs to no step and is left out."""
    run.job("earlier", entries_done=2)
    run.job("removed", entries_done=1)
    run.write(model("a-FC"))
    assert [(one.name, one.state) for one in run.read().models] == [
        ("a-FC", ModelState.RUNNING),
        ("earlier", ModelState.FINISHED),
    ]


def test_a_run_whose_process_is_gone_was_killed(tmp_path: Path, run: Run) -> None:
    """It is known at once on its own machine."""
    run.write()
    path = run_progress_folder("mine") / NAME
    document = json.loads(path.read_text())
    document["process"]["started"] = "1"  # another process with this id
    path.write_text(json.dumps(document))
    view = run.read()
    assert (view.phase, view.at_work) == (Phase.KILLED, False)
    assert "killed" in next(state_lines(view))


def test_a_run_on_another_machine_is_at_work_if_its_file_changes(tmp_path: Path, run: Run) -> None:
    """Until then that is not known; without a change it is silent for as long as it was watched."""
    far = Run(tmp_path, ELSEWHERE)
    path = run_progress_folder("mine") / NAME
    far.write()
    os.utime(path, ns=(5 * SECOND, 5 * SECOND))
    assert far.read().at_work is None
    assert any("No sign of life" in line for line in state_lines(far.read()))
    far.seconds += 300
    assert far.read().silent_seconds == 300
    assert any("no news for 5 min" in line for line in state_lines(far.read()))
    far.write()
    os.utime(path, ns=(6 * SECOND, 6 * SECOND))
    view = far.read()
    assert (view.at_work, view.silent_seconds) == (True, 0.0)


def test_a_job_is_silent_since_its_file_changed(run: Run) -> None:
    """Before the first look, the files' times are compared with each other, never with a clock here."""
    run.write(model("a"), model("b"))
    run.job("a", modified=1000)
    run.job("b", modified=1200)
    os.utime(run_progress_folder("mine") / NAME, ns=(1100 * SECOND, 1100 * SECOND))
    assert [one.silent_seconds for one in run.read().models] == [200.0, 0.0]
    run.seconds += 60
    run.job("a", modified=1)  # a clock that was set back
    assert [one.silent_seconds for one in run.read().models] == [0.0, 60.0]


def test_jobs_alone_are_shown_if_the_run_reports_nothing(run: Run) -> None:
    """A run with Snakemake's own messages: it is done when all jobs are."""
    assert run.watcher.read() is None
    run.job("a", modified=1, entries_done=2)
    run.job("b", modified=2, entries_done=1)
    view = run.read()
    assert (view.phase, view.at_work) == (Phase.RUNNING, None)
    run.job("b", modified=3, entries_done=2)
    assert run.read().phase is Phase.DONE


@pytest.mark.parametrize(
    "damage",
    [
        {"phase": "asleep"},
        {"models": [{"name": "a"}]},
        {"models": "abc"},
        {"seconds": -1},
        {"steps_total": "many"},
        {"title": None},
        {"failed": [7]},
    ],
)
def test_a_damaged_file_of_the_run_is_as_none(run: Run, damage: dict[str, Any]) -> None:
    """The jobs are still shown."""
    run.write()
    path = run_progress_folder("mine") / NAME
    path.write_text(json.dumps(json.loads(path.read_text()) | damage))
    assert run.watcher.read() is None
    run.job("a")
    assert [one.name for one in run.read().models] == ["a"]


@pytest.mark.parametrize("process", [None, [], {"pid": 1}, {**asdict(ELSEWHERE), "pid": 1 << 80}])
def test_a_run_without_a_readable_process_is_watched_for_changes(run: Run, process: object) -> None:
    """It is not taken for dead."""
    run.write()
    path = run_progress_folder("mine") / NAME
    path.write_text(json.dumps(json.loads(path.read_text()) | {"process": process}))
    assert (run.read().phase, run.read().at_work) == (Phase.RUNNING, None)


def test_names_in_the_file_lead_to_no_other_folder(run: Run) -> None:
    """A model's name is a file name."""
    Path("x.log").write_text(json.dumps(asdict(replace(NONE_YET, name="other"))))
    run.write(model("../../../../../../x"), model("a"), model(".."), model(""))
    assert [one.name for one in run.read().models] == ["a"]


def test_hostile_texts_do_not_reach_the_terminal(run: Run) -> None:
    """In plain lines and in JSON control characters are escaped, and every text is bounded."""
    hostile = "\x1b]0;x\x07\u202e[bold]" + "z" * 50_000
    path = run.job("a", last_error=hostile, entries_failed=1)
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"failures": {hostile: 1}, "wait_reason": hostile}))
    run.write(
        model("a"),
        title=hostile,
        steps_running=(hostile,),
        failed=(FailedStep(text=hostile, log=hostile, reason=hostile),),
    )
    lines = list(state_lines(run.read()))
    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines)) < 2000
    assert "[bold]" in "".join(lines)
    assert len(json.dumps(state_object(run.read()))) < 10_000


def test_a_hundred_models_are_one_line_each(run: Run) -> None:
    """Those that wait are one line together."""
    names = [f"m{number:02}-FC" for number in range(100)]
    for name in names[:60]:
        run.job(name, entries_done=1, dollars=0.5)
    states = [ModelState.RUNNING] * 60 + [ModelState.WAITING] * 40
    run.write(*map(model, names, states))
    view = run.read()
    lines = list(state_lines(view))
    assert sum(line.startswith("  m") for line in lines) == 60
    assert "  Models: 40 waiting" in lines
    assert view.dollars == 30.0
    assert state_object(view)["models"][0]["progress"]["share"] == 0.5


def test_runs_that_reported_are_found(run: Run) -> None:
    """The newest is that of the file that changed last."""
    assert (reported_runs(run.folder), last_reported(run.folder)) == ([], None)
    run.write()
    os.utime(run_progress_folder("mine") / NAME, ns=(SECOND, SECOND))
    other = run_progress_folder("other") / "logs/generate/a.log"
    other.parent.mkdir(parents=True)
    other.touch()
    assert reported_runs(run.folder) == ["mine", "other"]
    assert last_reported(run.folder) == "other"


def test_the_folder_of_the_workflow_is_that_of_the_results(tmp_path: Path) -> None:
    """Of a run that is given by its path."""
    assert workflow_folder(tmp_path / "project/results/mine") == tmp_path / "project"
    assert workflow_folder(Path("results/mine")) == Path.cwd()
