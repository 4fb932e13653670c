"""The files of an archive, collected from results, cache, Snakemake's directory and the checkout.

Extracts of journals and logs without paths are written below a temporary directory. Whether the files may
be archived is checked in `archive.make`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from bfcl_pipeline.runs.archived.exchanges import write_exchanges
from bfcl_pipeline.runs.archived.members import ArchiveMember, member
from bfcl_pipeline.runs.archived.run_files import log_files, result_files
from bfcl_pipeline.runs.archived.vectors import NAME as VECTORS
from bfcl_pipeline.runs.archived.vectors import pack_vectors
from bfcl_pipeline.runs.provenance import BESIDE_LOG, TEMPLATE_BESIDE_LOG
from bfcl_pipeline.runs.provenance.software import LOCK, workflow_files
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.archive.snakemake_records import (
    WorkflowStep,
    logs_of,
    read_steps,
    write_without_paths,
)


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
