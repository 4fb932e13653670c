"""The files of a record, a web cache that may come from somebody else: listed, read, put into a web cache.

Only regular files with the names that `cache` gives are read, within bounds; links and devices with such
names are refused, and everything else is counted and left alone. Whether an outcome follows from its
cassette is what `check` finds out.

Outcomes are put into a web cache byte for byte. One is added as a recorder adds it: its cassette first,
then the outcome, which is linked to its final name and never overwrites. It is replaced in one step, after
the new cassette is there; the old cassette is deleted last. A reader therefore sees one whole outcome or
the other, and what a killed process leaves is at most a cassette that no outcome names.
"""

import hashlib
import re
import stat
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.files import atomic_path, files_below, sync_directory, write_once
from bfcl_pipeline.base.text import cut, on_one_line, plural, printable
from bfcl_pipeline.world.executables import ApiAnswer
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import (
    LARGEST_CASSETTE_BYTES,
    LARGEST_OUTCOME_BYTES,
    Outcome,
    RecordedOutcome,
    WebCache,
    outcome_document,
    siblings,
)
from bfcl_pipeline.world.web.keys import Key, digest

NAME = re.compile(
    r"(?P<a>[0-9a-f]{2})/(?P<b>[0-9a-f]{2})/"
    r"(?P<key>(?P=a)(?P=b)[0-9a-f]{60})(?:\.json|\.[0-9a-f]{12}\.yaml)"
)
"""The path of an outcome or a cassette within a web cache."""

_SHOWN = 120  # characters of a text of the web in a line

_DIRECTORY = re.compile(r"[0-9a-f]{2}")


@dataclass(slots=True)
class RecordFiles:
    """What a folder with a web cache contains."""

    folder: Path
    outcomes: list[Path] = field(default_factory=list)  # sorted
    cassettes: set[Path] = field(default_factory=set)
    others: int = 0  # files and folders with other names, which are not read
    refused: list[str] = field(default_factory=list)  # one line each: not a file, or too large


@dataclass(frozen=True, slots=True)
class OutcomeFile:
    """One outcome of a record as it was read, without its content, which is read again when needed."""

    path: Path
    sha256: str  # of the bytes of the file
    key: Key
    outcome_sha256: str  # equal for equal outcomes
    what: str  # the outcome in a few words, printable
    recorded_at: datetime
    engine: str
    cassette: Path | None  # None: nothing was sent, or the record lacks the cassette
    cassette_sha256: str | None
    lacks_cassette: bool = False  # whether it names a cassette that the record lacks

    @property
    def recording(self) -> str:
        """When and what, for a line of a list."""
        return f"{self.recorded_at.isoformat(' ', 'minutes')}, {self.what}"


@dataclass(frozen=True, slots=True)
class ReadOutcome:
    """One outcome of a record with its content."""

    file: OutcomeFile
    recorded: RecordedOutcome
    content: bytes  # of its file
    cassette: bytes | None  # the content of its cassette; None: it has none, or the record lacks it


def list_record(folder: Path) -> RecordFiles:
    """The files of the web cache at `folder`; nothing if it does not exist. Raises as `files_below`."""
    files = RecordFiles(folder)
    depth = len(folder.parts)
    for path in files_below(folder, _DIRECTORY.fullmatch):
        if NAME.fullmatch("/".join(path.parts[depth:])):
            _list_file(files, path)
        else:
            files.others += 1
    return files


def read_outcome(cache: WebCache, path: Path) -> ReadOutcome | None:
    """The outcome at `path` in a record, with its cassette if the record has it; None if there is none.

    cache: the record. Raises WebError if one of the files is damaged.
    """
    read = cache.read_file(path)
    if read is None:
        return None
    recorded, content = read
    name, sha256 = recorded.cassette, recorded.cassette_sha256
    if name is not None and not name.startswith(f"{path.stem}."):
        raise WebError(f"{path}: it names {name}, the cassette of another outcome.")
    if (name is None) != (sha256 is None):
        raise WebError(f"{path}: it has a cassette without a sha256, or a sha256 without a cassette.")
    evidence = _read_cassette(cache, recorded)
    file = OutcomeFile(
        path=path,
        sha256=hashlib.sha256(content).hexdigest(),
        key=recorded.key,
        outcome_sha256=digest(outcome_document(recorded.outcome)),
        what=_in_words(recorded.outcome),
        recorded_at=recorded.recorded_at,
        engine=recorded.engine,
        cassette=None if name is None or evidence is None else path.with_name(name),
        cassette_sha256=sha256,
        lacks_cassette=name is not None and evidence is None,
    )
    return ReadOutcome(file, recorded, content, evidence)


def _read_cassette(cache: WebCache, recorded: RecordedOutcome) -> bytes | None:
    """The content of a cassette; None if there is none. Raises WebError if it is damaged, or a link."""
    try:
        return cache.read_cassette(recorded)
    except FileNotFoundError:
        return None


def _in_words(outcome: Outcome) -> str:
    match outcome:
        case Hits(hits):
            first = f", first {_shown(hits[0].href)}" if hits else ""
            return f"{plural(len(hits), 'result', 'results')}{first}"
        case Page(text):
            return f"page of {plural(len(text), 'character', 'characters')}"
        case WebFailure(message):
            return f"failure: {_shown(message)}"
        case ApiAnswer(status, body):
            return f"HTTP {status}, {plural(len(body), 'character', 'characters')}"


def _shown(text: str) -> str:
    return printable(on_one_line(cut(text, _SHOWN)))


def _list_file(files: RecordFiles, path: Path) -> None:
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        files.refused.append(f"{printable(str(path))}: not a regular file.")
        return
    most = LARGEST_OUTCOME_BYTES if path.suffix == ".json" else LARGEST_CASSETTE_BYTES
    if status.st_size > most:
        files.refused.append(
            f"{printable(str(path))}: {status.st_size:,} bytes; such a file of a web cache has at most "
            f"{most:,}."
        )
    elif path.suffix == ".json":
        files.outcomes.append(path)
    else:
        files.cassettes.add(path)


def add_outcome(cache: WebCache, file: OutcomeFile) -> bool:
    """Adds an outcome with its cassette. Returns False, with nothing changed, if its key has one by now.

    Raises WebError if the files changed since they were read, or the cassette cannot be placed.
    """
    content = _unchanged(file.path, file.sha256)
    path = cache.path(file.key)
    path.parent.mkdir(parents=True, exist_ok=True)
    placed = _place_cassette(path, file)
    if write_once(path, content, siblings(path)):
        return True
    there = cache.read(path)
    if placed is not None and (there is None or there.cassette != placed.name):
        placed.unlink(missing_ok=True)
    return False


def replace_outcome(cache: WebCache, file: OutcomeFile, ours: OutcomeFile) -> None:
    """Puts an outcome and its cassette in the place of `ours`, in one step.

    Raises WebError if the files changed since they were read, or the cassette cannot be placed.
    """
    content = _unchanged(file.path, file.sha256)
    path = cache.path(file.key)
    _place_cassette(path, file)
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
    sync_directory(path.parent)
    if ours.cassette is not None and (file.cassette is None or ours.cassette.name != file.cassette.name):
        ours.cassette.unlink(missing_ok=True)


def add_cassette(cache: WebCache, file: OutcomeFile) -> bool:
    """Adds the cassette of an outcome that `cache` has already. Returns whether it was missing."""
    return _place_cassette(cache.path(file.key), file) is not None


def check_cassette_name(target: Path, file: OutcomeFile) -> None:
    """Raises WebError if `target`, where the cassette of `file` belongs, has another content."""
    try:
        there = hashlib.sha256(target.read_bytes()).hexdigest()
    except FileNotFoundError:
        return
    if there != file.cassette_sha256:
        raise WebError(
            f"{target}: exists with another content than the cassette of the same name that is imported. "
            "Delete it if no outcome names it, then import again."
        )


def _place_cassette(path: Path, file: OutcomeFile) -> Path | None:
    """Writes the cassette beside `path`; returns its path, or None if there is none to write."""
    if file.cassette is None or file.cassette_sha256 is None:
        return None
    content = _unchanged(file.cassette, file.cassette_sha256)
    target = path.with_name(file.cassette.name)
    if write_once(target, content, siblings(target)):
        return target
    check_cassette_name(target, file)
    return None


def _unchanged(path: Path, sha256: str) -> bytes:
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise WebError(f"{path}: changed while it was imported. Leave the record alone and import again.")
    return content
