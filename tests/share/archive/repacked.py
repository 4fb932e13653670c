"""Changing an archive, with new hashes and a new seal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from urllib.parse import quote

from bfcl_pipeline.runs.archived.members import METADATA, member
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.archived.writing import write_archive


def repack(
    archive: Path,
    out: Path,
    changes: Mapping[str, bytes],
    described: Callable[[bytes], bytes] = lambda metadata: metadata,
    left_out: Collection[str] = (),
) -> Path:
    """Writes `archive` to `out` with changed members; `described` changes the metadata last."""
    with SealedArchive(archive) as opened:
        contents = {name: b"".join(opened.chunks(name)) for name in opened.members if name not in left_out}
    present = set(contents)
    contents.update(
        {name: content for name, content in changes.items() if name in present or _is_new(name)}
    )
    document = json.loads(contents.pop(METADATA))
    gone = {quote(name) for name in left_out}
    graph = {entity["@id"]: entity for entity in document["@graph"] if entity["@id"] not in gone}
    for name, content in contents.items():
        entity = graph.setdefault(quote(name), {"@id": quote(name), "@type": "File"})
        entity.update(sha256=hashlib.sha256(content).hexdigest(), contentSize=str(len(content)))
    graph["./"]["hasPart"] = [{"@id": quote(name)} for name in sorted(contents)]
    document["@graph"] = list(graph.values())
    metadata = described(json.dumps(document).encode())
    write_archive(
        out, [member(METADATA, metadata), *(member(name, contents[name]) for name in sorted(contents))]
    )
    return out


def _is_new(name: str) -> bool:
    """Whether to add a change that has no member; outcomes that the run did not use are not added."""
    return not name.startswith("cache/web/")
