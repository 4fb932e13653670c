"""The web cache: the recorded outcomes of searches, fetches and API requests, one immutable file each.

`<folder>/ab/cd/<sha256 of the key>.json` holds the key in clear text, the outcome, when and with which
software it was recorded, the name and hash of the cassette beside it, and the sha256 of all that, which is
checked on every read. Threads and processes on several machines may write at the same time: a file is
completed under a temporary name and then linked to its final name, which succeeds for one writer only. No
locks are used. The webs that read and write the cache are in `recording`; the HTTP evidence is `evidence`.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.files import read_regular, write_once
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.executables import ApiAnswer
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure
from bfcl_pipeline.world.web.keys import ApiKey, FetchKey, Key, digest, key_document, read_key

FORMAT = 1
"""The version of the file format."""

Outcome: TypeAlias = Hits | Page | WebFailure | ApiAnswer

LONGEST_BODY = 5_000_000
"""Characters of the longest body of an answer of a web API that is recorded."""

LARGEST_OUTCOME_BYTES = 64_000_000
"""Of an outcome file that is read: a page of ten million characters, all escaped, has 60 MB."""

LARGEST_CASSETTE_BYTES = 150_000_000
"""Of a cassette that is read: 25 pages of results of the largest size, all escaped, have 100 MB."""

_MOST_LINES = 500_000  # of an outcome file: a search with 80,000 results has fewer
_TEXT = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_LINE = re.compile(rb" {0,9}+(?:%b: )?(?:%b|[-\w]{1,20}+|\[\]?|\{\}?|[]}]),?" % (_TEXT, _TEXT))
"""A line of an outcome file has at most one value, so that a short file has few."""

_CASSETTE_NAME = re.compile(r"[0-9a-f]{64}\.[0-9a-f]{12}\.yaml")
_READ_ATTEMPTS = 3  # for a file that another machine has just linked: its absence may still be cached here


@dataclass(frozen=True, slots=True)
class RecordedOutcome:
    """The content of one outcome file."""

    key: Key
    outcome: Outcome
    recorded_at: datetime  # UTC
    engine: str  # the search engine or HTTP client, with its version
    cassette: str | None  # the name of the cassette file in the same directory, if any
    cassette_sha256: str | None


class WebCache:
    """A directory of outcomes, which any number of objects, threads and processes may share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, key: Key) -> Outcome | None:
        """The recorded outcome of `key`; None if there is none. Raises WebError for a damaged file."""
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
        """Records an outcome with its cassette and returns it, or the one that was recorded first.

        Raises WebError if it cannot be written, or if the file that was recorded first is damaged.
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
        content = _written({**document, "sha256": digest(document)})
        try:
            _parse(json.loads(content))
        except ValueError as error:  # a web whose outcome has the wrong type
            raise WebError(f"Cannot record the outcome of the {key}: {error}.") from error
        unused = None if name is None else path.with_name(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if unused is not None and cassette is not None:
                write_once(unused, cassette, siblings(unused))
            if write_once(path, content, siblings(path)):
                unused = None
                return outcome
            first = self._read_first(path)
            if first.cassette == name:  # our link succeeded although it was reported as failed (NFS)
                unused = None
            return first.outcome
        except OSError as error:
            raise WebError(
                f"{path}: cannot record the outcome of the {key} ({error}). The web cache needs a writable "
                "directory with free space, on a file system with hard links."
            ) from error
        finally:
            if unused is not None:
                unused.unlink(missing_ok=True)

    def path(self, key: Key) -> Path:
        """The file of the outcome of `key`, whether it exists or not."""
        name = digest(key_document(key))
        return self.folder / name[:2] / name[2:4] / f"{name}.json"

    def paths(self) -> Iterator[Path]:
        """All outcome files, sorted."""
        yield from sorted(self.folder.glob("??/??/*.json"))

    def unused(self, cassettes: Collection[str]) -> Iterator[Path]:
        """The files that are neither outcomes nor named in `cassettes`, sorted.

        Writers that were stopped leave such files, and outcomes that are deleted.
        """
        for path in sorted(self.folder.glob("??/??/*")):
            if path.suffix != ".json" and path.name not in cassettes:
                yield path

    def read(self, path: Path) -> RecordedOutcome | None:
        """One outcome file; None if it does not exist.

        Raises WebError if it is damaged, was edited, or has another key's name.
        """
        try:
            content = read_regular(path, LARGEST_OUTCOME_BYTES)
            _check_lines(content)
            document = json.loads(content)
            recorded = _parse(document)
            if content != _written(document):
                raise ValueError("the same JSON is written in another way")
            if path != self.path(recorded.key):
                raise ValueError(f"it holds the {recorded.key}, which has another file name")
            if recorded.cassette is not None and not recorded.cassette.startswith(f"{path.stem}."):
                raise ValueError(f"it names {recorded.cassette}, the cassette of another outcome")
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            raise WebError(
                f"{path}: differs from the file that was recorded ({error}). It is not used: restore it "
                "or delete it and record again."
            ) from error
        return recorded

    def read_cassette(self, recorded: RecordedOutcome) -> bytes | None:
        """The cassette of an outcome; None if nothing was sent for it.

        Raises FileNotFoundError if it is not there, WebError if it differs from the recorded one.
        """
        if recorded.cassette is None:
            return None
        path = self.path(recorded.key).with_name(recorded.cassette)
        try:
            content = read_regular(path, LARGEST_CASSETTE_BYTES)
        except FileNotFoundError:
            raise
        except (OSError, ValueError) as error:
            raise WebError(f"{path}: cannot read the cassette ({error}).") from error
        if hashlib.sha256(content).hexdigest() != recorded.cassette_sha256:
            raise WebError(
                f"{path}: the cassette differs from the recorded one. Its outcome is not affected."
            )
        return content

    def _read_first(self, path: Path) -> RecordedOutcome:
        for _ in range(_READ_ATTEMPTS):
            recorded = self.read(path)
            if recorded is not None:
                return recorded
            list(path.parent.iterdir())  # makes a network file system refresh its cache
        raise WebError(
            f"{path}: existed a moment ago and is missing now. Leave the web cache alone while it is used."
        )


def outcome_document(outcome: Outcome) -> dict[str, Json]:
    """An outcome as JSON, as an outcome file holds it."""
    match outcome:
        case Hits(hits):
            entries = [{"title": hit.title, "href": hit.href, "body": hit.body} for hit in hits]
            return {"kind": "hits", "hits": entries}
        case Page(text):
            return {"kind": "page", "text": text}
        case WebFailure(message):
            return {"kind": "failure", "message": message}
        case ApiAnswer(status, body):
            return {"kind": "answer", "status": status, "body": body}


def _written(document: Json) -> bytes:
    """The bytes of an outcome file: JSON is written in one way only, so that any changed byte is found."""
    return json.dumps(document, indent=1).encode("ascii") + b"\n"


def _check_lines(content: bytes) -> None:
    """Raises ValueError for JSON in another form, which could need gigabytes when it is parsed."""
    if content.count(b"\n") > _MOST_LINES:
        raise ValueError(f"more than {_MOST_LINES:,} lines")
    for number, line in enumerate(content.removesuffix(b"\n").split(b"\n"), start=1):
        if not _LINE.fullmatch(line):
            raise ValueError(f"line {number:,} has another form")


def _read_outcome(document: Json) -> Outcome:
    match document:
        case {"kind": "hits", "hits": list(hits), **rest} if not rest:
            return Hits(tuple(_read_hit(hit) for hit in hits))
        case {"kind": "page", "text": str(text), **rest} if not rest:
            return Page(text)
        case {"kind": "failure", "message": str(message), **rest} if not rest:
            return WebFailure(message)
        case {"kind": "answer", "status": int(status), "body": str(body), **rest} if not rest:
            if not 100 <= status <= 999 or isinstance(status, bool) or len(body) > LONGEST_BODY:
                raise ValueError("its answer has no HTTP status, or is too long")
            return ApiAnswer(status, body)
    raise ValueError("its outcome is not hits, a page, an answer or a failure")


def _read_hit(document: Json) -> Hit:
    match document:
        case {"title": str(title), "href": str(href), "body": str(body), **rest} if not rest:
            return Hit(title, href, body)
    raise ValueError("a hit does not consist of title, href and body as text")


def _parse(document: Json) -> RecordedOutcome:
    """The content of an outcome file. Raises ValueError."""
    if not isinstance(document, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004  # callers expect one error type
    if document.get("format") != FORMAT:
        raise ValueError(f"expected format {FORMAT}, got {document.get('format')!r}")
    content = {name: value for name, value in document.items() if name != "sha256"}
    if document.get("sha256") != digest(content):
        raise ValueError("its sha256 does not match its content")
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
    if cassette is not None and not _CASSETTE_NAME.fullmatch(cassette):
        raise ValueError(f"the name of its cassette is {cassette[:120]!r}")
    if (cassette is None) != (sha256 is None):
        raise ValueError("it has a cassette without a sha256, or a sha256 without a cassette")
    recorded_at = datetime.fromisoformat(time)
    if recorded_at.tzinfo is None:
        raise ValueError(f"its time {time[:120]!r} has no time zone")
    if not isinstance(outcome, _kinds(key)):
        raise ValueError(f"the outcome of a {key} cannot be {type(outcome).__name__}")  # noqa: TRY004
    return RecordedOutcome(key, outcome, recorded_at, engine, cassette, sha256)


def _kinds(key: Key) -> tuple[type[Outcome], ...]:
    """The kinds of outcome that a key can have."""
    if isinstance(key, ApiKey):
        return (ApiAnswer,)
    return (Page if isinstance(key, FetchKey) else Hits, WebFailure)


def siblings(path: Path) -> str:
    """A glob pattern of the temporary files of writers of the same outcome."""
    return f".{path.name.partition('.')[0]}.*.tmp"
