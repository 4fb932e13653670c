"""What made the answers of a run, read from its journals, the records beside them and the answers.

Two sources, kept apart: the records that the jobs wrote when they asked, and what the APIs said about
themselves in each answer (the name of the model, an id, a fingerprint). Nothing here can show that either
is true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bfcl_pipeline.archive.exchanges import exchanges_of
from bfcl_pipeline.archive.recorded_run import RecordedRun
from bfcl_pipeline.generation.journal import JournaledExchange
from bfcl_pipeline.provenance import BESIDE_LOG, Provenance, provenance_path, read_provenance
from bfcl_pipeline.records import Json

MOST_NAMES = 1_000
"""Different returned names, or fingerprints, that are counted one by one."""

LONGEST_NAME = 200
"""Characters of a returned name or fingerprint that are kept."""

OTHERS = "(others)"
"""Counts what is beyond MOST_NAMES."""


@dataclass(frozen=True, slots=True)
class ProvenanceUse:
    """The exchanges that one record explains."""

    sha256: str | None  # of the record; None for exchanges of earlier versions, which name none
    document: Provenance | None  # None if its file is missing, or if there is no record
    exchanges: int  # 0 for a model in the job's process whose answers are in no journal
    first: str  # the first time of receipt, ISO 8601 in UTC; empty without exchanges
    last: str


@dataclass(frozen=True, slots=True)
class ApiFacts:
    """What the API said about itself in its answers."""

    models: Mapping[str, int]  # exchanges by returned model name
    fingerprints: Mapping[str, int]  # exchanges by system fingerprint
    ids: int  # exchanges with an id


@dataclass(frozen=True, slots=True)
class ModelProvenance:
    """What made the answers of one model, or of one trial of it."""

    uses: tuple[ProvenanceUse, ...]  # by first exchange
    api: ApiFacts


def provenances_of(recorded: RecordedRun, cache: Path) -> dict[str, ModelProvenance]:
    """What made the answers of the models of a run, by the directory name of the model.

    A model that ran in the job's process without a journal has the record beside its log, if there is one;
    models of kind `results` are not listed.

    Args:
        recorded: the run.
        cache: the directory with exchanges/.

    Raises:
        JournalError: a journal is damaged.
        ProvenanceError: a record is damaged or was changed.
    """
    found: dict[str, ModelProvenance] = {}
    for folder in recorded.run.folders:
        if recorded.run.jobs_of(folder)[0].remote:
            journals = cache / "exchanges" / folder
            found[folder] = model_provenance(exchanges_of(recorded, cache, folder), journals)
        elif (path := log_record_path(recorded, folder)).is_file():
            record = read_provenance(path, by_digest=False)
            use = ProvenanceUse(record.sha256, record, 0, "", "")
            found[folder] = ModelProvenance((use,), ApiFacts({}, {}, 0))
    return found


def log_record_path(recorded: RecordedRun, folder: str) -> Path:
    """The file of the record of a model without journals, beside the log of its job."""
    return recorded.folder / "logs/generate" / f"{folder}{BESIDE_LOG}"


def model_provenance(exchanges: Iterable[JournaledExchange], journals: Path) -> ModelProvenance:
    """What made `exchanges`. journals: the directory of their journals. Raises ProvenanceError."""
    counts = _Counts()
    for exchange in exchanges:
        counts.add(exchange)
    uses = sorted(counts.uses(journals), key=lambda use: (use.first, use.sha256 or ""))
    return ModelProvenance(tuple(uses), ApiFacts(counts.models, counts.fingerprints, counts.ids))


@dataclass(slots=True)
class _Times:
    exchanges: int = 0
    first: str = ""
    last: str = ""


@dataclass(slots=True)
class _Counts:
    """What is counted over the exchanges of a model."""

    times: dict[str | None, _Times] = field(default_factory=dict)  # by SHA-256 of the record
    models: Counter[str] = field(default_factory=Counter)
    fingerprints: Counter[str] = field(default_factory=Counter)
    ids: int = 0

    def add(self, exchange: JournaledExchange) -> None:
        times = self.times.setdefault(exchange.provenance, _Times())
        times.exchanges += 1
        times.first = min(exchange.received_at, times.first or exchange.received_at)
        times.last = max(exchange.received_at, times.last)
        raw = exchange.raw
        _count(self.models, _text(raw, "model", "modelVersion"))
        _count(self.fingerprints, _text(raw, "system_fingerprint"))
        self.ids += _text(raw, "id", "responseId") is not None

    def uses(self, journals: Path) -> Iterator[ProvenanceUse]:
        for sha256, times in self.times.items():
            record = None
            if sha256 is not None and (path := provenance_path(journals, sha256)).is_file():
                record = read_provenance(path)
            yield ProvenanceUse(sha256, record, times.exchanges, times.first, times.last)


def _count(counter: Counter[str], name: str | None) -> None:
    if name is not None:
        counter[name if name in counter or len(counter) < MOST_NAMES else OTHERS] += 1


def _text(raw: Json, *names: str) -> str | None:
    """The first of these fields of an answer that is a text: APIs name them differently."""
    values = (raw.get(name) for name in names) if isinstance(raw, dict) else ()
    return next((value[:LONGEST_NAME] for value in values if isinstance(value, str) and value), None)
