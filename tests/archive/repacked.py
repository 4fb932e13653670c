"""An archive changed by somebody who makes its hashes and its seal anew."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

from bfcl_pipeline.archive.members import member
from bfcl_pipeline.archive.names import METADATA
from bfcl_pipeline.archive.reading import SealedArchive
from bfcl_pipeline.archive.writing import write_archive


def repack(
    archive: Path,
    out: Path,
    changes: Mapping[str, bytes],
    described: Callable[[bytes], bytes] = lambda metadata: metadata,
) -> Path:
    """Writes `archive` to `out` with other contents of members; `described` changes the metadata last."""
    with SealedArchive(archive) as opened:
        held = {name: b"".join(opened.chunks(name)) for name in opened.members}
    known = set(held)
    held.update({name: content for name, content in changes.items() if name in known or _is_new(name)})
    document = json.loads(held.pop(METADATA))
    graph = {entity["@id"]: entity for entity in document["@graph"]}
    for name, content in held.items():
        entity = graph.setdefault(quote(name), {"@id": quote(name), "@type": "File"})
        entity.update(sha256=hashlib.sha256(content).hexdigest(), contentSize=str(len(content)))
    graph["./"]["hasPart"] = [{"@id": quote(name)} for name in sorted(held)]
    document["@graph"] = list(graph.values())
    metadata = described(json.dumps(document).encode())
    write_archive(out, [member(METADATA, metadata), *(member(name, held[name]) for name in sorted(held))])
    return out


def _is_new(name: str) -> bool:
    """Whether a change that no member has is one to add; outcomes that the run did not use are not."""
    return not name.startswith("cache/web/")
