"""Builds the initial directories of an entry from the release's form.

Includes the fillers of long contexts: a text at the end of most files, and empty files in every directory
without subdirectories.
"""

from collections.abc import Mapping
from typing import Any

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.constants import Constants
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import WorldConfig
from bfcl_pipeline.world.tools.file_system.nodes import Directory, File
from bfcl_pipeline.world.tools.state import copy_value

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
