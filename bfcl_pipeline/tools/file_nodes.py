"""Files and directories of the simulated file system: what they are, comparing and copying them.

What calls make of them need not be a tree. A copied directory shares the items of its original, a moved
one its whole contents, and so a directory can come to stand within itself, or be met more often than
could be counted off. All that goes through them ends, and takes time by the number of directories that
there are, not of the ways to them; listing and weighing what is below one is `file_walks`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bfcl_pipeline.records import Json
from bfcl_pipeline.tools.limits import CallFailed
from bfcl_pipeline.tools.state import Part

MAX_SHOWN_DEPTH = 100
"""Levels of directories that `Directory.plain` shows."""

MAX_SHOWN_ITEMS = 10_000
"""Items that `Directory.plain` shows."""

NOT_SHOWN = "..."
"""Stands for items that `Directory.plain` does not show."""

Name: TypeAlias = Any
"""A text, or what else a model passed and Python takes for a key that is looked into: a tuple of texts."""


@dataclass(slots=True)
class File:
    """A file; equal to any of the same name and content."""

    name: Name
    content: Json  # a text, except where a model wrote something else; never altered, only replaced


@dataclass(slots=True, eq=False, repr=False)
class Directory(Part):
    """A directory; equal to any of the same name in which the same is found, however deep."""

    name: Name
    parent: Directory | None = None  # where it was made; moving what it stands in does not change that
    contents: dict[Name, File | Directory] = field(default_factory=dict)  # by name, in order of making

    def __eq__(self, other: object) -> bool:
        return _alike(self, other) if isinstance(other, Directory) else NotImplemented

    def __repr__(self) -> str:
        return f"<Directory {self.name!r} of {len(self.contents)} items>"

    def item(self, name: Name) -> File | Directory | None:
        """What stands under `name`; "." is this directory, whatever stands there."""
        return self if name == "." else self.contents.get(name)

    def add(self, item: File | Directory) -> None:
        """Puts `item` under its name. Raises CallFailed if something stands there."""
        if item.name in self.contents:
            kind = type(item).__name__
            raise CallFailed(f"{kind} '{item.name}' already exists in directory '{self.name}'.")
        self.contents[item.name] = item

    def copied(self) -> Directory:
        """A copy of all that is below, which no later call changes."""
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
        """Contents of files and directories by name, a slash after those of directories; within bounds."""
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
    """Whether every way from `one` leads to what the same way from `other` leads to.

    Hopcroft and Karp's test of automata: directories that must be alike for the answer to be yes are put
    in one class, so each comparison but the last joins two classes, and there are no more than directories.
    """
    leaders: dict[int, int] = {}  # by id of a directory: one nearer to the leader of its class

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
