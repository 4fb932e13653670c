"""What the site knows of one archive: the findings of its verification, and what was derived again.

Kept as one JSON file for each archive, so that an archive is verified once. A record that cannot be read is
as one that is not there.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.files import MOST_BYTES, read_json, write_text
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.archived.findings import ArchiveFinding, Part
from bfcl_pipeline.share.gallery.bundle import ARCHIVE
from bfcl_pipeline.share.signing.signature import statements_path
from bfcl_pipeline.show.compare.settings import Settings

ARCHIVES, REPORTS = "archives", "reports"
"""The folders of a site with archives and their statements, and with reports."""

OWN_ERRATA = "Own errata"
"""The fact of a run whose verified scores use errata of its own: the names of their files."""


class Reproduction(StrEnum):
    """What the verification of an archive came to."""

    DERIVED = "derived"  # all results were derived again and are identical
    PARTLY = "derived in part"  # the same, but for what no archive has: answers of failures, given answers
    UNDERIVED = "not derived"  # only hashes were checked, as its release is not staged here
    DIFFERS = "differs"  # something does not follow from the recorded answers
    REFUSED = "refused"  # damaged, malformed, or a step of the derivation failed

    @property
    def ranked(self) -> bool:
        """Whether its scores are known to follow from its answers."""
        return self in (Reproduction.DERIVED, Reproduction.PARTLY)


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """One model of a run under one rule set; the mean of its trials, if there are several."""

    model: str
    rules: Rules
    trials: int
    row: Mapping[str, Any]  # of the table `leaderboard`, of the first trial; scores are means over trials
    categories: Sequence[Mapping[str, Any]]  # rows of the table `categories`, of the first trial
    settings: Settings  # what it was made with
    numbers: Sequence[int]  # of its entries, as in RunRecord.entries
    marks: Sequence[float]  # of the same entries, as those of `compare.sides`


@dataclass(frozen=True, slots=True)
class GalleryRun:
    """What was derived again of a run."""

    entries: Sequence[tuple[str, str]]  # category and id, by number
    models: Sequence[ModelRecord]
    report: Mapping[str, str]  # sha256 of report.html and of the files in report/, by path in the run
    facts: Mapping[str, str]  # texts by name


@dataclass(slots=True)
class Claims:
    """What the files of one folder with an archive say."""

    folder: str  # its name
    right: list[str] = field(default_factory=list)  # what follows from the archive
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ArchiveRecord:
    """One archive."""

    key: str  # what the verification depends on; see `verified.key_of`; empty: it was not verified
    name: str  # as that of its run; of its file, if it was refused
    sha256: str  # of the file
    size: int  # bytes
    outcome: Reproduction
    findings: Sequence[ArchiveFinding]
    run: str = ""  # name; empty for a refused archive, as the following
    ended: str = ""  # ISO 8601
    claims: Sequence[Claims] = ()  # of each folder in which it was found
    derived: GalleryRun | None = None  # None unless `outcome.ranked`
    statements: str = ""  # sha256 of the file with those of its statements that hold; empty: none
    reason: str = ""  # why it was refused
    attested: Sequence[str] = field(default=())  # who signed it, as far as it was checked

    @property
    def models(self) -> Sequence[ModelRecord]:
        """Its models under every rule set; none if nothing was derived."""
        return self.derived.models if self.derived else ()

    @property
    def differing(self) -> bool:
        """Whether files differ from it in every folder in which it was found."""
        return bool(self.claims) and all(one.wrong for one in self.claims)

    @property
    def wrong(self) -> list[str]:
        """What files beside it say that does not follow from it."""
        return [f"{one.folder}: {line}" for one in self.claims for line in one.wrong]

    @property
    def download(self) -> str:
        """Its place in the site, which depends on nothing but its bytes."""
        return f"{ARCHIVES}/{self.sha256[:16]}{ARCHIVE}"

    @property
    def report_folder(self) -> str:
        """The folder in the site with its report, if that was derived."""
        return f"{REPORTS}/{self.sha256[:16]}"

    @property
    def files(self) -> dict[str, str]:
        """The sha256 of its files in the site, by their places."""
        report = self.derived.report if self.derived else {}
        files = {f"{self.report_folder}/{name}": sha256 for name, sha256 in report.items()}
        files[self.download] = self.sha256
        if self.statements:
            files[statements_path(Path(self.download)).as_posix()] = self.statements
        return files


def write_record(path: Path, record: ArchiveRecord) -> None:
    """Writes a record."""
    write_text(path, json.dumps(asdict(record), ensure_ascii=True, separators=(",", ":")) + "\n")


def read_record(path: Path, key: str) -> ArchiveRecord | None:
    """The record of `key`; None if there is none, it is of something else, or it cannot be read."""
    try:
        record = _archive(read_json(path, MOST_BYTES))
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return record if record.key == key else None


def _archive(document: Mapping[str, Any]) -> ArchiveRecord:
    derived = document["derived"]
    return ArchiveRecord(
        **{
            **document,
            "outcome": Reproduction(document["outcome"]),
            "claims": tuple(Claims(**one) for one in document["claims"]),
            "findings": tuple(
                ArchiveFinding(**{**one, "part": Part(one["part"])}) for one in document["findings"]
            ),
            "derived": None if derived is None else _run(derived),
        }
    )


def _run(document: Mapping[str, Any]) -> GalleryRun:
    return GalleryRun(
        **{
            **document,
            "entries": [(category, entry_id) for category, entry_id in document["entries"]],
            "models": [
                ModelRecord(
                    **{**one, "rules": Rules(one["rules"]), "settings": Settings(**one["settings"])}
                )
                for one in document["models"]
            ],
        }
    )
