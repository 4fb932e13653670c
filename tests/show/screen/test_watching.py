"""The state of a run, read from the file in which it reports."""

from __future__ import annotations

import io
import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.base.process import Process, this_process
from bfcl_pipeline.show.screen.picture import print_state
from bfcl_pipeline.show.screen.run_state import (
    FailedStep,
    ModelJob,
    ModelState,
    Phase,
    RunReport,
    RunState,
    RunWatcher,
    reporting_file,
)
from bfcl_pipeline.show.screen.state_file import run_file, write_record
from tests.support.job_progress import NONE_YET

ELSEWHERE = Process(host="n1", machine="m", boot="b", namespace="p", pid=77, started="1")
FILE = run_file("mine")


class Run:
    """The file of a run, a clock, and what watches it."""

    def __init__(self, here: Process | None = None) -> None:
        self.seconds = 1000.0
        self.watcher = RunWatcher(FILE, clock=lambda: self.seconds, here=here or this_process())

    def write(self, *models: ModelJob, beat: int = 1, **fields: Any) -> None:
        """Writes the file as the screen does."""
        state = RunState(name="mine", title="Run mine: 3 models", seconds=90.0, steps_done=1, steps_total=9)
        report = RunReport(beat, this_process(), replace(state, models=models, **fields))
        write_record(FILE, report)

    def damage(self, part: str | None = None, **values: object) -> None:
        """Replaces values in the file, or in a part of it."""
        document = json.loads(FILE.read_text())
        (document if part is None else document[part]).update(values)
        FILE.write_text(json.dumps(document))

    def read(self) -> RunState:
        state = self.watcher.read()
        assert state is not None
        return state


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return Run()


def lines_of(state: RunState) -> list[str]:
    """What `watch` prints without a terminal."""
    stream = io.StringIO()
    print_state(state, stream)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def model(name: str, state: ModelState = ModelState.RUNNING, **fields: Any) -> ModelJob:
    return ModelJob(name=name, state=state, progress=replace(NONE_YET, name=name, **fields))


def test_what_the_screen_wrote_is_read(run: Run) -> None:
    """Steps and models, with what those reported."""
    failed = (FailedStep(text="Score c", log="c.log", reason="no room"),)
    models = (model("a-FC", entries_done=1), ModelJob(name="b-FC", state=ModelState.WAITING))
    run.write(*models, failed=failed)
    state = run.read()
    assert (state.models, state.failed) == (models, failed)
    assert (state.phase, state.at_work) == (Phase.RUNNING, True)


def test_a_run_whose_process_is_gone_was_killed(run: Run) -> None:
    """It is known at once on its own machine."""
    run.write()
    run.damage("process", started="1")  # another process with this id
    state = run.read()
    assert (state.phase, state.at_work) == (Phase.KILLED, False)
    assert "killed" in lines_of(state)[0]


def test_a_run_on_another_machine_is_at_work_if_its_file_changes(run: Run) -> None:
    """Until then that is not known; without a change it is silent for as long as it was watched."""
    far = Run(ELSEWHERE)
    far.write()
    assert far.read().at_work is None
    assert any("No sign of life" in line for line in lines_of(far.read()))
    far.seconds += 300
    assert far.read().silent_seconds == 300
    assert any("no news for 5 min" in line for line in lines_of(far.read()))
    far.write(beat=2)
    state = far.read()
    assert (state.at_work, state.silent_seconds) == (True, 0.0)


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
        {"at_work": 1},
    ],
)
def test_a_damaged_file_of_the_run_is_as_none(run: Run, damage: dict[str, Any]) -> None:
    """What shows the state never meets a value of another type."""
    assert run.watcher.read() is None
    run.write()
    run.damage("state", **damage)
    assert run.watcher.read() is None


@pytest.mark.parametrize("process", [None, [], {"pid": 1}, {**asdict(ELSEWHERE), "pid": -1}])
def test_a_file_without_a_readable_process_is_as_none(run: Run, process: object) -> None:
    """It was not written by a run."""
    run.write()
    run.damage(process=process)
    assert run.watcher.read() is None


def test_a_number_that_no_process_has_is_no_error(run: Run) -> None:
    """The run is taken for killed on this machine."""
    run.write()
    run.damage("process", pid=1 << 40)
    assert run.read().phase is Phase.KILLED


def test_hostile_texts_do_not_reach_the_terminal(run: Run) -> None:
    """In plain lines and in JSON control characters are escaped, and every text is bounded."""
    hostile = "\x1b]0;x\x07\u202e[bold]" + "z" * 50_000
    run.write(
        model("a", last_error=hostile, entries_failed=1, failures={hostile: 1}, wait_reason=hostile),
        title=hostile,
        steps_running=(hostile,),
        failed=(FailedStep(text=hostile, log=hostile, reason=hostile),),
    )
    lines = lines_of(run.read())
    assert all(line.isprintable() for line in lines)
    assert max(map(len, lines)) <= 200
    assert "[bold]" in "".join(lines)
    assert len(json.dumps(asdict(run.read()))) < 10_000


def test_a_hundred_models_are_one_line_each(run: Run) -> None:
    """Those that wait are counted."""
    names = [f"m{number:02}-FC" for number in range(100)]
    waiting = (ModelJob(name=name, state=ModelState.WAITING) for name in names[60:])
    run.write(*(model(name, entries_done=1, dollars=0.5) for name in names[:60]), *waiting)
    state = run.read()
    lines = lines_of(state)
    assert sum(line.startswith("m") for line in lines) == 60
    assert "Models: 40 waiting" in lines
    assert state.dollars == 30.0


def test_the_file_of_a_run_is_found(run: Run, tmp_path: Path) -> None:
    """By its name or its folder; without either, the one that changed last."""
    assert reporting_file(None) is None
    run.write()
    other = run_file("other")
    other.parent.mkdir(parents=True)
    other.touch()
    os.utime(FILE, ns=(10**9, 10**9))
    assert reporting_file(None) == other
    assert reporting_file(Path("mine")) == FILE
    for folder in (Path("results/mine"), tmp_path / "results/mine"):
        assert reporting_file(folder) == tmp_path / FILE
