"""Snakemake's log records in, text out."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.base.text import STEP_LINE
from bfcl_pipeline.benchmark.config import load_run
from bfcl_pipeline.show.screen.interruption import Interruption
from bfcl_pipeline.show.screen.run_description import describe_run
from bfcl_pipeline.show.screen.screen import ADVICE
from tests.ask.orchestration.test_finished_results import CONFIG, ROWS
from tests.support.screen_run import RUN, Run

ERROR, LOG = logging.ERROR, "results/mine/logs/generate/m.log"

Step = tuple[Any, ...]
"""A method of Run and its arguments; a mapping has named ones."""


@pytest.fixture
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def played(steps: list[Step], **options: bool) -> Run:
    """A run of which all this is reported."""
    run = Run(**options)
    for name, *given in steps:
        named = given.pop() if given and isinstance(given[-1], dict) else {}
        getattr(run, name)(*given, **named)
    return run


TROUBLES = "    without an answer: 1 skipped; failed attempts: 2 rate limit; last error: "
HAS_TROUBLES = {"errors": {"rate limit": 2}, "failures": {"skipped": 1}}
RECORDED = {"recorded_from": "2026-11-19", "recorded_to": "2026-11-20"}
GROUP = [{"jobid": 1, "log": ["a.log"]}, {"jobid": 2, "log": ["b.log"]}]

TRANSCRIPTS: dict[str, tuple[list[Step], list[str]]] = {
    "Snakemake's own messages between two steps are not shown": (
        [("step", 1, "Score a-FC"), ("finish", 1), ("record", None, "progress", {"done": 1, "total": 2})],
        ["[1/2] Score a-FC"],
    ),
    "a model has a line after a second of its job, then every half minute, and one at its end": (
        [
            ("step", 1, "Generate m", LOG),
            *(("report", LOG, {"seconds": at}) for at in (0.5, 1.0, 1.5, 30.5, 31.0, 60.5)),
            ("report", LOG, {"entries_done": 2, "seconds": 62.0, "dollars": 1.5}),
            ("finish", 1),
        ],
        ["m: 0/2 entries"] * 2 + ["m: 2/2 entries, $1.50", "[1/2] Generate m: 2 entries in 1 min, $1.50"],
    ),
    "the file of progress that an earlier run left is removed when the step starts": (
        [("report", LOG, {"seconds": 100.0}), ("step", 1, "Generate m", LOG), ("report", "other.log")],
        [],
    ),
    "a model with failed entries shows the end of its log": (
        [
            ("step", 1, "Generate m", "m.log"),
            ("write", "m.log", "m: 2 entries in 1 s, 2 failed\nm: without an answer: 2\nm: a retry\n"),
            ("report", "m.log", {"entries_done": 2, "entries_failed": 2}),
            ("finish", 1),
        ],
        [
            "[1/2] Generate m: 0/2 entries in 0 s, 2 failed",
            "    m: without an answer: 2",
            "    m: a retry",
        ],
    ),
    "the last error of a job is printed once, below its line; another one again": (
        [
            ("step", 1, "Generate m", "m.log"),
            *(
                ("report", "m.log", {"seconds": at, "last_error": error, **HAS_TROUBLES})
                for at, error in ((2.0, "429 busy"), (40.0, "429 busy"), (80.0, "500"))
            ),
        ],
        ["m: 0/2 entries", f"{TROUBLES}429 busy", *["m: 0/2 entries"] * 2, f"{TROUBLES}500"],
    ),
    "a failed step shows the end of its log and what to do, and is listed at the end": (
        [
            ("write", "score.log", "".join(f"line {number} \x1b[2J\n" for number in range(100))),
            ("step", 1, "Score a", "score.log"),
            ("fail", 1, "score.log"),
            ("record", "Exiting because a job execution failed. Look above", None, ERROR),
            ("close",),
        ],
        [
            "Failed: Score a",
            *(f"    line {number} \\x1b[2J" for number in range(85, 100)),
            "  Log: score.log",
            f"  {ADVICE}",
            "1 of 2 steps failed; 1 were not run:",
            "  Score a (score.log)",
        ],
    ),
    "a step that succeeds when repeated, as on a cluster, has not failed": (
        [
            ("step", 1, "Score a"),
            ("fail", 1),
            ("record", "Trying to restart job 1."),
            ("step", 1, "Score a"),
            ("finish", 1),
            ("step", 2, "Score b"),
            ("finish", 2),
            ("close",),
        ],
        [
            "Failed: Score a",
            f"  {ADVICE}",
            "  The step is started again.",
            "[1/2] Score a",
            "[2/2] Score b",
            "mine: done in 0 s",
        ],
    ),
    "steps of one cluster job fail together: the log that was written last is shown": (
        [
            ("write", "a.log", "a.log", 20),
            ("write", "b.log", "b.log", 10),
            ("step", 1, "Generate m", "a.log"),
            ("step", 2, "Score m", "b.log"),
            ("record", "Error", "group_error", ERROR, {"job_error_info": GROUP, "aux_logs": ["slurm.log"]}),
            *(("record", "Error", "job_error", ERROR, {"jobid": n, "log": ["a.log"]}) for n in (1, 2)),
        ],
        ["Failed: one of Generate m, Score m", "    b.log", "  Log: b.log", f"  {ADVICE}"],
    ),
    "other errors and warnings are shown whole": (
        [
            ("record", "MissingRuleException:\nNo rule to produce x", "error", ERROR),
            ("record", "a disk is almost full", None, logging.WARNING),
        ],
        ["MissingRuleException:", "No rule to produce x", "a disk is almost full"],
    ),
    "an interruption is two lines: steps that it ends are no failures, saved answers are counted": (
        [
            *(("step", job, f"Generate {job}", f"{job}.log") for job in (1, 2)),
            *(("report", f"{job}.log", {"requests_done": 700, "replayed": 15}) for job in (1, 2)),
            ("interrupt",),
            ("fail", 1, "1.log"),
            ("close",),
        ],
        [
            "Interrupted. 1,400 answers are saved, beside 30 that the journal had.",
            "Run the same command again to continue.",
        ],
    ),
    "a run ends with what it sent, in vain included, and what journals answered": (
        [
            ("describe", {"asks": True}),
            ("step", 1, "Generate a", "a.log"),
            ("report", "a.log", {"requests_done": 3, "errors": {"rate limit": 2}}),
            ("finish", 1),
            ("step", 2, "Generate b", "b.log"),
            (
                "report",
                "b.log",
                {"entries_done": 2, "replayed": 5106, **RECORDED},
            ),
            ("finish", 2),
            ("close",),
        ],
        [
            "[1/2] Generate a: stopped after 0 s, 0/2 entries complete; 3 answers are saved",
            "[2/2] Generate b: 2 entries in 0 s, 5,106 from the journal (recorded on 2026-11-19 to "
            "2026-11-20)",
            "mine: 5 requests sent; 5,106 answers from the journal, recorded on 2026-11-19 to 2026-11-20",
            "mine: done in 0 s",
        ],
    ),
    "nothing to be done is no request": (
        [
            ("describe", {"asks": True}),
            ("record", "Nothing to be done (all requested files are present and up to date)."),
            ("close",),
        ],
        [
            "Nothing to be done (all requested files are present and up to date).",
            "mine: 0 requests sent",
        ],
    ),
    "a run with a model without answers ends with its name: the reason is in the table": (
        [
            *(step for job in (1, 2) for step in (("step", job, "Report of mine"), ("finish", job))),
            ("record", "m: no answers: refused", None, ERROR, {"bfcl_unanswered": ("m",)}),
            ("close",),
        ],
        [
            "[1/2] Report of mine",
            "[2/2] Report of mine",
            "mine: done in 0 s",
            "No answers: m. The same command asks again. Exit status 2.",
        ],
    ),
    "the report of an earlier run is not the result of other steps": (
        [
            ("write", str(RUN.report)),
            *(step for job in (1, 2) for step in (("step", job, "Stage it"), ("finish", job))),
            ("close", 90.0),
        ],
        ["[1/2] Stage it", "[2/2] Stage it", "mine: done in 2 min"],
    ),
    "a replay prints no table: its caller compares the results": (
        [
            ("describe", {"replay": True}),
            *(step for job in (1, 2) for step in (("step", job, "Score a"), ("finish", job))),
            ("close",),
        ],
        ["[1/2] Score a", "[2/2] Score a"],
    ),
}


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize("claim", TRANSCRIPTS)
def test_a_run_of_two_steps_prints(claim: str) -> None:
    """All lines after the first, which describes the run."""
    steps, lines = TRANSCRIPTS[claim]
    run = played([("start", 2), *steps])
    assert run.printed() == ["Run mine: 2 models, 3 categories; 2 steps, 4 cores", *lines]
    assert run.result() == ""
    assert all(STEP_LINE.fullmatch(line) for line in lines if line.startswith("["))


@pytest.mark.usefixtures("_folder")
def test_modes_that_run_no_step_keep_their_messages() -> None:
    """--unlock, --lint, --report: Snakemake prints the result as a message."""
    run = played([("record", "Unlocked working directory."), ("close",)])
    assert run.printed() == ["Unlocked working directory."]


@pytest.mark.usefixtures("_folder")
def test_a_dry_run_is_a_short_list() -> None:
    """Similar steps are one line, their article stays with its noun; on standard output, for programs."""
    texts = [f"Generate all categories with model-{number:02}" for number in range(40)]
    texts += ["Score a", "Write the report of mine", "Stage the release", "Stage the sentence encoder"]
    steps = [("step", number, text) for number, text in enumerate(texts)]
    run = played([("start", 44), *steps, ("close",)], dry_run=True)
    assert run.printed() == []
    assert run.result().splitlines() == [
        "Dry run of run mine: 44 steps, nothing is run.",
        "  Generate all categories with (40 steps): model-00, model-01, model-02, model-03, model-04,",
        "    model-05, model-06, model-07, and 32 more",
        "  Score a",
        "  Write the report of mine",
        "  Stage (2 steps): release, sentence encoder",
    ]


@pytest.mark.usefixtures("_folder")
def test_a_quiet_run_shows_failures_alone() -> None:
    """--quiet all: what failed is still shown, and not listed again."""
    run = played([("start", 2), ("step", 1, "Score a"), ("finish", 1), ("fail", 2), ("close",)], quiet=True)
    assert run.printed() == ["Failed: step 2", f"  {ADVICE}"]


@pytest.mark.usefixtures("_folder")
def test_a_complete_run_ends_with_its_table() -> None:
    """Or why there is none, then the duration and the cost."""
    run = played(
        [
            ("start", 2),
            ("write", str(RUN.report)),
            ("write", str(RUN.report.parent / "tables/leaderboard.csv"), "not a table\n"),
            ("step", 1, "Generate m", "m.log"),
            ("report", "m.log", {"entries_done": 2, "dollars": 0.25}),
            ("finish", 1),
            ("step", 2, "Report of mine"),
            ("finish", 2),
            ("close", 90.0),
        ]
    )
    table, done = run.printed()[-2:]
    assert "categories.csv: no such table" in table
    assert done == "mine: done in 2 min, $0.25"


@pytest.mark.usefixtures("_folder")
def test_the_screen_reports_the_run_in_a_file() -> None:
    """About once a second, once a step is known, and at the end with the phase in which the run ended."""
    path = Path(".snakemake/progress/results/mine/run.json")
    run = played([("describe",)])
    run.screen.update()
    assert not path.exists()
    run.start(2)
    run.record("", "run_info", stats={"generate_a": 1, "generate_b": 1, "score": 1, "total": 3})
    run.step(1, "Generate a", "results/mine/a.log")
    run.screen.update()
    first = json.loads(path.read_text())
    state = first["state"]
    models = [(model["name"], model["state"]) for model in state["models"]]
    assert models == [("a", "running"), ("b", "waiting")]
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
    run.close()
    assert json.loads(path.read_text())["state"]["phase"] == "failed"


@pytest.mark.parametrize(
    ("sample", "words"),
    [(20, "a sample of 20 entries"), ({"entries": 20, "by": "weight"}, "a sample of 20 entries by weight")],
)
def test_the_workflow_describes_its_run(
    sample: object, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Models count once, whatever their trials; the screen has it of a log record."""
    with caplog.at_level(logging.INFO, "snakemake.logging"):
        describe_run(load_run({**CONFIG, "trials": 2, "sample": sample}, ROWS))
    (record,) = caplog.records
    description = vars(record)["bfcl_run"]
    assert description.title == f"Run r: 2 models, 2 categories, 2 trials, {words}"
    assert description.asks


def test_a_failed_run_ends_as_interrupted_only_if_it_was() -> None:
    """With the exit status of shells for Ctrl-C."""
    interruption = Interruption()
    interruption.exit_if_requested()
    interruption.requested = True
    with pytest.raises(SystemExit, match="130"):
        interruption.exit_if_requested()
