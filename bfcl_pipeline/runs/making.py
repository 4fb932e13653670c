"""What made the answers of a run: read from its journals, the records beside them and the answers.

Two sources, kept apart: the records that the jobs wrote when they asked, and what the APIs said about
themselves in each answer (the name of the model, an id, a fingerprint). Nothing here can show that either
is true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.archived.exchanges import exchanges_of
from bfcl_pipeline.runs.archived.run_files import log_files
from bfcl_pipeline.runs.journal import JournaledExchange
from bfcl_pipeline.runs.provenance import (
    BESIDE_LOG,
    Gpu,
    Provenance,
    provenance_path,
    read_provenance,
)
from bfcl_pipeline.runs.run import Run

MOST_NAMES = 1_000
"""Different returned names, or fingerprints, that are counted one by one."""

LONGEST_NAME = 200
"""Characters of a returned name or fingerprint that are kept."""

SHOWN = 10
"""The most records, or returned names, that are listed."""

OTHERS = "(others)"
"""Counts what is beyond MOST_NAMES."""


@dataclass(frozen=True, slots=True)
class ProvenanceUse:
    """The exchanges that one record explains."""

    sha256: str  # of the record
    document: Provenance | None  # None if its file is missing
    exchanges: int  # 0 for a model in the job's process whose answers are in no journal
    first: str  # the first time of receipt, ISO 8601 in UTC; empty without exchanges
    last: str


@dataclass(frozen=True, slots=True)
class Making:
    """What made the answers of one model, or of one trial of it."""

    uses: tuple[ProvenanceUse, ...] = ()  # by first exchange
    models: Mapping[str, int] = field(default_factory=dict)  # exchanges by model name that the API returned
    fingerprints: Mapping[str, int] = field(default_factory=dict)  # exchanges by system fingerprint
    ids: int = 0  # exchanges with an id

    @property
    def exchanges(self) -> int:
        """All exchanges of the model."""
        return sum(use.exchanges for use in self.uses)

    @property
    def records(self) -> list[Provenance]:
        """The records that are there, by first exchange."""
        return [use.document for use in self.uses if use.document is not None]

    def stated_lines(self) -> Iterator[str]:
        """What made the answers, a line for each record, and what the API said about itself in them."""
        known = [(use.exchanges, use.document) for use in self.uses if use.document is not None]
        for exchanges, record in known[:SHOWN]:
            counted = f"{plural(exchanges, 'exchange', 'exchanges')}: " if exchanges else ""
            yield counted + record_line(record)
        if len(known) > SHOWN:
            yield f"and {len(known) - SHOWN:,} more records of what made answers"
        for what, counts in (("model name", self.models), ("fingerprint", self.fingerprints)):
            if counts:
                yield f"the API returned the {what if len(counts) == 1 else f'{what}s'} {_counted(counts)}"
        if self.ids:
            answers = plural(self.exchanges, "answer", "answers")
            yield f"the API returned an id with {self.ids:,} of {answers}"

    def gap_lines(self) -> Iterator[str]:
        """What is not recorded about the answers."""
        missing = [use for use in self.uses if use.document is None]
        if missing:
            count = plural(sum(use.exchanges for use in missing), "exchange", "exchanges")
            yield f"the record of what made {count} is missing (the first: {missing[0].sha256})"


def making_in_run(run: Run, folder: str) -> Making | None:
    """What made the answers of one model of a run; None if nothing records it.

    A model that ran in the job's process without a journal has the record beside its log, if there is one.

    folder: the directory name of the model.

    Raises:
        JournalError: a journal is damaged.
        ProvenanceError: a record is damaged or was changed.
    """
    if run.recorded.job_of(folder).remote:
        return making_of(exchanges_of(run, folder), run.journals / folder)
    path = run.folder / "logs/generate" / f"{folder}{BESIDE_LOG}"
    if not path.is_file():
        return None
    record = read_provenance(path, by_digest=False)
    return Making((ProvenanceUse(record.sha256, record, 0, "", ""),))


def making_of(exchanges: Iterable[JournaledExchange], journals: Path) -> Making:
    """What made `exchanges`. journals: the directory of their journals. Raises ProvenanceError."""
    received: dict[str, list[str]] = {}  # times by SHA-256 of the record
    models: Counter[str] = Counter()
    fingerprints: Counter[str] = Counter()
    ids = 0
    for exchange in exchanges:
        received.setdefault(exchange.provenance, []).append(exchange.received_at)
        _count(models, _text(exchange.raw, "model", "modelVersion"))
        _count(fingerprints, _text(exchange.raw, "system_fingerprint"))
        ids += _text(exchange.raw, "id", "responseId") is not None
    uses = []
    for sha256, times in received.items():
        path = provenance_path(journals, sha256)
        record = read_provenance(path) if path.is_file() else None
        uses.append(ProvenanceUse(sha256, record, len(times), min(times), max(times)))
    uses.sort(key=lambda use: (use.first, use.sha256))
    return Making(tuple(uses), models, fingerprints, ids)


def log_records(run: Run) -> list[Provenance]:
    """The records of the jobs that wrote the responses of a run, in the order of their files.

    Unlike the records beside the journals, they are of the jobs of this run, which may have found answers
    of earlier runs in the journals. Raises ProvenanceError.
    """
    paths = [path for path in log_files(run) if path.name.endswith(BESIDE_LOG)]
    return [read_provenance(path, by_digest=False) for path in paths]


def record_line(record: Provenance) -> str:
    """A record in one line: server, GPUs, weights, and the code that asked."""
    server, model, pipeline = record.server, record.model, record.pipeline
    packages = server.packages if server else record.packages
    parts = []
    if server is not None:
        parts.append(f"{server.kind} {server.version or '(version not known)'}")
    if server is not None or model.weights is not None:
        parts += [f"{name} {packages[name]}" for name in ("torch", "transformers") if name in packages]
    parts += _gpu_texts(server.gpus if server and server.gpus else record.machine.gpus)
    if model.weights is not None:
        parts.append(f"weights {model.weights}")
    commit = f" at {pipeline.commit[:12]}" if pipeline.commit else ""
    changed = " with local changes" if pipeline.changed else ""
    parts.append(f"asked by bfcl-pipeline {pipeline.version}{commit}{changed}")
    if record.machine.image is not None:
        parts.append(
            "in a container" if record.machine.image == "container" else f"in {record.machine.image}"
        )
    return ", ".join(parts)


def _gpu_texts(gpus: tuple[Gpu, ...]) -> list[str]:
    return [
        f"{count} x {gpu.name}" + (f" (driver {gpu.driver})" if gpu.driver else "")
        for gpu, count in Counter(gpus).items()
    ]


def _counted(counts: Mapping[str, int]) -> str:
    """Names with their numbers, the most frequent first."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    listed = ", ".join(f"{name} ({number:,})" for name, number in ranked[:SHOWN])
    return listed + (f" and {len(ranked) - SHOWN:,} more" if len(ranked) > SHOWN else "")


def _count(counter: Counter[str], name: str | None) -> None:
    if name is not None:
        counter[name if name in counter or len(counter) < MOST_NAMES else OTHERS] += 1


def _text(raw: Json, *names: str) -> str | None:
    """The first of these fields of an answer that is a text: APIs name them differently."""
    values = (raw.get(name) for name in names) if isinstance(raw, dict) else ()
    return next((value[:LONGEST_NAME] for value in values if isinstance(value, str) and value), None)
