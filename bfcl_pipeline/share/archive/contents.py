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
from bfcl_pipeline.share.archive.crate import RunFacts
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


def readme(facts: RunFacts, journals: str) -> bytes:
    """README.md of the archive, for a person who has only the archive. journals: their directory in it."""
    version = facts.versions["bfcl-pipeline"]
    return _README.format(
        benchmark=facts.benchmark, run=facts.run, journals=journals, version=version
    ).encode()


_README = """\
# {benchmark}, run {run}

One evaluation of the Berkeley Function-Calling Leaderboard V4, made with bfcl-pipeline {version}. Open
`results/{run}/report.html` to see the results. To verify them, with bfcl-pipeline {version} (install it in
a checkout of its repository with `pip install --editable '.[workflow]'`, or put
`pipx run --spec 'bfcl-pipeline[workflow]=={version}'` before each command):

    bfcl-pipeline stage
    bfcl-pipeline verify {run}.crate.zip

which derives every answer, verdict and table again from the config, the exchanges with the models and the
recorded web pages, and compares them byte for byte.

| file | content |
|---|---|
| `results/{run}/config.yaml`, `models.yaml` | the config of the run and its models |
| `results/{run}/errata/` | the errata that the run used beside those of the software, if there are any |
| `{journals}/` | every answer of a model as it was received |
| `cache/web/` | the searches and pages that models saw, and answers of web APIs to executed calls |
| `cache/encoder.vectors` | the embeddings of texts in vector memories, if there are any |
| `results/{run}/responses/`, `memory/` | the responses of the models and their memories |
| `results/{run}/verdicts/`, `tables/`, `report.html` | verdicts and scores |
| `results/{run}/report/` | conversations that `report.html` shows, if they are large |
| `results/{run}/figures/` | the figures of the page, as files |
| `results/{run}/logs/`, `benchmarks/`, `snakemake/` | logs and times of the run, without paths and hosts |
| `Snakefile`, `workflow/`, `requirements.lock` | the workflow, and the versions of its dependencies |
| `ro-crate-preview.html` | what the archive holds, as a page |
| `ro-crate-metadata.json` | all of this for programs, with every sha256 (Workflow Run RO-Crate) |

The benchmark's data is not included: `bfcl-pipeline stage` fetches the release that the config names.
Apache-2.0; answers of models and web pages are under the terms of their owners. The benchmark is the work
of the Gorilla team at UC Berkeley: Patil et al., ICML 2025,
https://proceedings.mlr.press/v267/patil25a.html
"""
