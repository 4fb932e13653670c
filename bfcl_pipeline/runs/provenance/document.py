"""The record of what made an answer, its form as JSON, and its file.

A record is identified by the SHA-256 of its canonical JSON: ASCII, names sorted, no spaces. So two records
are equal if and only if their digests are. Records that come from an archive are read against a schema with
bounds on every text, list and mapping. Each has a file named by its SHA-256, in the directory `provenance`
beside the journals, which is written once and never changed, so that jobs on several machines can write to
one directory.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from bfcl_pipeline.base.errors import ProvenanceError
from bfcl_pipeline.base.files import read_regular, sync_directory, write_text
from bfcl_pipeline.base.strict_json import canonical

MOST_BYTES = 64 * 1024
"""The canonical JSON of a record has at most this many bytes."""

MOST_TEXT = 500
"""Characters of a text in a record, at most."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU."""

    name: str
    memory_bytes: int | None
    driver: str | None  # version


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The code of this project that asked."""

    version: str
    commit: str | None  # of git; None if it is not known
    changed: bool  # whether the code differs from that commit


@dataclass(frozen=True, slots=True)
class MachineRecord:
    """The machine of the job, without its name and that of its user."""

    system: str  # operating system, architecture and C library: Linux x86_64, glibc 2.36
    processor: str  # name
    gpus: tuple[Gpu, ...] = ()
    image: str | None = None  # the container's name and version; None outside a container


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """What identifies the model."""

    weights: str | None = None  # sha256:... of its files, commit:... on the hub, or unknown
    revision: str | None = None  # branch, tag or commit that its row names
    files: Mapping[str, str] = field(default_factory=dict)  # sha256 of each file in its directory
    template: str | None = None  # sha256:... of what makes its prompts


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """The server that answered, as far as it says or its start is known."""

    kind: str  # vllm, llama.cpp
    version: str | None  # as it reports
    packages: Mapping[str, str] = field(default_factory=dict)  # in its Python environment
    command: tuple[str, ...] = ()  # without directories, address and port
    environment: Mapping[str, str] = field(default_factory=dict)  # variables that may change answers
    gpus: tuple[Gpu, ...] = ()  # of its machine


@dataclass(frozen=True, slots=True)
class Provenance:
    """What made an answer."""

    pipeline: Pipeline
    packages: Mapping[str, str]  # versions in the job's Python environment, `python` among them
    machine: MachineRecord
    model: ModelFiles
    server: ServerRecord | None = None  # None for a model in the job's process, and for an API of others

    def content(self) -> bytes:
        """The canonical JSON."""
        return canonical(asdict(self))

    @property
    def sha256(self) -> str:
        """Identifies the record."""
        return hashlib.sha256(self.content()).hexdigest()


def from_content(content: bytes) -> Provenance:
    """The record in canonical JSON. Raises ValueError, with a reason, for anything else."""
    if len(content) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES:,} bytes")
    try:
        document = json.loads(content.decode("ascii"), parse_float=_refuse, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    problem = next(_validator().iter_errors(document), None)
    if problem is not None:
        place = "/".join(map(str, problem.absolute_path)) or "the whole"
        raise ValueError(f"{place}: {problem.message[:200]}")
    record = from_document(document)
    if record.content() != content:
        raise ValueError("not in canonical form")
    return record


def server_record(document: Any) -> ServerRecord:
    """The server in its JSON form. Raises ValueError if it does not have that form."""
    problem = next(_validator("server").iter_errors(document), None)
    if problem is not None or document is None:
        raise ValueError("not the record of a server" if problem is None else problem.message[:200])
    return _server(document)


def _refuse(number: str) -> NoReturn:
    raise ValueError(f"{number[:20]} is not a whole number")


def from_document(document: dict[str, Any]) -> Provenance:
    """The record with these fields, as `asdict` writes them; they are not checked."""
    machine, server = document["machine"], document["server"]
    return Provenance(
        Pipeline(**document["pipeline"]),
        document["packages"],
        MachineRecord(**{**machine, "gpus": _gpus(machine["gpus"])}),
        ModelFiles(**document["model"]),
        None if server is None else _server(server),
    )


def _server(document: dict[str, Any]) -> ServerRecord:
    return ServerRecord(
        **{**document, "command": tuple(document["command"]), "gpus": _gpus(document["gpus"])}
    )


def _gpus(documents: list[dict[str, Any]]) -> tuple[Gpu, ...]:
    return tuple(Gpu(**one) for one in documents)


@cache
def _validator(part: str | None = None) -> Any:
    """Of a whole record, or of a part of it."""
    from jsonschema import Draft202012Validator  # slow

    return Draft202012Validator(_SCHEMA if part is None else _SCHEMA["properties"][part])


def _object(optional: bool = False, **properties: Any) -> dict[str, Any]:
    """The schema of an object with exactly these properties; `optional`: or null."""
    return {
        "type": ["object", "null"] if optional else "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT = {"type": "string", "maxLength": MOST_TEXT}
_TEXT_OR_NONE = {**_TEXT, "type": ["string", "null"]}
_SHA256 = {"type": "string", "pattern": "^[0-9a-f]{64}\\Z"}
_TEXTS = {
    "type": "object",
    "maxProperties": 200,
    "propertyNames": {"maxLength": 200},
    "additionalProperties": _TEXT,
}
_GPUS = {
    "type": "array",
    "maxItems": 64,
    "items": _object(
        name=_TEXT,
        memory_bytes={"type": ["integer", "null"], "minimum": 0, "maximum": 2**50},
        driver=_TEXT_OR_NONE,
    ),
}
_SCHEMA: dict[str, Any] = _object(
    pipeline=_object(
        version=_TEXT,
        commit={"type": ["string", "null"], "pattern": "^[0-9a-f]{7,64}\\Z"},
        changed={"type": "boolean"},
    ),
    packages=_TEXTS,
    machine=_object(system=_TEXT, processor=_TEXT, gpus=_GPUS, image=_TEXT_OR_NONE),
    model=_object(
        weights=_TEXT_OR_NONE,
        revision=_TEXT_OR_NONE,
        files={**_TEXTS, "maxProperties": 500, "additionalProperties": _SHA256},
        template=_TEXT_OR_NONE,
    ),
    server=_object(
        optional=True,
        kind=_TEXT,
        version=_TEXT_OR_NONE,
        packages=_TEXTS,
        command={"type": "array", "maxItems": 200, "items": _TEXT},
        environment=_TEXTS,
        gpus=_GPUS,
    ),
)


FOLDER = "provenance"
"""The directory of the records, beside the journals of a model."""

BESIDE_LOG = ".provenance.json"
"""The end of the name of a record beside the log of a job whose model has no journal."""

TEMPLATE_BESIDE_LOG = ".chat_template.json"
"""The same of the chat template of a model's tokenizer, where it writes the prompts."""


def provenance_path(journals: Path, sha256: str) -> Path:
    """The file of a record. journals: the directory of a model's journals."""
    return journals / FOLDER / f"{sha256}.json"


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
