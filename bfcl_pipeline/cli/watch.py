"""`bfcl-pipeline watch`: see how far a run is, from another terminal or another machine."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.cli.runs import RUN_HELP
from bfcl_pipeline.runs.folders import run_folder
from bfcl_pipeline.show.screen.displays import LiveDisplay
from bfcl_pipeline.show.screen.run_state import Phase, RunState, RunWatcher, reporting_file

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
    parser.epilog = _EPILOG
    about = f"{RUN_HELP} (default: the run that reported last)"
    parser.add_argument("run_dir", type=Path, metavar="RUN", nargs="?", help=about)
    parser.add_argument("--once", action="store_true", help="print the state once")
    about = "print one JSON object per line and second until the run ends, for scripts"
    parser.add_argument("--json", action="store_true", help=about)


def run(options: argparse.Namespace) -> int:
    """Shows the run until it ends."""
    path = reporting_file(options.run_dir)
    if path is None:
        raise ConfigError("no run has reported its progress in this folder. Name one: watch RUN.")
    watcher = RunWatcher(path)
    try:
        state = _first(watcher) or _finished(run_folder(options.run_dir))
        live = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        if state.phase is Phase.RUNNING and not options.once and (live or options.json):
            state = _follow(watcher, state, as_json=options.json)
        elif options.json:
            _print_json(state)
    except KeyboardInterrupt:
        print("\nNo longer watched; the run goes on.", file=sys.stderr)
        return INTERRUPTED
    if not options.json:
        _print_state(state)
    return 0 if state.phase is Phase.DONE or (state.phase is Phase.RUNNING and state.at_work) else 1


def _first(watcher: RunWatcher) -> RunState | None:
    """The first state; of a process on another machine, after its first sign of life or SIGN_SECONDS."""
    state = watcher.read()
    until = time.monotonic() + SIGN_SECONDS
    while state is not None and state.phase is Phase.RUNNING and state.at_work is None:
        if time.monotonic() >= until:
            break
        time.sleep(REFRESH_SECONDS / 2)
        state = watcher.read()
    return state


def _finished(folder: Path) -> RunState:
    """The state of a run that has reported nothing here: it was made elsewhere, or unpacked."""
    report = folder / "report.html"
    if not report.is_file():
        raise ConfigError(
            f"{folder}: no run is at work, and it has no report. Start it: bfcl-pipeline run."
        )
    return RunState(
        name=folder.name,
        title=f"Run {folder.name}: made elsewhere",
        phase=Phase.DONE,
        report=str(report),
        at_work=False,
    )


def _follow(watcher: RunWatcher, state: RunState, *, as_json: bool) -> RunState:
    """Shows the run each second until it ends. Returns its last state."""
    display = None if as_json else LiveDisplay(sys.stdout)
    try:
        while True:
            if display is None:
                _print_json(state)
            else:
                display.update(state)
            if state.phase is not Phase.RUNNING:
                return state
            time.sleep(REFRESH_SECONDS)
            state = watcher.read() or state
    finally:
        if display is not None:
            display.close()


def _print_json(state: RunState) -> None:
    """Prints the fields of `RunState`, the cost of all models and each one's share."""
    document: dict[str, Any] = {**asdict(state), "dollars": state.dollars}
    for shown, model in zip(document["models"], state.models, strict=True):
        if model.progress is not None:
            shown["progress"]["share"] = model.progress.share
    print(json.dumps(document), flush=True)


def _print_state(state: RunState) -> None:
    from bfcl_pipeline.show.screen.picture import print_state  # loads rich

    print_state(state, sys.stdout)
    if state.phase is Phase.RUNNING:
        return
    if state.report:
        print(f"Report: {state.report}")
    if state.phase is not Phase.DONE:
        print("Run the same command again to continue it.")
