"""The one reader of YAML that anybody may have written: values of JSON, in linear time, within bounds.

What it reads has the value that PyYAML's safe loader gives it. It refuses the rest: numbers that are not
decimal, words like `off` for true and false, dates, tags, aliases, merge keys and repeated keys. Some of
them are read in files that people write. Each event of the parser is checked before a value is made of it.
"""

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import named_file, read_regular

MAX_CONFIG_BYTES = 8 * 2**20
"""Size of a config and of a models file."""

MOST_VALUES = 300_000
"""Keys, texts, numbers, lists and mappings of a document, those of aliases counted wherever they appear."""

_MAX_DEPTH = 30  # nesting levels
_LONGEST_NUMBER = 100  # characters
_LONGEST_SHOWN = 40  # characters of a value in an error

Tags: TypeAlias = Mapping[str, Callable[[Any], Any]]
"""Tags that are read, with what makes their values of texts, lists and mappings; it raises ValueError."""

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the parser in C is ten times as fast
_PREFIX = "tag:yaml.org,2002:"
_MERGE = object()  # the key `<<`
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"(?:[-+]?[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")


class UnreadableYaml(ValueError):
    """A document is not YAML, or has something that is not read; says what, and in which line."""


def read_yaml_file(file: Path, *, by_hand: bool = False) -> Any:
    """The document in a file of at most MAX_CONFIG_BYTES; None if it is empty. by_hand: as for `read_yaml`.

    Raises:
        ConfigError: it is something else.
        FileNotFoundError: there is no such file.
    """
    try:
        content = read_regular(named_file(file) if by_hand else file, MAX_CONFIG_BYTES)
        return read_yaml(content.decode("utf-8"), by_hand=by_hand)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ConfigError(f"{file}: not readable ({error.strerror}).") from error
    except ValueError as error:  # UnreadableYaml, no UTF-8, too large
        raise ConfigError(f"{file}: not readable as YAML ({error}).") from error


def read_yaml(content: str | bytes, *, by_hand: bool = False, tags: Tags | None = None) -> Any:
    """The document in a text; None if it is empty.

    Args:
        by_hand: whether what people write is read, too: aliases, merge keys (`<<: *name`), `yes`, `no`,
            `on` and `off`, and dates, which become texts.
        tags: the tags that are read, without `tag:yaml.org,2002:`.

    Raises:
        UnreadableYaml: it is something else.
    """
    try:
        return _Document(_Loader(content), by_hand, tags or {}).read()
    except yaml.YAMLError as error:
        problem = ascii(getattr(error, "problem", None) or "not text")[1:-1][:120]
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f"line {mark.line + 1:,}: "
        raise UnreadableYaml(f"{line}{problem}") from error


class _Document:
    def __init__(self, loader: Any, by_hand: bool, tags: Tags) -> None:
        self._loader = loader
        self._by_hand = by_hand
        self._tags = tags
        self._anchors: dict[str, tuple[Any, int, int]] = {}  # values, with their counts and heights
        self._count = 0  # of values until now
        self._deepest = 0  # level until now

    def read(self) -> Any:
        events = self._loader
        events.get_event()  # the beginning of the stream
        if isinstance(events.get_event(), yaml.StreamEndEvent):
            return None
        document = self._value(events.get_event(), 0)
        events.get_event()  # the end of the document
        if not isinstance(after := events.get_event(), yaml.StreamEndEvent):
            raise _refused(after, "a second document begins")
        return document

    def _value(self, event: Any, depth: int, *, key: bool = False) -> Any:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, depth)
        self._add(event, 1, depth)
        if event.anchor is None:
            return self._own_value(event, depth, key=key)
        if not self._by_hand:
            raise _refused(event, "contains a YAML alias, which is not read")
        if event.anchor in self._anchors:
            raise _refused(event, "contains the name of an earlier alias")
        before, deepest = self._count - 1, self._deepest
        self._deepest = depth
        value = self._own_value(event, depth, key=key)
        self._anchors[event.anchor] = value, self._count - before, self._deepest - depth
        self._deepest = max(deepest, self._deepest)
        return value

    def _own_value(self, event: Any, depth: int, *, key: bool) -> Any:
        if isinstance(event, yaml.ScalarEvent):
            if event.tag is None:
                return self._plain(event, key=key) if event.implicit[0] else event.value
            value: Any = event.value
        elif isinstance(event, yaml.SequenceStartEvent):
            value = self._list(depth + 1)
        else:
            value = self._mapping(depth + 1)
        return value if event.tag in (None, "!") else self._tagged(event, value)

    def _add(self, event: yaml.Event, count: int, deepest: int) -> None:
        self._count += count
        self._deepest = max(self._deepest, deepest)
        if self._count > MOST_VALUES:
            raise _refused(event, f"more than {MOST_VALUES:,} values, counted wherever aliases repeat them")
        if deepest > _MAX_DEPTH:
            raise _refused(event, f"nested more than {_MAX_DEPTH} levels deep")

    def _alias(self, event: yaml.AliasEvent, depth: int) -> Any:
        if not self._by_hand:
            raise _refused(event, "contains a YAML alias, which is not read")
        if event.anchor not in self._anchors:
            raise _refused(event, "contains a YAML alias of nothing before it")
        value, count, height = self._anchors[event.anchor]
        self._add(event, count, depth + height)
        return value

    def _list(self, depth: int) -> list[Any]:
        values = []
        while not isinstance(event := self._loader.get_event(), yaml.SequenceEndEvent):
            values.append(self._value(event, depth))
        return values

    def _mapping(self, depth: int) -> dict[str, Any]:
        values: dict[Any, Any] = {}
        while not isinstance(event := self._loader.get_event(), yaml.MappingEndEvent):
            key = self._value(event, depth, key=True)
            if not isinstance(key, str) and key is not _MERGE:
                raise _no_value(event, key)
            if key in values:
                raise _refused(event, f"the key {_shown(key)} is repeated")
            values[key] = self._value(self._loader.get_event(), depth)
            if key is _MERGE:
                parts = values[key] if isinstance(values[key], list) else [values[key]]
                if not all(isinstance(part, dict) for part in parts):
                    raise _refused(event, "the value of << is not a mapping, or a list of mappings")
        if _MERGE not in values:
            return values
        merged = values.pop(_MERGE)
        inherited: dict[str, Any] = {}
        for part in reversed(merged if isinstance(merged, list) else [merged]):
            inherited |= part
        return inherited | values

    def _tagged(self, event: Any, value: Any) -> Any:
        make = self._tags.get(event.tag.removeprefix(_PREFIX))
        if make is None:
            raise _refused(event, f"the tag {_shown(event.tag)} is not read")
        try:
            return make(value)
        except ValueError as error:
            raise _refused(event, f"not a value of the tag {_shown(event.tag)}") from error

    def _plain(self, event: yaml.ScalarEvent, *, key: bool) -> Any:
        """The value of a scalar without quotes, if today's and earlier versions of YAML agree on it."""
        text = event.value
        kind = self._loader.resolve(yaml.ScalarNode, text, (True, False)).removeprefix(_PREFIX)
        if kind == "str":
            return text
        if kind == "null":
            return None
        if kind == "bool" and (self._by_hand or text.lower() in ("true", "false")):
            return text.lower() in ("true", "yes", "on")
        if kind == "timestamp" and self._by_hand:
            return text
        if kind == "merge" and key and self._by_hand:
            return _MERGE
        if len(text) <= _LONGEST_NUMBER:
            if kind == "int" and _INTEGER.fullmatch(text):
                return int(text)
            if kind == "float" and _DECIMAL.fullmatch(text) and math.isfinite(number := float(text)):
                return number
        raise _no_value(event, text)


def _no_value(event: yaml.Event, value: object) -> UnreadableYaml:
    return _refused(
        event,
        "a value is not a text, decimal number, list or mapping of texts "
        f"({_shown(value)}); a date needs quotes, as does a text like it",
    )


def _refused(event: Any, why: str) -> UnreadableYaml:
    return UnreadableYaml(f"line {event.start_mark.line + 1:,}: {why}")


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else type(value).__name__
    return ascii(text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "...")
