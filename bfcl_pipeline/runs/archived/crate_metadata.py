"""Reading the metadata of an untrusted archive, and checking it against the members.

Read within bounds and without ro-crate-py. Only the fields that `verify` needs are read.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn
from urllib.parse import unquote

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.base.strict_json import read_strictly
from bfcl_pipeline.benchmark.config.run_form import FORM_KEY, form_refusal
from bfcl_pipeline.runs.archived.members import (
    METADATA,
    METADATA_BYTES,
    METADATA_BYTES_EACH,
    METADATA_BYTES_MOST,
)
from bfcl_pipeline.runs.archived.reading import SealedArchive

_SHA256 = re.compile(r"[0-9a-f]{64}")
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+!_-]{0,99}")
_HEX = re.compile(r"[0-9a-f]{7,64}")
_COMMIT = re.compile(rf"{_HEX.pattern}|unknown")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,15}(?:Z|[+-][0-9:]{4,6})?")
_SOFTWARE = re.compile(r"[a-z][a-z0-9-]{0,49}")
_FORM = re.compile(r"[0-9]{1,9}")
_STAGED = re.compile(r"(?:release|entries|encoder)(?:/(?!\.)[0-9A-Za-z._-]{1,200}){1,3}")


@dataclass(frozen=True, slots=True)
class CrateMetadata:
    """The metadata of a run and its files."""

    run: str  # name of the run
    ended: str  # ISO 8601 in UTC
    sha256: Mapping[str, str]  # of each member except the metadata itself
    versions: Mapping[str, str]  # of software, by name
    release: tuple[str, str]  # of the benchmark: version, sha256
    staged: Mapping[str, str]  # sha256 of staged files, by path below data/
    commit: str  # of the checkout, or `unknown`
    changed: bool  # whether its code had local changes


def metadata_limit(members: int) -> int:
    """The largest size of the metadata of this number of members, in bytes."""
    return min(METADATA_BYTES_MOST, METADATA_BYTES + METADATA_BYTES_EACH * members)


def read_metadata(archive: SealedArchive) -> CrateMetadata:
    """The metadata.

    Raises ArchiveError if it is of another form, is malformed, or does not list exactly the members.
    """
    entities = _entities(archive)
    _check_form(archive, entities)
    runs = {name.split("/")[1] for name in archive.members if name.startswith("results/")}
    if len(runs) != 1:
        _refuse(archive, f"results of {len(runs)} runs, not of one")
    software = [entity for entity in entities.values() if entity.get("@type") == "SoftwareApplication"]
    release = _entity(archive, entities, "#release")
    hashes = _hashes(archive, entities)
    staged = {
        name.removeprefix("#data/"): entity
        for name, entity in entities.items()
        if name.startswith("#data/")
    }
    if not all(map(_STAGED.fullmatch, staged)):
        _refuse(archive, "metadata with a staged file that is not below release/, entries/ or encoder/")
    return CrateMetadata(
        run=runs.pop(),
        ended=_text(archive, _entity(archive, entities, "#run"), "endTime", _TIME),
        sha256=hashes,
        versions={
            _text(archive, entity, "name", _SOFTWARE): _text(archive, entity, "softwareVersion", _VERSION)
            for entity in software
        },
        release=(
            _text(archive, release, "version", _VERSION),
            _text(archive, release, "sha256", _SHA256),
        ),
        staged={name: _text(archive, entity, "sha256", _SHA256) for name, entity in staged.items()},
        commit=_text(archive, _entity(archive, entities, "#commit"), "value", _COMMIT),
        changed=_entity(archive, entities, "#changed").get("value") == "true",
    )


def _check_form(archive: SealedArchive, entities: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuses an archive of another form before anything else that it may hold in another way."""
    value = entities.get(f"#{FORM_KEY}", {}).get("value")
    number = int(value) if isinstance(value, str) and _FORM.fullmatch(value) else value
    commit = str(entities.get("#commit", {}).get("value"))
    if refusal := form_refusal(number, f" (commit {commit})" if _HEX.fullmatch(commit) else ""):
        _refuse(archive, f"it {refusal}")


def _text(archive: SealedArchive, entity: Mapping[str, Any], field: str, form: re.Pattern[str]) -> str:
    """A field that `verify` prints or uses in paths and commands: it must have its form."""
    value = entity.get(field)
    if not isinstance(value, str) or not form.fullmatch(value):
        name = str(entity.get("@id"))[:80]
        _refuse(archive, f"metadata whose {field} of {name!r} is {str(value)[:80]!r}")
    return value


def _entities(archive: SealedArchive) -> dict[str, Mapping[str, Any]]:
    """The entities by id."""
    if METADATA not in archive.members:
        _refuse(archive, f"no {METADATA}")
    size, limit = archive.members[METADATA].size, metadata_limit(len(archive.members))
    if size > limit:
        _refuse(archive, f"metadata of {size:,} bytes; for this number of files at most {limit:,}")
    text = b"".join(archive.chunks(METADATA))
    try:
        document = read_strictly(text)
    except ValueError as error:
        _refuse(archive, f"metadata that is not JSON ({error})")
    graph = document.get("@graph") if isinstance(document, dict) else None
    if not isinstance(graph, list):
        _refuse(archive, "metadata without a @graph")
    entities: dict[str, Mapping[str, Any]] = {}
    for entity in graph:
        name = entity.get("@id") if isinstance(entity, dict) else None
        if not isinstance(name, str) or name in entities:
            _refuse(archive, "metadata with an entity without @id, or with a duplicate one")
        entities[name] = entity
    return entities


def _hashes(archive: SealedArchive, entities: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The sha256 of each member; checks that files in the metadata, parts of the root and members agree."""
    hashes: dict[str, str] = {}
    for identifier, entity in entities.items():
        kinds = entity.get("@type")
        if "File" not in (kinds if isinstance(kinds, list) else [kinds]):
            continue
        name, sha256 = unquote(identifier), entity.get("sha256")
        if name not in archive.members:
            _refuse(archive, f"{name!r} is in the metadata but not in the archive")
        if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
            _refuse(archive, f"metadata without a sha256 of {name!r}")
        if entity.get("contentSize") != str(archive.members[name].size):
            _refuse(archive, f"{name!r} does not have the size that the metadata declares")
        hashes[name] = sha256
    unlisted = sorted(set(archive.members) - set(hashes) - {METADATA})
    if unlisted:
        _refuse(archive, f"{unlisted[0]!r} is in the archive but not in the metadata")
    parts = _entity(archive, entities, "./").get("hasPart")
    listed = {unquote(str(part.get("@id"))) for part in parts or () if isinstance(part, dict)}
    if not isinstance(parts, list) or listed != set(hashes):
        _refuse(archive, "metadata with a list of parts that differs from its files")
    return hashes


def _entity(
    archive: SealedArchive, entities: Mapping[str, Mapping[str, Any]], name: str
) -> Mapping[str, Any]:
    if name not in entities:
        _refuse(archive, f"metadata without {name!r}")
    return entities[name]


def _refuse(archive: SealedArchive, what: str) -> NoReturn:
    raise ArchiveError(f"{archive.path}: refused: {what}. Nothing was unpacked.")
