"""The record of web outcomes: one file per search or page, written once, checked whenever it is read.

`<folder>/ab/cd/<sha256 of the key>.json` holds the key in clear, the outcome, when and by what it was
recorded, the name and hash of the cassette beside it, and the sha256 of all that. Many threads and
processes on many machines may write: a file is finished under another name and then linked to its own,
which a file system grants to one of them; no locks. Who asks the web is `recorded`, what was sent over
the wire is `cassette`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from bfcl_pipeline.errors import WebError
from bfcl_pipeline.ownership import clear_temporaries, temporary_path
from bfcl_pipeline.records import Json
from bfcl_pipeline.tools.web import Failure, Hit, Hits, Page
from bfcl_pipeline.web.keys import FetchKey, Key, digest, key_document, read_key

FORMAT = 1
"""The version of the files' form."""

Outcome: TypeAlias = Hits | Page | Failure

_LOOKS = 3  # for a file that another machine has just linked: its absence may still be cached here


@dataclass(frozen=True, slots=True)
class Recorded:
    """What one file of the record says."""

    key: Key
    outcome: Outcome
    recorded_at: datetime  # UTC
    engine: str  # what was asked, with its version
    cassette: str | None  # the file of its HTTP, beside it; None if there was none
    cassette_sha256: str | None


class Record:
    """A folder of outcomes. Any number of objects, threads and processes may use the same one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, key: Key) -> Outcome | None:
        """What is recorded for `key`; None if nothing is. Raises WebError for a damaged file."""
        recorded = self.read(self.path(key))
        return None if recorded is None else recorded.outcome

    def add(
        self,
        key: Key,
        outcome: Outcome,
        *,
        engine: str,
        recorded_at: datetime,
        cassette: bytes | None = None,
    ) -> Outcome:
        """Records an outcome with its evidence and returns it, or the one that was recorded first.

        Raises WebError if it cannot be written, or if what stands in its place is damaged.
        """
        path = self.path(key)
        name = f"{path.stem}.{uuid.uuid4().hex[:12]}.yaml" if cassette is not None else None
        document = {
            "format": FORMAT,
            "key": key_document(key),
            "outcome": outcome_document(outcome),
            "recorded_at": recorded_at.astimezone(UTC).isoformat(),
            "engine": engine,
            "cassette": name,
            "cassette_sha256": None if cassette is None else hashlib.sha256(cassette).hexdigest(),
        }
        text = json.dumps({**document, "sha256": digest(document)}, indent=1) + "\n"
        try:
            _parse(json.loads(text))
        except ValueError as error:  # a web that answers with something else than it promises
            raise WebError(f"The outcome of the {key} cannot be recorded: {error}.") from error
        evidence = None if name is None else path.with_name(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if evidence is not None and cassette is not None:
                _write_new(evidence, cassette)
            if _write_new(path, text.encode("ascii")):
                evidence = None  # it stays
                return outcome
            first = self._read_first(path)
            if first.cassette == name:  # the link was ours after all, as can be over NFS
                evidence = None
            return first.outcome
        except OSError as error:
            raise WebError(
                f"{path}: the outcome of the {key} cannot be recorded ({error}). The record needs a folder "
                "with space that may be written, on a file system with hard links."
            ) from error
        finally:
            if evidence is not None:
                evidence.unlink(missing_ok=True)

    def path(self, key: Key) -> Path:
        """Where the outcome of `key` stands, or would."""
        name = digest(key_document(key))
        return self.folder / name[:2] / name[2:4] / f"{name}.json"

    def paths(self) -> Iterator[Path]:
        """All files of outcomes, in order."""
        yield from sorted(self.folder.glob("??/??/*.json"))

    def read(self, path: Path) -> Recorded | None:
        """One file of the record; None if it is not there.

        Raises WebError if it is damaged, was edited, or stands in another key's place.
        """
        try:
            recorded = _parse(json.loads(path.read_bytes()))
            if path != self.path(recorded.key):
                raise ValueError(f"it holds the {recorded.key}, which belongs elsewhere")
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            raise WebError(
                f"{path}: not as it was recorded ({error}). It is not used: put it back as it was, or "
                "delete it and record again."
            ) from error
        return recorded

    def _read_first(self, path: Path) -> Recorded:
        for _ in range(_LOOKS):
            recorded = self.read(path)
            if recorded is not None:
                return recorded
            list(path.parent.iterdir())  # has a network file system look again
        raise WebError(
            f"{path}: was there a moment ago and is gone. Leave the record alone while it is used."
        )


def outcome_document(outcome: Outcome) -> dict[str, Json]:
    """An outcome as it stands in a file."""
    match outcome:
        case Hits(hits):
            found = [{"title": hit.title, "href": hit.href, "body": hit.body} for hit in hits]
            return {"kind": "hits", "hits": found}
        case Page(text):
            return {"kind": "page", "text": text}
        case Failure(message):
            return {"kind": "failure", "message": message}


def _read_outcome(document: Json) -> Outcome:
    match document:
        case {"kind": "hits", "hits": list(hits), **rest} if not rest:
            return Hits(tuple(_read_hit(hit) for hit in hits))
        case {"kind": "page", "text": str(text), **rest} if not rest:
            return Page(text)
        case {"kind": "failure", "message": str(message), **rest} if not rest:
            return Failure(message)
    raise ValueError("its outcome is neither hits nor a page nor a failure")


def _read_hit(document: Json) -> Hit:
    match document:
        case {"title": str(title), "href": str(href), "body": str(body), **rest} if not rest:
            return Hit(title, href, body)
    raise ValueError("a hit is not title, href and body as text")


def _parse(document: Json) -> Recorded:
    """What a file says. Raises ValueError."""
    if not isinstance(document, dict):
        raise ValueError("no JSON object")  # noqa: TRY004  # the one kind of error of a file
    if document.get("format") != FORMAT:
        raise ValueError(f"expected format {FORMAT}, got {document.get('format')!r}")
    content = {name: value for name, value in document.items() if name != "sha256"}
    if document.get("sha256") != digest(content):
        raise ValueError("its sha256 is not that of its content")
    match content:
        case {
            "key": written,
            "outcome": answer,
            "recorded_at": str(time),
            "engine": str(engine),
            "cassette": str() | None as cassette,
            "cassette_sha256": str() | None as sha256,
        }:
            key, outcome = read_key(written), _read_outcome(answer)
        case _:
            raise ValueError("a field is missing")
    if isinstance(outcome, Hits if isinstance(key, FetchKey) else Page):
        raise ValueError(f"the outcome of a {key} cannot be {type(outcome).__name__}")  # noqa: TRY004
    return Recorded(key, outcome, datetime.fromisoformat(time), engine, cassette, sha256)


def _write_new(path: Path, content: bytes) -> bool:
    """Writes a file that is whole or not there. Returns False, changing nothing, if there is one.

    What writers of the same outcome have left that were killed is cleared away.
    """
    temporary = temporary_path(path)
    outcome, _, _ = path.name.partition(".")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            now = os.fstat(file.fileno()).st_mtime
        clear_temporaries(path.parent.glob(f".{outcome}.*.tmp"), now)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)
    return True


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # not every file system can; the file itself is on the disk
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
