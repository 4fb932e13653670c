"""What the metadata of an archive from anybody says, checked against its members.

Read without ro-crate-py and within bounds. Only what `verify` asks for is taken from it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn
from urllib.parse import unquote

from bfcl_pipeline.archive.bounds import METADATA_BYTES, METADATA_BYTES_EACH, METADATA_BYTES_MOST
from bfcl_pipeline.archive.names import METADATA
from bfcl_pipeline.archive.reading import SealedArchive
from bfcl_pipeline.errors import ArchiveError

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Described:
    """What is said of a run and its files."""

    run: str  # its name
    ended: str  # ISO 8601 in UTC
    sha256: Mapping[str, str]  # of each member but the metadata itself
    versions: Mapping[str, str]  # of software, by name
    release: tuple[str, str]  # of the benchmark: version, sha256
    staged: Mapping[str, str]  # sha256 of staged files, by path below data/
    commit: str  # of the checkout, or `unknown`
    changed: bool  # whether its code was changed since


def metadata_limit(members: int) -> int:
    """How many bytes the metadata of so many members may have."""
    return min(METADATA_BYTES_MOST, METADATA_BYTES + METADATA_BYTES_EACH * members)


def read_described(archive: SealedArchive) -> Described:
    """The metadata. Raises ArchiveError if it cannot be read, or does not name exactly the members."""
    entities = _entities(archive)
    runs = {name.split("/")[1] for name in archive.members if name.startswith("results/")}
    if len(runs) != 1:
        _refuse(archive, f"results of {len(runs)} runs, not of one")
    versions = {
        str(entity.get("name")): str(entity.get("softwareVersion"))
        for name, entity in entities.items()
        if name.startswith("#software-")
    }
    release = _entity(archive, entities, "#release")
    return Described(
        run=runs.pop(),
        ended=str(_entity(archive, entities, "#run").get("endTime")),
        sha256=_hashes(archive, entities),
        versions=versions,
        release=(str(release.get("version")), str(release.get("sha256"))),
        staged={
            name.removeprefix("#data/"): str(entity.get("sha256"))
            for name, entity in entities.items()
            if name.startswith("#data/")
        },
        commit=str(_entity(archive, entities, "#commit").get("value")),
        changed=_entity(archive, entities, "#changed").get("value") == "true",
    )


def _entities(archive: SealedArchive) -> dict[str, Mapping[str, Any]]:
    """The entities by their id."""
    if METADATA not in archive.members:
        _refuse(archive, f"no {METADATA}")
    size, limit = archive.members[METADATA].size, metadata_limit(len(archive.members))
    if size > limit:
        _refuse(archive, f"metadata of {size:,} bytes; that of so many files has less than {limit:,}")
    text = b"".join(archive.chunks(METADATA))
    try:
        document = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        _refuse(archive, f"metadata that is no JSON ({error})")
    graph = document.get("@graph") if isinstance(document, dict) else None
    if not isinstance(graph, list):
        _refuse(archive, "metadata without a @graph")
    entities: dict[str, Mapping[str, Any]] = {}
    for entity in graph:
        name = entity.get("@id") if isinstance(entity, dict) else None
        if not isinstance(name, str) or name in entities:
            _refuse(archive, "metadata with an entity that has no @id, or another's")
        entities[name] = entity
    return entities


def _hashes(archive: SealedArchive, entities: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The sha256 of each member, where files, parts of the whole and members are the same."""
    hashes: dict[str, str] = {}
    for identifier, entity in entities.items():
        kinds = entity.get("@type")
        if "File" not in (kinds if isinstance(kinds, list) else [kinds]):
            continue
        name, sha256 = unquote(identifier), entity.get("sha256")
        if name not in archive.members:
            _refuse(archive, f"{name!r} is in the metadata, and not in the archive")
        if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
            _refuse(archive, f"metadata without a sha256 of {name!r}")
        if entity.get("contentSize") != str(archive.members[name].size):
            _refuse(
                archive, f"{name!r} has {archive.members[name].size:,} bytes, and not what metadata says"
            )
        hashes[name] = sha256
    unlisted = sorted(set(archive.members) - set(hashes) - {METADATA})
    if unlisted:
        _refuse(archive, f"{unlisted[0]!r} is in the archive, and not in the metadata")
    parts = _entity(archive, entities, "./").get("hasPart")
    listed = {unquote(str(part.get("@id"))) for part in parts or () if isinstance(part, dict)}
    if not isinstance(parts, list) or listed != set(hashes):
        _refuse(archive, "metadata whose list of parts is not that of its files")
    return hashes


def _entity(
    archive: SealedArchive, entities: Mapping[str, Mapping[str, Any]], name: str
) -> Mapping[str, Any]:
    if name not in entities:
        _refuse(archive, f"metadata without {name!r}")
    return entities[name]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, in which each name stands once: readers do not agree on what twice means."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name twice in one object")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


def _refuse(archive: SealedArchive, what: str) -> NoReturn:
    raise ArchiveError(f"{archive.path}: refused: {what}. Nothing was unpacked.")
