"""Records on disk: one file each, named by its SHA-256, in the directory `provenance` beside the journals.

A record is written once and never changed, so that jobs on several machines can write to one directory.
"""

import hashlib
import re
from pathlib import Path

from bfcl_pipeline.base.errors import ProvenanceError
from bfcl_pipeline.base.files import read_regular, sync_directory, write_text
from bfcl_pipeline.runs.provenance.document import MOST_BYTES, Provenance, from_content

FOLDER = "provenance"
"""The directory of the records, beside the journals of a model."""

BESIDE_LOG = ".provenance.json"
"""The end of the name of a record beside the log of a job whose model has no journal."""

TEMPLATE_BESIDE_LOG = ".chat_template.json"
"""The same of the chat template of a model's tokenizer, where it writes the prompts."""

SHA256 = re.compile(r"[0-9a-f]{64}")
"""Identifies a record."""


def provenance_path(journals: Path, sha256: str) -> Path:
    """The file of a record. journals: the directory of a model's journals."""
    return journals / FOLDER / f"{sha256}.json"


def provenances_in(journals: Path) -> list[Path]:
    """The files of all records beside the journals of a model, by name."""
    return sorted(path for path in (journals / FOLDER).glob("*.json") if SHA256.fullmatch(path.stem))


def write_provenance(journals: Path, record: Provenance) -> str:
    """Writes the record, unless its file has that content; returns its SHA-256.

    It is on disk when this returns, before a journal names it. Raises OSError.
    """
    content = record.content()
    path = provenance_path(journals, record.sha256)
    if not path.is_file() or path.read_bytes() != content:
        write_text(path, content.decode("ascii"))
        sync_directory(path.parent)
    return record.sha256


def read_provenance(path: Path, *, by_digest: bool = True) -> Provenance:
    """The record in a file that may be from anybody.

    Args:
        path: the file.
        by_digest: its name must be the SHA-256 of its content, as `write_provenance` names it.

    Raises:
        ProvenanceError: it cannot be read, does not have the SHA-256 of its name, or is malformed.
    """
    try:
        content = read_regular(path, MOST_BYTES)
        found = hashlib.sha256(content).hexdigest()
        if by_digest and found != path.stem:
            raise ValueError(f"its content has the SHA-256 {found}, not that of its name")
        return from_content(content)
    except (OSError, ValueError) as error:
        raise ProvenanceError(
            f"{path}: not a record of what made answers ({error}). Restore the file, or delete it: the "
            "answers stay, without that record."
        ) from error
