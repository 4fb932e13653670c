"""Records of the web for tests: made by recorders, packed, and compared file by file."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from bfcl_pipeline.runs.archived.members import METADATA, member
from bfcl_pipeline.runs.archived.writing import write_archive
from bfcl_pipeline.world.web.cache import Outcome, WebCache
from bfcl_pipeline.world.web.keys import Key

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)


def add(
    cache: WebCache, key: Key, outcome: Outcome, minute: int = 0, cassette: bytes | None = b"{}\n"
) -> None:
    """Records an outcome `minute` minutes after noon."""
    time = NOON + timedelta(minutes=minute)
    cache.add(key, outcome, engine="test 1", recorded_at=time, cassette=cassette)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by its name."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def zipped(folder: Path, out: Path, prefix: str = "") -> Path:
    """A plain zip file of a folder."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in tree(folder).items():
            archive.writestr(f"{prefix}{name}", content)
    return out


def tarred(folder: Path, out: Path, prefix: str = "") -> Path:
    """A plain tar.gz file of a folder."""
    with tarfile.open(out, "w:gz") as archive:
        archive.add(folder, prefix or ".")
    return out


def tar_of(out: Path, *members: tuple[tarfile.TarInfo, bytes], packed: bool = True) -> Path:
    """A tar file with the given headers and contents."""
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content))
    out.write_bytes(gzip.compress(body.getvalue()) if packed else body.getvalue())
    return out


def crate(folder: Path, out: Path, changes: Mapping[str, bytes] | None = None) -> Path:
    """A sealed archive of a run with the web cache at `folder`. changes: contents that differ from it."""
    contents = {f"cache/web/{name}": content for name, content in tree(folder).items()}
    contents["results/small/config.yaml"] = b"{}\n"
    files = [
        {
            "@id": quote(name),
            "@type": "File",
            "sha256": hashlib.sha256(content).hexdigest(),
            "contentSize": str(len(content)),
        }
        for name, content in contents.items()
    ]
    graph: list[dict[str, object]] = [
        {"@id": "./", "hasPart": [{"@id": file["@id"]} for file in files]},
        {"@id": "#run", "endTime": "2026-10-01T12:00:00Z"},
        {"@id": "#release", "version": "1", "sha256": "0" * 64},
        {"@id": "#commit", "value": "unknown"},
        {"@id": "#changed", "value": "false"},
        {"@id": "#form", "value": "1"},
        *files,
    ]
    contents |= changes or {}
    described = json.dumps({"@graph": graph}).encode()
    members = [member(name, contents[name]) for name in sorted(contents)]
    write_archive(out, [member(METADATA, described), *members])
    return out
