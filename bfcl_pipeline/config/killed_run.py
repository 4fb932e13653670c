"""What a run that was killed left in its folder, cleared away once no run is alive there.

Snakemake marks its folder with files, and cannot tell those of a killed run from those of one that goes on:
it starts beside neither until someone types `--unlock`. So each run tells in a file of its own that it is
alive (`bfcl_pipeline.ownership`), to others on any machine that shares the folder. Which steps are to be
done again is decided by Snakemake (`rerun-incomplete`), not here. A cluster may still have jobs of a killed
run: who was killed is told to the caller.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from bfcl_pipeline.errors import OwnerError
from bfcl_pipeline.ownership import (
    RHYTHM,
    Fate,
    Owner,
    Ownership,
    Process,
    Rhythm,
    Watch,
    clear_temporaries,
    look,
    this_process,
)

_KILLED = ".killed"


@dataclass(frozen=True, slots=True)
class RunHere:
    """A run in a folder, as others there see it. It is alive until it is closed, or its process ends."""

    ownership: Ownership
    told: dict[Path, Owner]  # what tells of the killed
    alone: bool  # whether no other run was alive when it came

    @property
    def killed(self) -> tuple[Owner, ...]:
        """The runs that were killed here since `settle` was last called; none while another is alive."""
        return tuple(self.told.values())

    def settle(self) -> None:
        """Has later runs not be told of those that were killed: all that was theirs has ended."""
        with contextlib.suppress(OSError):
            for path in self.told:
                path.unlink(missing_ok=True)
        self.told.clear()

    def close(self) -> None:
        """Tells that the run has ended."""
        atexit.unregister(self.close)
        with contextlib.suppress(OSError):
            self.ownership.give_back()


def clear_killed_run(
    state: Path, written: Iterable[Path], *, rhythm: Rhythm = RHYTHM, here: Process | None = None
) -> RunHere | None:
    """Frees `state`, Snakemake's folder, of dead runs' marks, and `written` of their half-written files.

    What is returned tells others that this process is alive until it ends. Nothing is cleared while another
    process is, so two runs at once are refused as ever. A run on another machine is watched, for a minute
    at most. None, and nothing done, where files cannot be made. rhythm, here: as Ownership takes them.
    """
    here = here or this_process()
    runs = state / "runs"
    try:
        runs.mkdir(parents=True, exist_ok=True)
        # One at a time looks and clears, or two that come together would wait for each other.
        door = Ownership(state / "runs.owner", "looks for runs", wait=True, rhythm=rhythm, here=here)
        try:
            told = _cleared(state, written, door, rhythm, here)
            ownership = Ownership(
                runs / uuid4().hex, "runs Snakemake", rhythm=rhythm, here=here, lost=_end_this_run
            )
        finally:
            door.give_back()
    except (OSError, OwnerError) as error:
        print(f"{state}: whether a run was killed here is not seen ({error}).", file=sys.stderr)
        return None
    run = RunHere(ownership, told or {}, alone=told is not None)
    atexit.register(run.close)
    return run


def _cleared(
    state: Path, written: Iterable[Path], door: Ownership, rhythm: Rhythm, here: Process
) -> dict[Path, Owner] | None:
    """Clears all and returns what tells of the runs that were killed; None if a run is alive."""
    runs, marks = state / "runs", state / "locks"
    dead = _all_dead(runs, rhythm, here)
    if dead is None:
        return None
    door.check()  # suspended until somebody else looked and went on, it has no say
    now = door.path.stat().st_mtime
    clear_temporaries(runs.glob(".*.tmp"), now, here)
    if marks.is_dir() and any(marks.iterdir()):
        for folder in written:
            clear_temporaries(folder.rglob(".*.tmp"), now, here)
        shutil.rmtree(marks)
    for path in dead:
        # Not in its place, so that a run that lives after all ends; kept, as this one may be a dry run.
        with contextlib.suppress(FileNotFoundError):
            path.rename(path.with_suffix(_KILLED))
    told = {path: look(path) for path in sorted(runs.glob(f"*{_KILLED}"))}
    return {path: seen.owner for path, seen in told.items() if seen is not None}


def _all_dead(runs: Path, rhythm: Rhythm, here: Process) -> dict[Path, Owner] | None:
    """The files of dead runs; None if a run is alive. Those of other machines are watched together."""
    watches: dict[Path, Watch] = {}
    told = False
    while True:
        dead: dict[Path, Owner] = {}
        unknown: list[Owner] = []
        for path in sorted(runs.iterdir()):
            if path.suffix or (seen := look(path)) is None:  # unfinished, or dead; ended just now
                continue
            fate = watches.setdefault(path, Watch(seen, here, rhythm)).fate(seen)
            if fate is Fate.ALIVE:
                return None
            if fate is Fate.GONE:
                dead[path] = seen.owner
            else:
                unknown.append(seen.owner)
        if not unknown:
            return dead
        if not told:
            print(
                f"{runs.parent}: {unknown[0]} ran Snakemake here. If nothing is heard of it for "
                f"{rhythm.silent:g} s, it was killed, and this run goes on.",
                file=sys.stderr,
            )
            told = True
        rhythm.sleep(rhythm.look)


def _end_this_run(_: Owner | None) -> None:
    """Ends this process as someone would who stops a run."""
    print(
        "This run was silent for so long, suspended or cut off, that another has taken its place: it ends.",
        file=sys.stderr,
    )
    os.kill(os.getpid(), signal.SIGTERM)
