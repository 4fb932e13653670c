"""Going through all that is below a directory, as `find` and `du` do.

The release goes down by recursion, without end where directories stand in a loop, until Python's stack is
full: that is a failed call, here as there. Where they only share items, it goes down every way there is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bfcl_pipeline.tools.file_nodes import Directory, File, Name
from bfcl_pipeline.tools.limits import BoundExceeded, CallFailed

MAX_FOUND = 50_000
"""Items that `found_below` looks at; a shared one counts as often as a way leads to it."""

MAX_FOUND_CHARACTERS = 20_000_000
"""Characters of the paths to them."""

FIND_DEPTH = 980
"""Levels of directories at which the release's `find` gives out, or a few more by its caller."""

DU_DEPTH = 490
"""The same for its `du`, which takes two frames a level."""

TOO_DEEP = "maximum recursion depth exceeded while calling a Python object"
"""Python's words where the stack is full; of `du` they often lack all after "exceeded"."""


def found_below(top: Directory, path: str, part: Name | None) -> list[str]:
    """Paths of the items below `top`, itself at `path`, whose names contain `part`, or of all for None."""

    def is_wanted(name: Name) -> bool:
        return part is None or part in name

    def weigh(name: Name, _: object) -> int:
        is_wanted(name)  # what cannot be looked for fails at the first item, before a loop does
        return 1

    if _total(top, weigh, FIND_DEPTH) > MAX_FOUND:
        raise BoundExceeded(f"find: more than {MAX_FOUND:,} items")
    found = []
    characters_left = MAX_FOUND_CHARACTERS
    for item_path, name in _walk(top, path):
        characters_left -= len(item_path)
        if characters_left < 0:
            raise BoundExceeded(f"find: paths of more than {MAX_FOUND_CHARACTERS:,} characters")
        if is_wanted(name):
            found.append(item_path)
    return found


def bytes_below(top: Directory) -> int:
    """Bytes of the files below `top`; a shared one counts as often as a way leads to it."""
    sizes: dict[int, int] = {}  # by id of a content, which many files may share

    def weigh(_: Name, item: File | Directory) -> int:
        if isinstance(item, Directory):
            return 0
        if id(item.content) not in sizes:
            sizes[id(item.content)] = len(item.content.encode("utf-8"))
        return sizes[id(item.content)]

    return _total(top, weigh, DU_DEPTH)


@dataclass(slots=True)
class _Visit:
    """A directory that is being weighed."""

    directory: Directory
    rest: Iterator[tuple[Name, File | Directory]]
    weight: int = 0  # of what was met in it so far
    levels: int = 0  # of directories below it

    def take(self, inner: _Visit) -> None:
        self.weight += inner.weight
        self.levels = max(self.levels, inner.levels + 1)


def _total(top: Directory, weigh: Callable[[Name, File | Directory], int], deepest: int) -> int:
    """The sum of what items below `top` weigh, each as often as a way leads to it.

    Items are weighed in the order in which one meets them, those of a directory once. Raises CallFailed
    with TOO_DEEP on a way that leads in a loop or down more than `deepest` levels.
    """
    weighed: dict[int, _Visit] = {}
    on_the_way = {id(top)}
    way = [_visit(top)]
    while True:
        here = way[-1]
        for name, item in here.rest:
            here.weight += weigh(name, item)
            if isinstance(item, File):
                continue
            known = weighed.get(id(item))
            if id(item) in on_the_way or len(way) + (known.levels if known else 0) > deepest:
                raise CallFailed(TOO_DEEP)
            if known is None:
                on_the_way.add(id(item))
                way.append(_visit(item))
                break
            here.take(known)
        else:
            way.pop()
            if not way:
                return here.weight
            on_the_way.discard(id(here.directory))
            weighed[id(here.directory)] = here
            way[-1].take(here)


def _walk(top: Directory, path: str) -> Iterator[tuple[str, Name]]:
    """Path and name of each item below `top`, directories before what is in them.

    As often as a way leads to it, without end where there is a loop: see `_total` first.
    """
    way = [(path, iter(top.contents.items()))]
    while way:
        path, rest = way[-1]
        for name, item in rest:
            item_path = f"{path}/{name}"
            yield item_path, name
            if isinstance(item, Directory):
                way.append((item_path, iter(item.contents.items())))
                break
        else:
            way.pop()


def _visit(directory: Directory) -> _Visit:
    return _Visit(directory, iter(directory.contents.items()))
