"""Tables and report of the models that are complete, after a step of another model failed.

Covers which models are complete and running the commands that make the tables. The tables name the missing
models; the next run makes all of them again.
"""

import os
import subprocess
import sys

from bfcl_pipeline.benchmark.config import RunConfig
from bfcl_pipeline.runs.run import Run

_LONG_AGO = 1.0
"""Unix time of the files: older than everything they are made from, so that they are made again."""


def scored_models(made: Run, run: RunConfig) -> list[str]:
    """The names of the models of `run` whose responses are all there and scored."""
    return [run.job_of(name).name for name in run.folders if _is_scored(made, run, name)]


def _is_scored(made: Run, run: RunConfig, name: str) -> bool:
    responses = [made.responses(name, category) for category in run.categories_of(name)]
    verdicts = made.verdicts(name)
    return (
        verdicts.is_file()
        and all(path.is_file() for path in responses)
        and verdicts.stat().st_mtime_ns >= max(path.stat().st_mtime_ns for path in responses)
    )


def tabulate_scored(made: Run, run: RunConfig) -> str:
    """Makes the tables and the report of the scored models of `run`, if others are missing.

    Returns a line on the result; empty if nothing was made.
    """
    complete, folder = scored_models(made, run), made.folder
    missing = [name for name in run.models if name not in complete]
    if not complete or not missing or not made.models_file.is_file():
        return ""
    options = [f"--rules={run.settings.rules}", f"--models={made.models_file}"]
    options += [*(f"--model={name}" for name in complete), *(f"--missing={name}" for name in missing)]
    page = ["report", str(folder), f"--rules={run.settings.rules}", f"--entries={run.settings.shown}"]
    for command in (["aggregate", str(folder), *options], page):
        program = [sys.executable, "-m", "bfcl_pipeline.cli", *command]
        done = subprocess.run(program, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"No tables of the other models: {done.stderr.strip()}"
    for path in [*(folder / "tables").rglob("*.*"), folder / "report.html"]:
        os.utime(path, (_LONG_AGO, _LONG_AGO))
    return f"The tables and the report have all models but {', '.join(missing)}, which did not finish."
