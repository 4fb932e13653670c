"""All that goes into the archive of a run, gathered from where it lies.

What has to be made first, such as the extract of a journal or a log without paths, is written below a
temporary folder. Nothing is judged here; whether it may be archived is `make`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.archive.crate import Facts
from bfcl_pipeline.archive.exchanges import write_exchanges
from bfcl_pipeline.archive.members import Member, member
from bfcl_pipeline.archive.recorded_run import RecordedRun
from bfcl_pipeline.archive.run_files import result_files, told_files
from bfcl_pipeline.archive.scrubbing import write_without_places
from bfcl_pipeline.archive.snakemake_records import Step, logs_of, read_steps
from bfcl_pipeline.archive.software import Checkout, workflow_files
from bfcl_pipeline.archive.vectors import NAME as VECTORS
from bfcl_pipeline.archive.vectors import pack_vectors


@dataclass(frozen=True, slots=True)
class Places:
    """Where things lie."""

    cache: Path  # has exchanges/ and web/
    data: Path  # the staged data
    snakemake: Path  # Snakemake's folder, .snakemake
    work: Path  # a temporary folder


@dataclass(frozen=True, slots=True)
class Contents:
    """What goes into an archive, but for README and metadata."""

    members: list[Member]
    steps: list[Step]  # of Snakemake, by time


def gather(recorded: RecordedRun, checkout: Checkout, places: Places, web: Iterable[Path]) -> Contents:
    """Everything of one run. `web`: the files of the web record that it used.

    Raises ArchiveError if the run is not complete or its exchanges are not there, JournalError if a journal
    is damaged, OSError.
    """
    results = f"results/{recorded.run.name}"
    found: list[tuple[str, Path | bytes]] = []
    for path in result_files(recorded):
        found.append((f"{results}/{path.relative_to(recorded.folder).as_posix()}", path))
    shards = tuple(f"{results}/shards/{model}@" for model in recorded.run.folders)
    names = {name for name, _ in found}
    steps = read_steps(places.snakemake, lambda output: output in names or output.startswith(shards))
    for path in told_files(recorded):
        name = f"{results}/{path.relative_to(recorded.folder).as_posix()}"
        found.append((name, _told(path, places.work / name)))
    found += write_exchanges(recorded, places.cache, places.work)
    found += [(f"cache/web/{path.relative_to(places.cache / 'web').as_posix()}", path) for path in web]
    vectors = pack_vectors(recorded, places.cache / "encoder")
    if vectors:
        found.append((VECTORS, vectors))
    if steps:
        found.append(("snakemake/jobs.jsonl", "".join(step.line() for step in steps).encode()))
    for path in logs_of(places.snakemake, recorded.run.name):
        name = f"snakemake/log/{path.name}"
        found.append((name, _told(path, places.work / name)))
    for path in workflow_files(checkout):
        found.append((path.relative_to(checkout.folder).as_posix(), path))
    for path in (checkout.folder / "LICENSE", checkout.lock_file):
        if path.is_file():
            found.append((path.name, path))
    return Contents([member(name, source) for name, source in sorted(found, key=lambda one: one[0])], steps)


def _told(path: Path, out: Path) -> Path:
    """A log or a benchmark as it is archived; benchmarks are figures, and tell no places."""
    if path.suffix == ".tsv":
        return path
    write_without_places(path, out)
    return out


def readme(facts: Facts) -> bytes:
    """README.md of the archive: what it is, for a person who has nothing else."""
    return _README.format(run=facts.run, version=facts.versions["bfcl-pipeline"]).encode()


_README = """\
# BFCL V4, run {run}

One evaluation of the Berkeley Function-Calling Leaderboard V4, made with bfcl-pipeline {version}. Open
`results/{run}/report.html` to see it. To check it, with bfcl-pipeline {version}:

    bfcl-pipeline stage
    bfcl-pipeline verify {run}.crate.zip

which derives every answer, verdict and table again from the config, the exchanges with the models and the
recorded web, and compares them byte for byte.

| here | what it is |
|---|---|
| `results/{run}/config.yaml`, `models.yaml` | what was asked of whom |
| `cache/exchanges/` | every answer of a model, as it came |
| `cache/web/` | the searches and pages that models saw, if the web was asked |
| `cache/encoder.vectors` | the embeddings of texts in vector memories, if there are some |
| `results/{run}/responses/`, `memory/` | what the models did |
| `results/{run}/verdicts/`, `tables/`, `report.html` | what it was worth |
| `results/{run}/logs/`, `benchmarks/`, `snakemake/` | how the run went; paths and hosts are taken out |
| `Snakefile`, `workflow/`, `requirements.lock` | the workflow, and the versions of what it needs |
| `ro-crate-metadata.json` | all of this for machines, with every sha256 (Workflow Run RO-Crate) |

The benchmark's data is not here: `bfcl-pipeline stage` fetches the release that the config names.
Apache-2.0; what models answered and pages of the web are under the terms of those they come from. The
benchmark is the work of the Gorilla team at UC Berkeley: Patil et al., ICML 2025,
https://proceedings.mlr.press/v267/patil25a.html
"""
