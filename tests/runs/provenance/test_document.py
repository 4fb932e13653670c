"""Records of what made answers: their form, their digest, and what is refused of a file from anybody."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.base.errors import ProvenanceError
from bfcl_pipeline.runs.provenance import (
    MOST_BYTES,
    provenance_path,
    read_provenance,
    write_provenance,
)
from bfcl_pipeline.runs.provenance.document import from_content
from tests.support.provenance_records import record


def test_a_record_is_found_by_the_digest_of_its_file(tmp_path: Path):
    """Written and read again it is equal; the name of the file is the SHA-256 of its bytes."""
    sha256 = write_provenance(tmp_path, record())
    path = provenance_path(tmp_path, sha256)
    assert sorted(tmp_path.glob("provenance/*.json")) == [path]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    assert read_provenance(path) == record()


def test_equal_records_have_one_file_and_others_their_own(tmp_path: Path):
    """A second writer of a record changes nothing; another version of the server is another record."""
    first = write_provenance(tmp_path, record())
    written = provenance_path(tmp_path, first).stat().st_mtime_ns
    assert write_provenance(tmp_path, record()) == first
    assert provenance_path(tmp_path, first).stat().st_mtime_ns == written
    assert write_provenance(tmp_path, record(vllm="0.32.0")) != first
    assert len(sorted(tmp_path.glob("provenance/*.json"))) == 2


def test_a_damaged_record_is_written_again(tmp_path: Path):
    """A job that makes the same record restores its file."""
    path = provenance_path(tmp_path, write_provenance(tmp_path, record()))
    path.write_bytes(path.read_bytes()[:10])
    write_provenance(tmp_path, record())
    assert read_provenance(path) == record()


def changed(**parts: Any) -> bytes:
    """The canonical form of the record's document with other parts."""
    document = {**json.loads(record().content()), **parts}
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


DOCUMENT = json.loads(record().content())
MACHINE, PIPELINE = DOCUMENT["machine"], DOCUMENT["pipeline"]
REFUSED = {
    "not JSON": b"{",
    "not ASCII": '{"\u00e9":1}'.encode(),
    "deep": b"[" * 60_000,
    "a list": b"[]",
    "an unknown key": changed(host="node7"),
    "an unknown key inside": changed(machine={**MACHINE, "host": "node7"}),
    "a missing key": changed(machine={"system": "Linux"}),
    "a long text": changed(machine={**MACHINE, "processor": "x" * 501}),
    "a number as a text": changed(machine={**MACHINE, "processor": 1}),
    "a commit that is none": changed(pipeline={**PIPELINE, "commit": "main"}),
    "many GPUs": changed(machine={**MACHINE, "gpus": MACHINE["gpus"] * 65}),
    "a fraction": changed(
        machine={**MACHINE, "gpus": [{"name": "x", "memory_bytes": 2.0, "driver": None}]}
    ),
    "not a number": record().content().replace(b"151000000000", b"NaN"),
    "many packages": changed(packages={f"p{number}": "1" for number in range(201)}),
    "too large": changed(packages={"p": "x" * MOST_BYTES}),
    "spaces": json.dumps(DOCUMENT, sort_keys=True).encode(),
    "a name twice": record().content().replace(b'{"machine"', b'{"machine":1,"machine"', 1),
}


@pytest.mark.parametrize("content", REFUSED.values(), ids=REFUSED)
def test_anything_else_is_refused(content: bytes, tmp_path: Path):
    """Even under the name that is its SHA-256."""
    with pytest.raises(ValueError):  # noqa: PT011  # the reasons differ
        from_content(content)
    path = tmp_path / f"{hashlib.sha256(content).hexdigest()}.json"
    path.write_bytes(content)
    with pytest.raises(ProvenanceError, match="not a record of what made answers"):
        read_provenance(path)


def test_a_changed_record_is_refused(tmp_path: Path):
    """A record under the name of another one is not read."""
    path = provenance_path(tmp_path, write_provenance(tmp_path, record()))
    path.write_bytes(record(vllm="0.1.0").content())
    with pytest.raises(ProvenanceError, match="not that of its name"):
        read_provenance(path)
