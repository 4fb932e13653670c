"""What Snakemake itself kept of a run: of each step what it read and ran, and when; and its logs.

Read from its folder `.snakemake`, whose form is its own; a file there that cannot be read is left out.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bfcl_pipeline.archive.scrubbing import without_places

_KEPT = (
    "rule", "input", "log", "params", "shellcmd", "container_img_url", "external_jobid", "input_checksums",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """One job that Snakemake ran."""

    outputs: tuple[str, ...]  # sorted
    start: float  # seconds since 1970
    end: float
    record: Mapping[str, Any]  # as Snakemake has it, those fields that tell of the step

    def line(self) -> str:
        """The step as a line of JSON, without places on the machine."""
        times = {"start": moment(self.start), "end": moment(self.end)}
        text = json.dumps({"outputs": self.outputs, **times, **self.record}, sort_keys=True)
        return without_places(text) + "\n"


def read_steps(state: Path, is_output: Callable[[str], bool]) -> list[Step]:
    """The steps of a run, by time: those that made any of its outputs, results/<run>/...

    state: Snakemake's folder.
    """
    made: dict[str, list[tuple[str, dict[str, Any]]]] = {}  # by what is the same for all outputs of a job
    for output, record in _records(state / "metadata"):
        if is_output(output):
            job = json.dumps([record.get(key) for key in ("rule", "log", "shellcmd", "params")])
            made.setdefault(job, []).append((output, record))
    steps = [
        Step(
            tuple(sorted(output for output, _ in of_job)),
            min(float(record["starttime"]) for _, record in of_job),
            max(float(record["endtime"]) for _, record in of_job),
            {key: of_job[0][1][key] for key in _KEPT if of_job[0][1].get(key) is not None},
        )
        for of_job in made.values()
    ]
    return sorted(steps, key=lambda step: (step.start, step.end, step.outputs))


def logs_of(state: Path, run: str) -> list[Path]:
    """Snakemake's logs that speak of the run."""
    spoken = re.compile(rf"(?:results/| of ){re.escape(run)}(?:[/\s'\"]|$)", re.MULTILINE)
    return [path for path in sorted((state / "log").glob("*.snakemake.log")) if spoken.search(_text(path))]


def moment(seconds: float) -> str:
    """A time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _records(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each output that Snakemake has a record of, with it; its path is the file's name, in base64."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        parts = path.relative_to(folder).parts  # long names are cut in several
        try:
            name = base64.urlsafe_b64decode("".join(part.removeprefix("@") for part in parts)).decode()
            record = json.loads(path.read_bytes())
        except (binascii.Error, ValueError, OSError):
            continue
        if (
            isinstance(record, dict)
            and _is_time(record.get("starttime"))
            and _is_time(record.get("endtime"))
        ):
            yield name, record


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
