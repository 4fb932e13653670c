"""The files of an archive that comparisons of runs need, without deriving them again.

Covers the checks that need only the file: its seal, its structure, the sha256 of each file that is
extracted, and the sizes of config and tables. Whether the verdicts follow from the recorded answers is what
`archive.verify` finds out.
"""

import hashlib
from pathlib import Path

from bfcl_pipeline.archive.crate_metadata import CrateMetadata, read_metadata
from bfcl_pipeline.archive.reading import SealedArchive
from bfcl_pipeline.archive.table_size import check_table_size
from bfcl_pipeline.archive.vectors import MAX_BYTES, unpack_vectors
from bfcl_pipeline.archive.vectors import NAME as VECTORS
from bfcl_pipeline.errors import ArchiveError
from bfcl_pipeline.yaml_reader import read_yaml_file

_OF_RUN = ("results/", "cache/")
"""Where the members of a run are that is replayed."""


def extract_verdicts(file: Path, folder: Path) -> Path:
    """Extracts the verdicts of an archive, its config and its responses.

    Args:
        file: the archive.
        folder: an empty directory.

    Returns:
        The directory of the run below `folder`, which has the name of the run.

    Raises:
        ArchiveError: the archive is damaged, malformed or too large.
        ConfigError: its config is not plain YAML.
        TableError: a table cannot be read.
    """
    with SealedArchive(file) as archive:
        metadata = read_metadata(archive)
        for name in filter(_is_needed, archive.members):
            _check(_extracted(archive, metadata, name, folder))
    return folder / "results" / metadata.run


def extract_run(file: Path, folder: Path) -> CrateMetadata:
    """Extracts the results of an archive, its journals, its web cache and its embeddings.

    Args:
        file: the archive.
        folder: an empty directory, which gets `results/` and `cache/`.

    Returns:
        The metadata of the archive.

    Raises:
        ArchiveError: the archive is damaged, malformed or too large.
        ConfigError: its config is not plain YAML.
        TableError: a table cannot be read.
    """
    with SealedArchive(file) as archive:
        metadata = read_metadata(archive)
        for name in archive.members:
            if name == VECTORS:
                if archive.members[name].size > MAX_BYTES:
                    raise ArchiveError(f"{file}, member {name!r}: refused: more than {MAX_BYTES:,} bytes.")
                path = _extracted(archive, metadata, name, folder)
                unpack_vectors(path.read_bytes(), folder / "cache/encoder")
            elif name.startswith(_OF_RUN):
                path = _extracted(archive, metadata, name, folder)
                if path.suffix in (".parquet", ".yaml") and name.startswith("results/"):
                    _check(path)
    (folder / "cache").mkdir(exist_ok=True)
    return metadata


def _extracted(archive: SealedArchive, metadata: CrateMetadata, name: str, folder: Path) -> Path:
    """The path of a member that was written below `folder`. Raises ArchiveError for another sha256."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with path.open("xb") as out:
        for chunk in archive.chunks(name):
            digest.update(chunk)
            out.write(chunk)
    if digest.hexdigest() != metadata.sha256[name]:
        raise ArchiveError(
            f"{archive.path}, member {name!r}: refused: expected sha256 {metadata.sha256[name]}, got "
            f"{digest.hexdigest()}."
        )
    return path


def _check(path: Path) -> None:
    """Checks the size of a table, and that a config is plain YAML."""
    if path.suffix == ".parquet":
        check_table_size(path)
    else:
        read_yaml_file(path)


def _is_needed(name: str) -> bool:
    parts = name.split("/")
    if len(parts) < 3 or parts[0] != "results":
        return False
    match parts[2:]:
        case ["config.yaml"]:
            return True
        case ["verdicts", table] | ["responses", _, table]:
            return table.endswith(".parquet")
    return False
