"""Several runs at once in one folder: they have different names, and share the staged data and the caches.

Snakemake lets runs work side by side if neither writes a file of the other, which it decides by lock files.
Added here is what its lock files lack: the end of one run deletes those of the others, those of a killed
run stay while another is active, and a run that stages data locks them until its end.
"""

import atexit
import hashlib
import threading
from base64 import urlsafe_b64encode
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

import snakemake.exceptions
from snakemake.persistence.file import FilePersistence

from bfcl_pipeline.base.files import atomic_path
from bfcl_pipeline.base.leases import LEASE_TIMING, Lease, LeaseTiming, read_holder
from bfcl_pipeline.base.process import is_alive, this_process

LOCKS = "locks"
"""The directory of Snakemake's lock files, in its own directory."""

_POLL_SECONDS = 0.5
_TAG_LENGTH = 16


def run_tag(name: str) -> str:
    """The name of a run in the names of files: of any characters, without a dot."""
    return hashlib.sha256(name.encode()).hexdigest()[:_TAG_LENGTH]


def share_locks(state: Path, run: str) -> None:
    """Has Snakemake delete only its own lock files, and name who has those that keep `run` from starting.

    Without this it deletes the directory of all, and advises to remove locks, also those of an active run.
    """

    def delete_own(self: FilePersistence) -> None:
        for path in map(Path, self._lockfile.values()):
            path.unlink(missing_ok=True)
        self._lockfile.clear()

    def refused() -> snakemake.exceptions.WorkflowError:
        return snakemake.exceptions.WorkflowError(_refusal(state / "runs", run))

    FilePersistence._delete_locks = delete_own  # there is no setting for it
    snakemake.exceptions.LockException = refused  # nor for its text


def _refusal(runs: Path, run: str) -> str:
    """Why `run` cannot lock its files."""
    same = _others(runs, f"{run_tag(run)}-*")
    others = f" ({', '.join(same or _others(runs, '*'))})".replace(" ()", "")
    if same:
        who = f"is running{others}:\nbfcl-pipeline watch {run}"
    else:
        who = f"another run in this folder uses its files{others}"
    return (
        f"results/{run}: {who}\nContinue this run when that has ended, or evaluate beside it: --run NAME."
    )


def _others(runs: Path, names: str) -> list[str]:
    """The processes of other runs that are active, as far as it is known, and since when."""
    here = this_process()
    holders = [read_holder(path) for path in sorted(runs.glob(names)) if not path.suffix]
    return [
        f"{one.process} since {one.since}"
        for one in holders
        if one is not None and one.process != here and is_alive(one.process, here) is not False
    ]


def delete_stale_locks(state: Path, active: Collection[str]) -> None:
    """Deletes the lock files of runs that are not active.

    Args:
        state: Snakemake's directory.
        active: the tags of active runs.
    """
    for path in (state / LOCKS).glob("*.lock"):
        with suppress(FileNotFoundError):
            runs = {line.split("/")[1] for line in _lines(path) if line.startswith("results/")}
            if runs and not {run_tag(name) for name in runs} & set(active):
                path.unlink()


def stage_alone(
    state: Path, run: str, staged: Sequence[Path], *, timing: LeaseTiming = LEASE_TIMING
) -> None:
    """Waits while another run stages data that this one needs; if they are missing then, this run stages.

    Once the data are staged, other runs may use them, although this one goes on.

    Args:
        state: Snakemake's directory.
        run: the name of this run.
        staged: the staged files that it needs.
        timing: the intervals of leases.

    Raises:
        LeaseError: the lock file cannot be read.
        OSError: it cannot be written.
    """
    if _complete(state, staged):
        return
    state.mkdir(parents=True, exist_ok=True)
    lease = Lease(state / "staging.owner", "stages the data of this folder", wait=True, timing=timing)
    atexit.register(_release, lease)
    if _complete(state, staged):
        _release(lease)
        return
    threading.Thread(target=_release_when_staged, args=(lease, state, run, staged), daemon=True).start()


def _release_when_staged(lease: Lease, state: Path, run: str, staged: Sequence[Path]) -> None:
    """Ends the right to stage, and Snakemake's lock of the data, once they are complete."""
    ended = threading.Event()
    while not _complete(state, staged):
        ended.wait(_POLL_SECONDS)
    for path in (state / LOCKS).glob("*.output.lock"):
        with suppress(FileNotFoundError):
            lines = _lines(path)
            if any(line.startswith(f"results/{run}/") for line in lines):
                with atomic_path(path) as unlocked:
                    kept = (f"{line}\n" for line in lines if not line.startswith("data/"))
                    unlocked.write_text("".join(kept), encoding="utf-8")
    _release(lease)


def _complete(state: Path, staged: Sequence[Path]) -> bool:
    """Whether the files exist, and no step that writes them is at work or was interrupted."""
    return all(path.exists() and not _incomplete(state, path).exists() for path in staged)


def _incomplete(state: Path, path: Path) -> Path:
    """The file with which Snakemake marks an output of a step that has not ended."""
    return state / "incomplete" / urlsafe_b64encode(str(path).encode()).decode()


def _release(lease: Lease) -> None:
    with suppress(OSError):
        lease.release()


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()
