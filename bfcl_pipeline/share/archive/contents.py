"""The files of an archive, collected from results, cache, Snakemake's directory and the checkout.

Results are archived unchanged. Extracts of journals, and Snakemake's records and logs without paths and
host names, are written below a temporary directory; a record that cannot be read is skipped, since its
format is Snakemake's own. Whether the files may be archived is checked in `archive.make`.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

from bfcl_pipeline.runs.archived.exchanges import write_exchanges
from bfcl_pipeline.runs.archived.members import ArchiveMember, member
from bfcl_pipeline.runs.archived.run_files import log_files, result_files
from bfcl_pipeline.runs.archived.vectors import NAME as VECTORS
from bfcl_pipeline.runs.archived.vectors import pack_vectors
from bfcl_pipeline.runs.provenance import BESIDE_LOG, TEMPLATE_BESIDE_LOG
from bfcl_pipeline.runs.provenance.software import LOCK, workflow_files
from bfcl_pipeline.runs.run import Run

_FIELDS = (
    "rule", "input", "log", "params", "shellcmd", "container_img_url", "external_jobid", "input_checksums",
)  # fmt: skip
_HOME = re.compile(r"(?<![\w./~-])/(?:home|Users)/[^/\s'\":,;)\]}\\]+")
_PATH = re.compile(r"(?<![\w./~:<-])(?:/[^/\s'\":,;()\[\]{}<>\\]+)+/(?=[^/\s'\":,;()\[\]{}<>\\])")
_HOST = re.compile(r"^([ \t]*(?:host|hostname|nodename|user)): .*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class WorkflowStep:
    """One job that Snakemake ran."""

    outputs: tuple[str, ...]  # sorted
    start: float  # seconds since 1970
    end: float
    record: Mapping[str, Any]  # the archived fields of Snakemake's record

    def line(self) -> str:
        """The step as a line of JSON, without paths of the machine."""
        times = {"start": iso_time(self.start), "end": iso_time(self.end)}
        text = json.dumps({"outputs": self.outputs, **times, **self.record}, sort_keys=True)
        return without_paths(text) + "\n"


def read_steps(state: Path, is_output: Callable[[str], bool]) -> list[WorkflowStep]:
    """The steps that made outputs of a run, by time.

    Args:
        state: the directory `.snakemake`.
        is_output: whether a path, such as results/<run>/report.html, is an output of the run.
    """
    jobs: dict[str, list[tuple[str, dict[str, Any]]]] = {}  # by the fields that all outputs of a job share
    for output, record in _records(state / "metadata"):
        if is_output(output):
            job = json.dumps([record.get(key) for key in ("rule", "log", "shellcmd", "params")])
            jobs.setdefault(job, []).append((output, record))
    steps = [
        WorkflowStep(
            tuple(sorted(output for output, _ in outputs)),
            min(float(record["starttime"]) for _, record in outputs),
            max(float(record["endtime"]) for _, record in outputs),
            {key: outputs[0][1][key] for key in _FIELDS if outputs[0][1].get(key) is not None},
        )
        for outputs in jobs.values()
    ]
    return sorted(steps, key=lambda step: (step.start, step.end, step.outputs))


def logs_of(state: Path, run: str) -> list[Path]:
    """Snakemake's logs that mention the run."""
    mention = re.compile(rf"(?:results/| of ){re.escape(run)}(?:[/\s'\"]|$)", re.MULTILINE)
    logs = sorted((state / "log").glob("*.snakemake.log"))
    return [path for path in logs if mention.search(path.read_text(encoding="utf-8", errors="replace"))]


def iso_time(seconds: float) -> str:
    """A time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def without_paths(text: str) -> str:
    """`text` with `.../name` for absolute paths, and without the names of host and user in logs."""
    return _HOST.sub(r"\1: ...", _PATH.sub(".../", _HOME.sub("/home/user", text)))


def write_without_paths(source: Path, out: Path) -> None:
    """Writes the text at `source` to `out`, each line changed by `without_paths`."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with (
        source.open(encoding="utf-8", errors="replace", newline="") as lines,
        out.open("w", encoding="utf-8", newline="") as file,
    ):
        file.writelines(map(without_paths, lines))


def _records(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The path and record of each output; the name of a record file is that path in base64."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        parts = path.relative_to(folder).parts  # long names are split over several directories
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


@dataclass(frozen=True, slots=True)
class ArchiveContents:
    """The contents of an archive except README and metadata."""

    members: list[ArchiveMember]
    steps: list[WorkflowStep]  # of Snakemake, by time
    answered_since: int  # entries that failed, with later answers that are left out


def gather(run: Run, project: Path, state: Path, work: Path, web: Iterable[Path]) -> ArchiveContents:
    """All files of a run.

    Args:
        run: the run.
        project: the folder with the workflow.
        state: Snakemake's directory, .snakemake.
        work: a temporary directory.
        web: the files of the web cache that the run used.

    Raises:
        ArchiveError: the run is not complete, or exchanges are missing.
        JournalError: a journal is damaged.
        OSError: a file cannot be read.
    """
    results = f"results/{run.recorded.name}"
    outputs = {f"{results}/{path.relative_to(run.folder).as_posix()}": path for path in result_files(run)}
    shards = tuple(f"{results}/shards/{model}@" for model in run.recorded.folders)
    steps = read_steps(state, lambda output: output in outputs or output.startswith(shards))
    exchanges = write_exchanges(run, work)
    sources: list[tuple[str, Path | bytes]] = [
        *outputs.items(),
        *_logs(run, state, work),
        *exchanges.files,
        *((f"cache/web/{path.relative_to(run.cache / 'web').as_posix()}", path) for path in web),
        *((path.relative_to(project).as_posix(), path) for path in workflow_files(project)),
    ]
    vectors = pack_vectors(run)
    if vectors:
        sources.append((VECTORS, vectors))
    if steps:
        sources.append(("snakemake/jobs.jsonl", "".join(step.line() for step in steps).encode()))
    optional = (project / "LICENSE", project / LOCK)
    sources += [(path.name, path) for path in optional if path.is_file()]
    members = [member(name, source) for name, source in sorted(sources, key=itemgetter(0))]
    return ArchiveContents(members, steps, exchanges.answered_since)


def _logs(run: Run, state: Path, work: Path) -> Iterator[tuple[str, Path]]:
    """Logs and benchmarks by member name; logs without paths; benchmarks and records contain none."""
    results = f"results/{run.recorded.name}"
    logs = {f"{results}/{path.relative_to(run.folder).as_posix()}": path for path in log_files(run)}
    logs |= {f"snakemake/log/{path.name}": path for path in logs_of(state, run.recorded.name)}
    for name, path in logs.items():
        if path.name.endswith((".tsv", BESIDE_LOG, TEMPLATE_BESIDE_LOG)):  # they have no paths
            yield name, path
        else:
            write_without_paths(path, work / name)
            yield name, work / name
