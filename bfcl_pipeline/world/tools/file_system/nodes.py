"""Files and directories of the simulated file system, with comparison, copying, and loading from an entry.

They need not form a tree. A copied directory shares the items of its original, a moved one its whole
contents, so a directory can be inside itself, or be reachable on exponentially many paths. Comparison and
copying terminate, in time proportional to the number of directories, not of paths. Traversals over all
paths are in `walks`. The initial directories of an entry include the fillers of long contexts: a text at
the end of most files, and empty files in every directory without subdirectories.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.constants import Constants
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import CallFailed, WorldConfig
from bfcl_pipeline.world.tools.state import StatePart, copy_value

MAX_SHOWN_DEPTH = 100
"""Levels of directories that `Directory.plain` shows."""

MAX_SHOWN_ITEMS = 10_000
"""Items that `Directory.plain` shows."""

NOT_SHOWN = "..."
"""Placeholder for items that `Directory.plain` omits."""

Name: TypeAlias = Any
"""A text, or another hashable value that a model passed, such as a tuple of texts."""


@dataclass(slots=True)
class File:
    """A file; equal to any file with the same name and content."""

    name: Name
    content: Json  # a text, or what a model wrote instead; replaced, never changed in place


@dataclass(slots=True, eq=False, repr=False)
class Directory(StatePart):
    """A directory; equal to any directory with the same name and equal contents, at every depth."""

    name: Name
    parent: Directory | None = None  # where it was created; moves of a parent do not change it
    contents: dict[Name, File | Directory] = field(default_factory=dict)  # by name, in order of creation

    def __eq__(self, other: object) -> bool:
        return _alike(self, other) if isinstance(other, Directory) else NotImplemented

    def __repr__(self) -> str:
        return f"<Directory {self.name!r} of {len(self.contents)} items>"

    def item(self, name: Name) -> File | Directory | None:
        """The item called `name`; "." is always this directory."""
        return self if name == "." else self.contents.get(name)

    def add(self, item: File | Directory) -> None:
        """Adds `item` under its name. Raises CallFailed if the name exists."""
        if item.name in self.contents:
            kind = type(item).__name__
            raise CallFailed(f"{kind} '{item.name}' already exists in directory '{self.name}'.")
        self.contents[item.name] = item

    def copied(self) -> Directory:
        """A deep copy, which no later call changes."""
        copies = {id(self): Directory(self.name)}
        pending = [self]
        while pending:
            source = pending.pop()
            target = copies[id(source)]
            for name, item in source.contents.items():
                if isinstance(item, File):
                    target.contents[name] = File(item.name, item.content)
                    continue
                if id(item) not in copies:
                    copies[id(item)] = Directory(item.name, target)
                    pending.append(item)
                target.contents[name] = copies[id(item)]
        return copies[id(self)]

    def plain(self) -> dict[str, Json]:
        """File contents by name, and nested mappings by directory name with a slash; within bounds."""
        shown: dict[str, Json] = {}
        pending = [(self, shown, 1)]
        items_left = MAX_SHOWN_ITEMS
        while pending:
            source, target, depth = pending.pop()
            for name, item in source.contents.items():
                if depth > MAX_SHOWN_DEPTH or items_left == 0:
                    target[NOT_SHOWN] = NOT_SHOWN
                    break
                items_left -= 1
                if isinstance(item, File):
                    target[str(name)] = item.content
                else:
                    inner: dict[str, Json] = {}
                    target[f"{name}/"] = inner
                    pending.append((item, inner, depth + 1))
        return shown


def _alike(one: Directory, other: Directory) -> bool:
    """Whether every path from `one` leads to the same content as that path from `other`.

    Hopcroft and Karp's equivalence test of automata: directories that must be equal are put in one class.
    Each comparison except the last joins two classes, so there are at most as many as directories.
    """
    leaders: dict[int, int] = {}  # by id of a directory: the id of one nearer to the leader of its class

    def leader(directory: Directory) -> int:
        at = id(directory)
        while (above := leaders.get(at, at)) != at:
            leaders[at] = leaders.get(above, above)
            at = above
        return at

    pending = [(one, other)]
    while pending:
        mine, theirs = pending.pop()
        my_leader, their_leader = leader(mine), leader(theirs)
        if my_leader == their_leader:
            continue
        leaders[my_leader] = their_leader
        if mine.name != theirs.name or mine.contents.keys() != theirs.contents.keys():
            return False
        for name, item in mine.contents.items():
            twin = theirs.contents[name]
            if isinstance(item, Directory) and isinstance(twin, Directory):
                pending.append((item, twin))
            elif item != twin:
                return False
    return True


_FILLERS = "long_context"


def root_of(initial: Mapping[str, Json], config: WorldConfig) -> Directory:
    """The root: the first directory of `initial["root"]`, or an empty "/" without that key.

    A directory is `{"type": "directory", "contents": {name: item}}`, a file `{"type": "file", "content":
    ...}`; items of other types are ignored. Raises MalformedRelease naming an item of another form.
    """
    if "root" not in initial:
        return Directory("/")
    tops = _mapping(initial["root"], "root")
    if not tops:
        raise _unfit("root", "a directory by its name", "nothing")
    name, top = next(iter(tops.items()))
    root = Directory(name)
    fillers = _Fillers(config.constants) if config.long_context else None
    pending = [(root, top, f"root[{name!r}]")]
    while pending:
        directory, source, place = pending.pop()
        inner = _mapping(_part(source, "contents", place), f"{place}['contents']")
        for name, node in inner.items():
            at = f"{place}[{name!r}]"
            kind = _part(node, "type", at)
            if kind == "directory":
                below = Directory(name, directory)
                directory.contents[name] = below
                pending.append((below, node, at))
            elif kind == "file":
                content = copy_value(_part(node, "content", at))
                directory.contents[name] = File(
                    name, fillers.extended(name, content, at) if fillers else content
                )
        if fillers and not any(_part(node, "type", place) == "directory" for node in inner.values()):
            fillers.populate(directory, place)
    return root


class _Fillers:
    """The fillers of long contexts."""

    def __init__(self, constants: Constants) -> None:
        self._text = constants.text(_FILLERS, "FILE_CONTENT_EXTENSION")
        self._names = constants.items(_FILLERS, "POPULATE_FILE_EXTENSION")
        self._spared = constants.items(_FILLERS, "FILES_TAIL_USED")

    def extended(self, name: str, content: Json, place: str) -> Json:
        """`content` with the filler text appended, except for files whose end is used by entries."""
        if name in self._spared:
            return content
        if not isinstance(content, str | list):
            raise _unfit(f"{place}['content']", "str or list", type(content).__name__)
        return content + self._text if isinstance(content, str) else [*content, *self._text]

    def populate(self, directory: Directory, place: str) -> None:
        """Puts the empty files into `directory`."""
        for name in self._names:
            if name in directory.contents:
                raise _unfit(place, f"no file {name}, which long contexts add", "one")
            directory.contents[name] = File(name, "")


def _mapping(value: Json, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _unfit(place, "dict", type(value).__name__)
    return value


def _part(node: Json, key: str, place: str) -> Json:
    found = _mapping(node, place)
    if key not in found:
        raise _unfit(place, f"{key!r} among its keys", ", ".join(found) or "none")
    return found[key]


def _unfit(place: str, expected: str, got: str) -> MalformedRelease:
    return MalformedRelease.at(f"initial state of GorillaFileSystem: {place}", expected, got)
