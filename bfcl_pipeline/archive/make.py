"""Making the archive of a run: gather, look for secrets, describe, write."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from bfcl_pipeline.archive.contents import Contents, Places, gather, readme
from bfcl_pipeline.archive.crate import Facts, Input, metadata
from bfcl_pipeline.archive.crate_terms import BENCHMARK_URL, ENCODER_URL
from bfcl_pipeline.archive.described import metadata_limit
from bfcl_pipeline.archive.members import Member, member
from bfcl_pipeline.archive.names import METADATA
from bfcl_pipeline.archive.recorded_run import RecordedRun
from bfcl_pipeline.archive.secrets import Finding, Search
from bfcl_pipeline.archive.snakemake_records import moment
from bfcl_pipeline.archive.software import Checkout, versions
from bfcl_pipeline.archive.writing import TOO_MUCH, write_archive
from bfcl_pipeline.benchmark import encoder, release
from bfcl_pipeline.errors import ArchiveError

SHOWN = 20
"""Findings that are told, at most."""


@dataclass(frozen=True, slots=True)
class Made:
    """What was written."""

    path: Path
    members: int
    unpacked: int  # bytes
    size: int  # bytes of the file
    sha256: str  # of the file


def make(
    recorded: RecordedRun,
    out: Path,
    *,
    checkout: Checkout,
    cache: Path,
    data: Path,
    snakemake: Path,
    web: Iterable[Path],
    secrets: Mapping[str, str],
    allowed: Collection[str],
) -> Made:
    """Writes the archive of a run to `out`, atomically; equal runs give equal bytes.

    `web`: the files of the web record that it used. `secrets`: values that must not be in it, by what a
    person calls them; `allowed`: fingerprints of findings that are none. Raises ArchiveError, and then
    writes nothing, if the run is not complete, holds a secret or does not fit; JournalError; OSError.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".archive-") as work:
        contents = gather(recorded, checkout, Places(cache, data, snakemake, Path(work)), web)
        facts = _facts(recorded, contents, checkout, data)
        members = sorted([*contents.members, member("README.md", readme(facts))], key=lambda one: one.name)
        described = member(METADATA, metadata(facts, members))
        if described.size > metadata_limit(len(members) + 1):
            raise ArchiveError(f"{described.size:,} bytes of metadata: {TOO_MUCH}")
        members.insert(0, described)
        _check_secrets(members, Search(secrets), frozenset(allowed))
        write_archive(out, members)
    unpacked = sum(one.size for one in members)
    return Made(out, len(members), unpacked, out.stat().st_size, _sha256(out))


def _check_secrets(members: Sequence[Member], search: Search, allowed: frozenset[str]) -> None:
    """Raises ArchiveError, naming places and never texts, if there is a secret in any member."""
    found = (
        finding for one in members for finding in search.findings(one) if finding.fingerprint not in allowed
    )
    told: list[Finding] = list(islice(found, SHOWN))
    if told:
        listed = "\n  ".join(map(str, told))
        raise ArchiveError(
            f"nothing is written: secrets, or what looks like them, in\n  {listed}\n"
            "Take them out and replace the key, as it may be known by now. What is none, say, a key that a "
            "model made up, is allowed by --allow FINGERPRINT."
        )


def _facts(recorded: RecordedRun, contents: Contents, checkout: Checkout, data: Path) -> Facts:
    config = recorded.config
    categories = sorted({job.category for job in recorded.run.jobs})
    staged = ["release/texts.json", *(f"entries/{category}.parquet" for category in categories)]
    uses_encoder = "memory_vector" in categories
    steps = contents.steps
    report = recorded.folder / "report.html"
    # Without Snakemake's records, the file's own time is the best there is.
    end = max(step.end for step in steps) if steps else report.stat().st_mtime
    return Facts(
        run=recorded.run.name,
        start=moment(min(step.start for step in steps)) if steps else None,
        end=moment(end),
        release=Input(
            release.DISTRIBUTION,
            config["release"]["version"],
            config["release"]["sha256"],
            BENCHMARK_URL,
            {name: _sha256(data / name) for name in staged if (data / name).is_file()},
        ),
        encoder=Input(
            encoder.MODEL,
            encoder.VERSION,
            encoder.WHEEL_SHA256,
            ENCODER_URL,
            {f"encoder/{name}": sha256 for name, sha256 in encoder.FILES.items()},
        )
        if uses_encoder
        else None,
        images=config["containers"],
        versions=versions(),
        checkout=checkout,
    )


def _sha256(path: Path) -> str:
    return member("", path).sha256
