"""Snakemake's log records in, text out."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.base.text import STEP_LINE
from bfcl_pipeline.benchmark.config import load_run
from bfcl_pipeline.show.screen.interruption import Interruption
from bfcl_pipeline.show.screen.run_description import RunDescription, describe_run
from bfcl_pipeline.show.screen.screen import ADVICE
from tests.ask.orchestration.test_finished_results import CONFIG, ROWS
from tests.support.job_progress import NONE_YET
from tests.support.screen_run import RUN, Run


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Makes a run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Run


def test_a_run_is_a_line_for_itself_and_one_for_each_finished_step(make: Callable[..., Run]) -> None:
    """Snakemake's own messages in between are not shown."""
    run = make()
    run.start(2)
    assert run.printed() == ["Run mine: 2 models, 3 categories; 2 steps, 4 cores"]
    run.step(1, "Score oracle-FC")
    assert run.printed() == []
    run.record("Finished jobid: 1", "job_finished", job_id=1)
    run.record(None, "progress", done=1, total=2)
    (line,) = run.printed()
    assert line == "[1/2] Score oracle-FC"
    assert STEP_LINE.fullmatch(line)


@pytest.mark.parametrize(
    ("sample", "words"),
    [(20, "a sample of 20 entries"), ({"entries": 20, "by": "weight"}, "a sample of 20 entries by weight")],
)
def test_the_description_of_a_run_counts_models_and_trials(sample: object, words: str) -> None:
    """A repeated model is one model."""
    config = {**CONFIG, "trials": 2, "sample": sample}
    description = RunDescription.of(load_run(config, ROWS))
    assert description.title == f"Run r: 2 models, 2 categories, 2 trials, {words}"


def test_a_model_has_a_line_at_once_then_every_half_minute(make: Callable[..., Run]) -> None:
    """The times are those of the job; its last state is in the line of the finished step."""
    run, log = make(), "results/mine/logs/generate/m.log"
    run.start(1)
    run.step(1, "Generate m", log)
    run.screen.update()
    run.report(log, replace(NONE_YET, seconds=0.5))
    assert run.printed() == ["Run mine: 2 models, 3 categories; 1 step, 4 cores"]
    for seconds in (1.0, 1.5, 30.5, 31.0, 60.5):
        run.report(log, replace(NONE_YET, seconds=seconds))
    assert run.printed() == ["m: 0/2 entries"] * 2
    run.report(log, replace(NONE_YET, entries_done=2, seconds=62.0, dollars=1.5))
    run.record("Finished", "job_finished", job_id=1)
    assert run.printed() == ["m: 2/2 entries, $1.50", "[1/1] Generate m: 2 entries in 1 min, $1.50"]


def test_the_progress_of_an_earlier_run_is_not_shown(make: Callable[..., Run]) -> None:
    """The file that an earlier run left is removed when the step starts."""
    run, log = make(), "results/mine/logs/generate/m.log"
    run.report(log, replace(NONE_YET, seconds=100.0))
    run.start(1)
    run.printed()
    run.step(1, "Generate m", log)
    run.screen.update()
    assert run.printed() == []


def test_a_model_with_failed_entries_shows_why(make: Callable[..., Run]) -> None:
    """The reason stands at the end of the log."""
    run, log = make(), "m.log"
    run.start(1)
    run.step(1, "Generate m", log)
    Path(log).write_text(
        "m: 2 entries in 1 s, 2 failed\nm: without an answer: 2\nm: the next run retries 2\n"
    )
    run.report(log, replace(NONE_YET, entries_done=2, entries_failed=2))
    run.record("Finished", "job_finished", job_id=1)
    assert run.printed()[1:] == [
        "[1/1] Generate m: 0/2 entries in 0 s, 2 failed",
        "    m: without an answer: 2",
        "    m: the next run retries 2",
    ]


def test_a_failed_step_shows_the_end_of_its_log_and_what_to_do(make: Callable[..., Run]) -> None:
    """Neither its command nor its inputs; at the end, the failed steps are listed again."""
    run = make()
    Path("score.log").write_text("".join(f"line {number} \x1b[2J\n" for number in range(100)))
    run.start(4)
    run.step(1, "Score a", "score.log")
    run.printed()
    run.fail(1, "score.log")
    assert run.printed() == [
        "Failed: Score a",
        *(f"    line {number} \\x1b[2J" for number in range(85, 100)),
        "  Log: score.log",
        f"  {ADVICE}",
    ]
    run.record("Exiting because a job execution failed. Look above", level=logging.ERROR)
    run.screen.close()
    assert run.printed() == ["1 of 4 steps failed; 3 were not run:", "  Score a (score.log)"]
    assert run.result() == ""


def test_a_step_that_succeeds_when_repeated_has_not_failed(make: Callable[..., Run]) -> None:
    """The cluster's profile repeats steps."""
    run = make()
    run.start(1)
    run.step(1, "Score a")
    run.fail(1)
    run.record("Trying to restart job 1.")
    assert run.printed()[-1] == "  The step is started again."
    run.step(1, "Score a")
    run.record("Finished", "job_finished", job_id=1)
    run.printed()
    run.screen.close()
    assert run.printed() == ["mine: done in 0 s"]


def test_steps_of_one_cluster_job_fail_together(make: Callable[..., Run]) -> None:
    """The log that was written last is shown, once; without one, the log of the cluster."""
    run = make()
    for name, age in (("a.log", 20), ("b.log", 10)):
        Path(name).write_text(f"{name}\n")
        os.utime(name, (1e9 - age, 1e9 - age))
    run.start(2)
    run.step(1, "Generate m", "a.log")
    run.step(2, "Score m", "b.log")
    run.printed()
    steps = [{"jobid": 1, "log": ["a.log"]}, {"jobid": 2, "log": ["b.log"]}]
    run.record("Error in group", "group_error", logging.ERROR, job_error_info=steps, aux_logs=["slurm.log"])
    run.record("Error in rule", "job_error", logging.ERROR, jobid=1, log=["a.log"])
    run.record("Error in rule", "job_error", logging.ERROR, jobid=2, log=["b.log"])
    assert run.printed() == [
        "Failed: one of Generate m, Score m",
        "    b.log",
        "  Log: b.log",
        f"  {ADVICE}",
    ]


def test_other_errors_and_warnings_are_shown_whole(make: Callable[..., Run]) -> None:
    """An error of planning, and a message that is not of a known kind."""
    run = make()
    run.record("MissingRuleException:\nNo rule to produce x", "error", logging.ERROR, exception="X")
    run.record("a disk is almost full", level=logging.WARNING)
    assert run.printed() == ["MissingRuleException:", "No rule to produce x", "a disk is almost full"]


def test_modes_that_run_no_step_keep_their_messages(make: Callable[..., Run]) -> None:
    """--unlock, --lint, --report: Snakemake prints the result as a message."""
    run = make()
    run.record("Unlocked working directory.")
    run.screen.close()
    assert run.printed() == ["Unlocked working directory."]


def test_a_dry_run_is_a_short_list(make: Callable[..., Run]) -> None:
    """Similar steps are one line; it is printed for other programs, on standard output."""
    run = make(dry_run=True)
    run.start(43)
    for number in range(40):
        run.step(number, f"Generate all categories with model-{number:02}")
    run.step(40, "Score a")
    run.step(41, "Score b")
    run.step(42, "Write the report of mine")
    run.screen.close()
    assert run.printed() == []
    assert run.result().splitlines() == [
        "Dry run of run mine: 43 steps, nothing is run.",
        "  Generate all categories with (40 steps): model-00, model-01, model-02, model-03, model-04,",
        "    model-05, model-06, model-07, and 32 more",
        "  Score (2 steps): a, b",
        "  Write the report of mine",
    ]


def test_the_last_error_of_a_job_is_printed_once(make: Callable[..., Run]) -> None:
    """Below the line of its job, with failures by status and attempts by kind; again if it is another."""
    run, log = make(), "m.log"
    run.start(1)
    run.step(1, "Generate m", log)
    run.printed()
    job = replace(NONE_YET, errors={"rate limit": 2}, failures={"skipped": 1}, last_error="429 busy")
    for seconds, error in ((2.0, "429 busy"), (40.0, "429 busy"), (80.0, "500")):
        run.report(log, replace(job, seconds=seconds, last_error=error))
    troubles = "    without an answer: 1 skipped; failed attempts: 2 rate limit; last error: "
    line = "m: 0/2 entries"
    assert run.printed() == [line, f"{troubles}429 busy", line, line, f"{troubles}500"]


def test_the_screen_reports_the_run_in_a_file(make: Callable[..., Run]) -> None:
    """About once a second, and at the end with the phase in which the run ended."""
    run = make()
    path = Path(".snakemake/progress/results/mine/run.json")
    run.record("", bfcl_run=RUN)
    run.screen.update()
    assert not path.exists()  # no step is known yet
    run.start(2)
    run.record("", "run_info", stats={"generate_a-FC": 1, "generate_b": 1, "score": 1, "total": 3})
    run.record(
        "",
        "job_info",
        jobid=1,
        rule_msg="Generate a",
        rule_name="generate_a-FC",
        log=["results/mine/a.log"],
    )
    run.screen.update()
    first = json.loads(path.read_text())
    state = first["state"]
    assert [(model["name"], model["state"]) for model in state["models"]] == [
        ("a-FC", "running"),
        ("b", "waiting"),
    ]
    assert (state["phase"], state["steps_done"], state["steps_total"]) == ("running", 0, 3)
    run.seconds = 0.5
    run.screen.update()
    assert json.loads(path.read_text())["beat"] == first["beat"]
    run.seconds = 1.0
    run.fail(1, "results/mine/a.log")
    run.screen.update()
    second = json.loads(path.read_text())
    assert second["beat"] == first["beat"] + 1
    assert second["state"]["models"][0]["state"] == "failed"
    assert second["state"]["failed"][0]["text"] == "Generate a"
    run.screen.close()
    assert json.loads(path.read_text())["state"]["phase"] == "failed"


def test_an_article_stays_with_its_noun(make: Callable[..., Run]) -> None:
    """The common beginning of similar steps ends before their article."""
    run = make(dry_run=True)
    run.start(2)
    run.step(1, "Stage the release")
    run.step(2, "Stage the sentence encoder")
    run.screen.close()
    assert run.result().splitlines()[1:] == ["  Stage (2 steps): release, sentence encoder"]


def test_the_workflow_describes_its_run(caplog: pytest.LogCaptureFixture) -> None:
    """Models count once, whatever their trials; the screen has it of a log record."""
    config = {**CONFIG, "trials": 2, "sample": 20}
    with caplog.at_level(logging.INFO, "snakemake.logging"):
        describe_run(load_run(config, ROWS))
    (record,) = caplog.records
    description = vars(record)["bfcl_run"]
    assert description.title == "Run r: 2 models, 2 categories, 2 trials, a sample of 20 entries"
    assert description.asks


def test_a_failed_run_ends_as_interrupted_only_if_it_was() -> None:
    """With the exit status of shells for Ctrl-C."""
    interruption = Interruption()
    interruption.exit_if_requested()
    interruption.requested = True
    with pytest.raises(SystemExit) as exited:
        interruption.exit_if_requested()
    assert exited.value.code == 130


def test_an_interruption_is_two_lines(make: Callable[..., Run]) -> None:
    """The steps that it ends are no failures; the answers that they saved are counted."""
    run = make()
    run.start(3)
    for job, name in enumerate(("a", "b")):
        run.step(job, f"Generate {name}", f"{name}.log")
        run.report(f"{name}.log", replace(NONE_YET, name=name, requests_done=700, replayed=15))
    run.printed()
    run.interruption.requested = True
    run.fail(0, "a.log")
    run.screen.close()
    assert run.printed() == [
        "Interrupted. 1,400 answers are saved, beside 30 that the journal had.",
        "Run the same command again to continue.",
    ]


def test_a_complete_run_ends_with_its_table(make: Callable[..., Run]) -> None:
    """The table on standard output, or why there is none, then the duration and the cost."""
    run = make()
    (RUN.report.parent / "tables").mkdir(parents=True)
    (RUN.report.parent / "report.html").touch()
    (RUN.report.parent / "tables/leaderboard.csv").write_text("not a table\n")
    run.start(2)
    run.step(1, "Generate m", "m.log")
    run.report("m.log", replace(NONE_YET, entries_done=2, dollars=0.25))
    run.record("Finished", "job_finished", job_id=1)
    run.step(2, "Report of mine")
    run.seconds = 90.0
    run.record("Finished", "job_finished", job_id=2)
    run.printed()
    run.screen.close()
    table, done = run.printed()
    assert "categories.csv: no such table" in table
    assert done == "mine: done in 2 min, $0.25"


def test_a_run_ends_with_what_it_sent_and_what_journals_answered(make: Callable[..., Run]) -> None:
    """Over all its models, requests in vain included; nothing to be done is no request."""
    run = make()
    run.start(2)
    run.record("", bfcl_run=replace(RUN, asks=True))
    for job, progress in enumerate(
        (
            replace(NONE_YET, requests_done=3, errors={"rate limit": 2}),
            replace(NONE_YET, replayed=5106, recorded_from="2026-11-19", recorded_to="2026-11-20"),
        )
    ):
        run.record(
            "", "job_info", jobid=job, rule_msg="Generate", rule_name=f"generate_{job}", log=[f"{job}.log"]
        )
        run.report(f"{job}.log", progress)
        run.record("Finished", "job_finished", job_id=job)
    run.printed()
    run.screen.close()
    assert run.printed() == [
        "mine: 5 requests sent; 5,106 answers from the journal, recorded on 2026-11-19 to 2026-11-20",
        "mine: done in 0 s",
    ]
    again = make()
    again.start(1)
    again.record("", bfcl_run=replace(RUN, asks=True))
    again.record("Nothing to be done (all requested files are present and up to date).")
    again.printed()
    again.screen.close()
    assert again.printed() == ["mine: 0 requests sent"]


def test_a_run_with_a_model_without_answers_ends_with_its_name(make: Callable[..., Run]) -> None:
    """The reason is in the table and is not printed again; the last line has the exit status."""
    run = make()
    run.start(1)
    run.step(1, "Report of mine")
    run.record("Finished", "job_finished", job_id=1)
    run.printed()
    run.record("m: no answers: refused", level=logging.ERROR, bfcl_unanswered=("m",))
    assert run.printed() == []
    run.screen.close()
    assert run.printed()[1:] == ["No answers: m. The same command asks again. Exit status 2."]


def test_a_run_of_other_steps_prints_no_table(make: Callable[..., Run]) -> None:
    """The report of an earlier run is not the result of these steps."""
    run = make()
    RUN.report.parent.mkdir(parents=True)
    (RUN.report.parent / "report.html").touch()
    run.start(1)
    run.step(1, "Stage the release")
    run.record("Finished", "job_finished", job_id=1)
    run.printed()
    run.screen.close()
    assert run.printed() == ["mine: done in 0 s"]


def test_a_quiet_run_shows_failures_alone(make: Callable[..., Run]) -> None:
    """--quiet all: what failed is still shown."""
    run = make(quiet=True)
    run.start(2)
    run.step(1, "Score a")
    run.record("Finished", "job_finished", job_id=1)
    assert run.printed() == []
    run.fail(2)
    assert run.printed() == ["Failed: step 2", f"  {ADVICE}"]
    run.screen.close()
    assert run.printed() == []


def test_a_replay_prints_no_table(make: Callable[..., Run]) -> None:
    """Its caller compares the results."""
    run = make()
    run.start(1)
    run.record("", bfcl_run=replace(RUN, replay=True))
    run.step(1, "Score a")
    run.record("Finished", "job_finished", job_id=1)
    run.printed()
    run.screen.close()
    assert run.printed() == []
