"""Checking an archive before anything of it is used: every hash, the record of the run, what fits here.

Each check raises ArchiveError for what must be refused; what differs without being wrong, such as a
version, is told.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from bfcl_pipeline.archive.bounds import MAX_ROWS
from bfcl_pipeline.archive.described import Described
from bfcl_pipeline.archive.members import member
from bfcl_pipeline.archive.reading import SealedArchive
from bfcl_pipeline.archive.recorded_run import RecordedRun, read_run
from bfcl_pipeline.archive.run_files import result_files
from bfcl_pipeline.archive.software import Checkout, versions
from bfcl_pipeline.archive.vectors import MAX_BYTES, unpack_vectors
from bfcl_pipeline.archive.vectors import NAME as VECTORS
from bfcl_pipeline.benchmark import encoder
from bfcl_pipeline.errors import ArchiveError
from bfcl_pipeline.tables.files import count_rows

_UNPACKED = ("results/", "cache/")
"""What deriving a run again needs."""


def check_hashes(archive: SealedArchive, described: Described) -> int:
    """Raises ArchiveError if a member is not what the metadata says. Returns how many are."""
    for name, expected in described.sha256.items():
        digest = hashlib.sha256()
        for chunk in archive.chunks(name):
            digest.update(chunk)
        if digest.hexdigest() != expected:
            raise ArchiveError(
                f"{archive.path}, member {name!r}: refused: expected sha256 {expected}, got "
                f"{digest.hexdigest()}. Nothing was unpacked."
            )
    return len(described.sha256)


def unpack(archive: SealedArchive, folder: Path) -> None:
    """Writes results and what they rest on below `folder`, which is empty. Names were checked before."""
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


def check_run(folder: Path, described: Described, checkout: Checkout) -> RecordedRun:
    """The run unpacked in `folder`.

    Raises ArchiveError, ConfigError or TableError if it is none that we record, or its files are none.
    """
    recorded = read_run(folder / "results" / described.run, checkout.schema)
    config = recorded.config
    if config["release"]["source"] is not None or config["encoder"]["source"] is not None:
        raise ArchiveError(f"{recorded.folder / 'config.yaml'}: refused: it names a path of a machine.")
    told = (config["release"]["version"], config["release"]["sha256"])
    if told != described.release:
        raise ArchiveError(
            f"{recorded.folder / 'config.yaml'}: refused: the release is {' '.join(told)}, and that of the "
            f"metadata {' '.join(described.release)}."
        )
    for path in result_files(recorded):
        if path.suffix == ".parquet" and count_rows(path) > MAX_ROWS:
            raise ArchiveError(f"{path}: refused: more than {MAX_ROWS:,} rows.")
    return recorded


def unlike(described: Described, checkout: Checkout) -> Iterator[str]:
    """What here is other than where the archive was made, one line each."""
    here = versions()
    for name, version in sorted(described.versions.items()):
        if here.get(name) != version:
            yield f"{name} {version} there, {here.get(name, 'none')} here"
    lock = described.sha256.get(checkout.lock_file.name)
    if lock is not None and (
        not checkout.lock_file.is_file() or member("", checkout.lock_file).sha256 != lock
    ):
        yield f"another {checkout.lock_file.name}"
    for name, sha256 in sorted(described.sha256.items()):
        if name == "Snakefile" or name.startswith("workflow/"):
            path = checkout.folder / name
            if not path.is_file() or member("", path).sha256 != sha256:
                yield f"another {name}"
                return


def missing_data(described: Described, recorded: RecordedRun, data: Path) -> str | None:
    """What keeps the run from being derived again with the staged `data`; None if nothing does."""
    if find_spec("snakemake") is None:
        return "Snakemake is not installed: pip install 'bfcl-pipeline[workflow]'"
    version, sha256 = described.release
    stage = f"bfcl-pipeline stage --data {data} --version {version} --sha256 {sha256}"
    if not (data / "release/texts.json").is_file():
        return f"the release is not staged in {data}: {stage}"
    wheels = sorted((data / "release").glob(f"*-{version}-*.whl"))
    if not any(member("", wheel).sha256 == sha256 for wheel in wheels):
        other = sorted(
            name for name, expected in described.staged.items() if not _is(data / name, expected)
        )
        if other or not described.staged:
            return f"{data} holds another release than {version}, or other files of it: {stage}"
    categories = {job.category for job in recorded.run.jobs}
    if "memory_vector" in categories and not (data / "encoder" / encoder.WEIGHTS).is_file():
        return f"the encoder is not staged in {data}: bfcl-pipeline stage --encoder --data {data}"
    return None


def _is(path: Path, sha256: str) -> bool:
    return path.is_file() and member("", path).sha256 == sha256
