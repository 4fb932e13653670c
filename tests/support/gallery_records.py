"""Made-up records of archives, as `gallery` keeps them: real tables of synthetic runs, without archives."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.runs.archived.findings import ArchiveFinding, Part
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.gallery.collect import models_of
from bfcl_pipeline.share.gallery.record import ArchiveRecord, Claims, GalleryRun, Reproduction
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks

HOSTILE = (
    "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\"> \u202eevil"
)

FINDINGS = (
    ArchiveFinding(
        Part.DERIVED, "verified", "results", "12 of 12 files were derived again and are identical"
    ),
    ArchiveFinding(Part.ATTESTED, "claimed", "run", HOSTILE),
    ArchiveFinding(Part.NOT_COVERED, "not verified", "answers", "whether the models gave these answers"),
)


@dataclass(frozen=True, slots=True)
class Records:
    """Records, and the runs of those with results."""

    archives: Sequence[ArchiveRecord]
    runs: Sequence[Path]


def record_of(
    folder: Path, outcome: Reproduction = Reproduction.DERIVED, **changes: object
) -> ArchiveRecord:
    """The record of an archive of a run."""
    numbering, models = models_of(Run(folder))
    name = folder.parent.name
    values = {
        "key": "key",
        "name": f"{name}.crate.zip",
        "sha256": hashlib.sha256(str(name).encode()).hexdigest(),
        "size": 1234,
        "outcome": outcome,
        "findings": FINDINGS,
        "run": name,
        "ended": "2026-01-02T03:04:05+00:00",
        "derived": GalleryRun(numbering.entries, models, {}, {"Seed": "0", "Commit": "unknown"}),
        **changes,
    }
    return ArchiveRecord(**values)  # type: ignore[arg-type]


def made_up_records(folder: Path) -> Records:
    """Three runs on the same entries, one on others, and archives that were refused, or differ."""
    right = [True] * 30
    mixed = [place % 3 > 0 for place in range(30)]
    half = Marks([place % 2 == 0 for place in range(30)], [True] * 30)
    models = {
        "first": [MadeUpModel("best", {"simple_python": Marks(right), "live_simple": marks(10)})],
        "second": [
            MadeUpModel(HOSTILE, {"simple_python": Marks(mixed), "live_simple": marks(6, 4)}),
            MadeUpModel("half", {"simple_python": half, "live_simple": marks(5, 5)}),
        ],
        "third": [MadeUpModel("worst", {"simple_python": marks(0, 30), "live_simple": marks(0, 9, 1)})],
        "small": [MadeUpModel("best", {"simple_python": marks(4)})],
    }
    for name in models:
        (folder / name).mkdir()
    runs = [made_up_tables(folder / name, of, name) for name, of in models.items()]
    archives = [record_of(run) for run in runs]
    nothing: dict[str, object] = {"derived": None, "run": "", "findings": ()}
    archives += [
        record_of(
            runs[0],
            Reproduction.REFUSED,
            **{**nothing, "sha256": "a" * 64, "name": HOSTILE, "reason": HOSTILE},
        ),
        record_of(
            runs[0],
            Reproduction.DIFFERS,
            derived=None,
            sha256="b" * 64,
            findings=(ArchiveFinding(Part.DERIVED, "DIFFERS", "results", f"row 1: {HOSTILE}"),),
            claims=(Claims(HOSTILE, wrong=[f"records of Every Eval Ever: {HOSTILE}"]),),
        ),
    ]
    return Records(archives, runs)
