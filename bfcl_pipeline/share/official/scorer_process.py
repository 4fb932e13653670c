"""Runs the official scorer in a process of its own, with bounds; an entry at which it dies is left out."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

from bfcl_pipeline.base.process import limit_process
from bfcl_pipeline.share.official.environment import scorer_environment
from bfcl_pipeline.share.official.guarded_scorer import REFUSED_STATUS

SECONDS = 3600.0
"""The most that scoring one model may take, all attempts together: a full run takes half a minute."""

MOST_BYTES = 2**30
"""The largest file that the official scorer may write."""

MOST_PROCESSOR_SECONDS = 900

MOST_MEMORY = 8 * 2**30
"""Bytes of data: a full run takes less than one GiB."""

_SCRIPT = Path(__file__).with_name("guarded_scorer.py")
_REFUSED = "refused.json"
_ENTRY = "entry.txt"
_END = 2000  # characters of the scorer's output in an error message


def judge_all(work: Path, python: Path) -> tuple[str | None, list[str]]:
    """Runs the official scorer on `work`/result; if it dies at an entry, again without that entry.

    Returns:
        Why there are no verdicts, or None; and the ids of the entries that were refused or left out.
    """
    left_out: set[str] = set()
    end = time.monotonic() + SECONDS
    while any((work / "result").rglob("*_result.json")):
        failed = run_scorer(work, python, end - time.monotonic())
        if failed is None:
            refused = json.loads((work / "scores" / _REFUSED).read_text(encoding="utf-8"))
            left_out |= {entry for ids in refused.values() for entry in ids}
            break
        at = work / "scores" / _ENTRY
        entry = at.read_text(encoding="utf-8") if at.is_file() else ""
        if not entry or entry in left_out:
            return failed, sorted(left_out)
        _leave_out(work / "result", entry)
        left_out.add(entry)
        shutil.rmtree(work / "scores")
    return None, sorted(left_out)


def _leave_out(results: Path, entry: str) -> None:
    """Removes an entry from the result files of its model; a file without entries is deleted."""
    for path in results.rglob("*_result.json"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if json.loads(line)["id"] != entry]
        if kept:
            path.write_text("".join(kept), encoding="utf-8")
        else:
            path.unlink()


def run_scorer(work: Path, python: Path, seconds: float = SECONDS) -> str | None:
    """Runs the official scorer on `work`/result. Returns why it failed; None if it did not."""
    scores, log = work / "scores", work / "scorer.log"
    scores.mkdir()
    command = [
        str(python),
        "-W",
        "ignore",
        str(_SCRIPT),
        str(work / "result"),
        str(scores),
        _REFUSED,
        _ENTRY,
    ]
    with log.open("wb") as output:
        try:
            done = subprocess.run(
                command,
                cwd=scores,
                env=scorer_environment(scores),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=max(0.0, seconds),
                preexec_fn=partial(
                    limit_process,
                    memory=MOST_MEMORY,
                    file_bytes=MOST_BYTES,
                    processor_seconds=MOST_PROCESSOR_SECONDS,
                ),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"it did not end within {SECONDS:g} s"
    if done.returncode == 0 and (scores / _REFUSED).is_file():
        return None
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _END))
        end = " ".join(file.read().decode(errors="replace").split())
    if done.returncode == REFUSED_STATUS:
        return f"it was ended, because an answer made it do more than score: ...{end[-200:]}"
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return (
            f"it was ended after {MOST_PROCESSOR_SECONDS:,} s of processor time, or for lack of memory, as "
            "an answer can make it compute without end"
        )
    return f"it ended with status {done.returncode}: ...{end[-400:]}"
