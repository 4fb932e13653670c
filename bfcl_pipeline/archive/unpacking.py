"""Unpacking an untrusted archive: hashes first, then only the members that a replay needs."""

import hashlib
from pathlib import Path

from bfcl_pipeline.archive.crate_metadata import CrateMetadata
from bfcl_pipeline.archive.reading import SealedArchive
from bfcl_pipeline.archive.recorded_run import RecordedRun, read_run
from bfcl_pipeline.archive.run_files import result_files
from bfcl_pipeline.archive.software import Checkout
from bfcl_pipeline.archive.table_size import check_table_size
from bfcl_pipeline.archive.vectors import MAX_BYTES, unpack_vectors
from bfcl_pipeline.archive.vectors import NAME as VECTORS
from bfcl_pipeline.errors import ArchiveError

_UNPACKED = ("results/", "cache/")
"""The members that the replay needs; no others are unpacked."""


def check_hashes(archive: SealedArchive, metadata: CrateMetadata) -> int:
    """Raises ArchiveError if the sha256 of a member differs from the metadata. Returns their number."""
    for name, expected in metadata.sha256.items():
        digest = hashlib.sha256()
        for chunk in archive.chunks(name):
            digest.update(chunk)
        if digest.hexdigest() != expected:
            raise ArchiveError(
                f"{archive.path}, member {name!r}: refused: expected sha256 {expected}, got "
                f"{digest.hexdigest()}. Nothing was unpacked."
            )
    return len(metadata.sha256)


def unpack(archive: SealedArchive, folder: Path) -> None:
    """Writes results, journals, web cache and vectors below the empty `folder`.

    The names of members were checked when the archive was opened.
    """
    for name in archive.members:
        if name == VECTORS:
            if archive.members[name].size > MAX_BYTES:
                raise ArchiveError(f"{name}: refused: more than {MAX_BYTES:,} bytes.")
            unpack_vectors(b"".join(archive.chunks(name)), folder / "cache/encoder")
        elif name.startswith(_UNPACKED):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.writelines(archive.chunks(name))


def unpacked_run(folder: Path, metadata: CrateMetadata, checkout: Checkout) -> RecordedRun:
    """The run that was unpacked in `folder`.

    Raises ArchiveError, ConfigError or TableError if its config or models are invalid, contradict the
    metadata or name a local path, or if a result file is missing, malformed or too large.
    """
    recorded = read_run(folder / "results" / metadata.run, checkout.schema, metadata.run)
    config_file, release = recorded.folder / "config.yaml", recorded.run.release
    named = (release.source, recorded.config["encoder"]["source"], recorded.config["models_file"])
    if any(path is not None for path in named):
        raise ArchiveError(
            f"{config_file}: refused: it names a local path as the source of data or models."
        )
    if (release.version, release.sha256) != metadata.release:
        raise ArchiveError(
            f"{config_file}: refused: the release is {release.version} {release.sha256}, but the metadata "
            f"names {' '.join(metadata.release)}."
        )
    for path in result_files(recorded):
        if path.suffix == ".parquet":
            check_table_size(path)
    return recorded
