"""Traversals of everything below a directory, for `find` and `du`.

The release recurses, and where directories form a loop it fails when Python's stack is full; the call fails
here too. Items that several directories share are visited once per path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bfcl_pipeline.world.tools.api import BoundExceeded, CallFailed
from bfcl_pipeline.world.tools.file_system.nodes import Directory, File, Name

MAX_FOUND = 50_000
"""Items that `found_below` visits; a shared item counts once per path."""

MAX_VISITED = 2_000_000
"""Items that all calls of `find` and `du` in one file system visit."""

MAX_FOUND_CHARACTERS = 20_000_000
"""Characters of all paths that `found_below` visits."""

FIND_DEPTH = 980
"""Levels of directories at which the release's `find` fails, give or take a few by its caller."""

DU_DEPTH = 490
"""Levels of directories at which the release's `du` fails; it uses two stack frames per level."""

TOO_DEEP = "maximum recursion depth exceeded while calling a Python object"
"""Python's error text when the stack is full; in `du` it often ends after "exceeded"."""


class Visits:
    """The items that may still be visited in one file system."""

    def __init__(self) -> None:
        self._left = MAX_VISITED

    def count(self, items: int = 1) -> None:
        """Counts visited items. Raises BoundExceeded if they are more than MAX_VISITED in all."""
        self._left -= items
        if self._left < 0:
            raise BoundExceeded(f"find and du: more than {MAX_VISITED:,} items in one conversation")


def found_below(top: Directory, path: str, part: Name | None, visits: Visits) -> list[str]:
    """Paths of all items below `top`, whose path is `path`, with names that contain `part` (None: all)."""

    def is_wanted(name: Name) -> bool:
        return part is None or part in name

    def weigh(name: Name, _: object) -> int:
        visits.count()
        is_wanted(name)  # an invalid `part` fails at the first item, before a loop is detected
        return 1

    found = _total(top, weigh, FIND_DEPTH)
    if found > MAX_FOUND:
        raise BoundExceeded(f"find: more than {MAX_FOUND:,} items")
    visits.count(found)
    paths = []
    characters_left = MAX_FOUND_CHARACTERS
    for item_path, name in _walk(top, path):
        characters_left -= len(item_path)
        if characters_left < 0:
            raise BoundExceeded(f"find: paths of more than {MAX_FOUND_CHARACTERS:,} characters")
        if is_wanted(name):
            paths.append(item_path)
    return paths


def bytes_below(top: Directory, visits: Visits) -> int:
    """Bytes of all files below `top`; a shared file counts once per path."""
    sizes: dict[int, int] = {}  # by id of a content, which files may share

    def weigh(_: Name, item: File | Directory) -> int:
        visits.count()
        if isinstance(item, Directory):
            return 0
        if id(item.content) not in sizes:
            sizes[id(item.content)] = len(item.content.encode("utf-8"))
        return sizes[id(item.content)]

    return _total(top, weigh, DU_DEPTH)


@dataclass(slots=True)
class _Visit:
    """A directory whose weight is being computed."""

    directory: Directory
    rest: Iterator[tuple[Name, File | Directory]]
    weight: int = 0  # sum over the items visited so far
    levels: int = 0  # levels of directories below it

    def take(self, inner: _Visit) -> None:
        self.weight += inner.weight
        self.levels = max(self.levels, inner.levels + 1)


def _total(top: Directory, weigh: Callable[[Name, File | Directory], int], deepest: int) -> int:
    """The sum of the weights of all items below `top`, with each item counted once per path.

    Items are weighed in depth-first order, and the items of a directory once. Raises CallFailed with
    TOO_DEEP if a path is a loop or has more than `deepest` levels.
    """
    weighed: dict[int, _Visit] = {}
    on_path = {id(top)}
    way = [_visit(top)]
    while True:
        here = way[-1]
        for name, item in here.rest:
            here.weight += weigh(name, item)
            if isinstance(item, File):
                continue
            known = weighed.get(id(item))
            if id(item) in on_path or len(way) + (known.levels if known else 0) > deepest:
                raise CallFailed(TOO_DEEP)
            if known is None:
                on_path.add(id(item))
                way.append(_visit(item))
                break
            here.take(known)
        else:
            way.pop()
            if not way:
                return here.weight
            on_path.discard(id(here.directory))
            weighed[id(here.directory)] = here
            way[-1].take(here)


def _walk(top: Directory, path: str) -> Iterator[tuple[str, Name]]:
    """Path and name of each item below `top`, depth first, once per path.

    It does not terminate if there is a loop, so callers run `_total` first.
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
