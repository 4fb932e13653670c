"""`bfcl-pipeline watch`: see how far a run is, from another terminal or another machine."""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.cli.runs import RUN_HELP
from bfcl_pipeline.runs.folders import RESULTS, run_folder
from bfcl_pipeline.show.screen.plain_state import state_lines, state_object
from bfcl_pipeline.show.screen.progress import clean
from bfcl_pipeline.show.screen.run_view import ModelState, ModelView, Phase, RunView
from bfcl_pipeline.show.screen.watching import RunWatcher, last_reported, reported_runs, workflow_folder

REFRESH_SECONDS = 1.0
"""Between two looks."""

SIGN_SECONDS = 4.0
"""A single look waits for a sign of life of a process on another machine for so long at most."""

INTERRUPTED = 130

_EPILOG = """\
Only reads the files of the run, so it works wherever they are visible: over ssh, on the login node of a
cluster. Ends when the run ends; Ctrl-C ends only this command. Without a terminal, the state is printed
once.

exit status: 0 if the run is at work or done, 1 if it failed, was interrupted or killed, shows no sign of
life, or does not exist.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument(
        "run_dir",
        type=Path,
        metavar="RUN",
        nargs="?",
        help=f"{RUN_HELP} (default: the run that reported last)",
    )
    parser.add_argument("--once", action="store_true", help="print the state once")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object per line and second until the run ends, for scripts",
    )


def run(options: argparse.Namespace) -> int:
    """Shows the run until it ends."""

    watcher, folder = _watcher(options.run_dir)
    try:
        view = _first(watcher) or _from_tables(folder)
        live = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        if view.phase is Phase.RUNNING and not options.once and (live or options.json):
            view = _follow(watcher, view, _print_json if options.json else _Live())
        elif options.json:
            _print_json(view)
    except KeyboardInterrupt:
        print("\nNo longer watched; the run goes on.", file=sys.stderr)
        return INTERRUPTED
    if not options.json:
        _print_state(view)
    return 0 if view.phase is Phase.DONE or (view.phase is Phase.RUNNING and view.at_work) else 1


def _watcher(given: Path | None) -> tuple[RunWatcher, Path]:
    """What watches the run, and the directory of its results, which may not exist yet."""

    if given is None:
        name = last_reported(Path())
        if name is None:
            raise ConfigError("no run has reported its progress in this folder. Name one: watch RUN.")
        return RunWatcher(Path(), name), RESULTS / name
    if len(given.parts) == 1 and given.name in reported_runs(Path()):
        return RunWatcher(Path(), given.name), RESULTS / given.name
    if not given.is_dir() and given.name in reported_runs(workflow_folder(given)):
        return RunWatcher(workflow_folder(given), given.name), given
    folder = run_folder(given)
    place = folder if folder.name else folder.absolute()
    return RunWatcher(workflow_folder(place), place.name), folder


def _first(watcher: RunWatcher) -> RunView | None:
    """The first state; of a process on another machine, after its first sign of life or SIGN_SECONDS."""

    view = watcher.read()
    until = time.monotonic() + SIGN_SECONDS
    while view is not None and view.phase is Phase.RUNNING and view.at_work is None:
        if time.monotonic() >= until:
            break
        time.sleep(REFRESH_SECONDS / 2)
        view = watcher.read()
    return view


class _Live:
    """Draws the state on the terminal."""

    def __init__(self) -> None:
        from bfcl_pipeline.show.screen.displays import LiveDisplay

        self._display = LiveDisplay(sys.stdout)

    def __call__(self, view: RunView) -> None:
        self._display.draw(view, alone=True)

    def close(self) -> None:
        self._display.close()


def _follow(watcher: RunWatcher, view: RunView, show: Callable[[RunView], None]) -> RunView:
    """Shows the run each second until it ends. Returns its last state."""

    try:
        while True:
            show(view)
            if view.phase is not Phase.RUNNING:
                return view
            time.sleep(REFRESH_SECONDS)
            view = watcher.read() or view
    finally:
        if isinstance(show, _Live):
            show.close()


def _print_json(view: RunView) -> None:

    print(json.dumps(state_object(view)), flush=True)


def _print_state(view: RunView) -> None:

    for line in state_lines(view):
        print(line)
    if view.phase is Phase.RUNNING:
        return
    if view.report:
        print(f"Report: {view.report}")
    if view.phase is not Phase.DONE:
        print("Run the same command again to continue it.")


def _from_tables(folder: Path) -> RunView:
    """The state of a run without progress files, from its tables: it was made elsewhere, or unpacked."""

    statuses: Counter[str] = Counter()
    models: dict[str, None] = {}
    try:
        with (folder / "tables/coverage.csv").open(encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                statuses[clean(row["status"])] += int(row["entries"])
                models[clean(row["model"])] = None
        if not models:
            raise ValueError("no rows")
    except (OSError, KeyError, TypeError, ValueError, csv.Error):
        raise ConfigError(
            f"{folder}: no run is at work, and it has no tables yet. Start it: bfcl-pipeline run."
        ) from None
    report = folder / "report.html"
    counts = ", ".join(f"{count:,} {status}" for status, count in sorted(statuses.items()))
    return RunView(
        name=folder.name,
        title=f"Run {folder.name}: {plural(len(models), 'model', 'models')}, {counts}, by its tables",
        phase=Phase.DONE,
        seconds=0.0,
        steps_done=0,
        steps_total=0,
        steps_running=(),
        failed=(),
        models=tuple(ModelView(name=name, state=ModelState.FINISHED) for name in models),
        report=str(report) if report.is_file() else "",
        at_work=False,
    )
