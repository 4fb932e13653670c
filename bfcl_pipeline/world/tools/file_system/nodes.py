"""Files and directories of the simulated file system, with comparison and copying.

They need not form a tree. A copied directory shares the items of its original, a moved one its whole
contents, so a directory can be inside itself, or be reachable on exponentially many paths. Comparison and
copying terminate, in time proportional to the number of directories, not of paths. Traversals over all
paths are in `walks`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import CallFailed
from bfcl_pipeline.world.tools.state import StatePart

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
