"""Numbers, tables and fillers of the staged release for the simulated APIs.

A value is looked up by module and name, and its type is checked. Values are shared: code that puts one
into a state copies it first (`state.copied`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Json

ELLIPSIS: Json = {"$literal": "..."}
"""The staged JSON form of Python's `...`, the last item of one of the release's lists, which models see."""


@dataclass(frozen=True, slots=True)
class Constants:
    """The release's literal constants, as staged in data/release/texts.json."""

    modules: Mapping[str, Mapping[str, Json]]  # by module, then by name

    def text(self, module: str, name: str) -> str:
        """A text. Raises MalformedRelease, as all look-ups do, if it is missing or has another type."""
        text: str = self._find(module, name, str)
        return text

    def number(self, module: str, name: str) -> float:
        """An int or a float."""
        number: float = self._find(module, name, int, float)
        return number

    def items(self, module: str, name: str) -> list[Any]:
        """A list, with `ELLIPSIS` converted to Python's `...`."""
        return [... if item == ELLIPSIS else item for item in self._find(module, name, list)]

    def table(self, module: str, name: str) -> dict[str, Any]:
        """A mapping with text keys."""
        table: dict[str, Any] = self._find(module, name, dict)
        return table

    def pairs(self, module: str, name: str) -> list[tuple[Any, Any]]:
        """The items of a mapping with other keys, in order; lists among the keys become tuples again."""
        pairs = self._find(module, name, list)
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise _unfit(module, name, "[key, value] pairs", "another list")
        return [(tuple(key) if isinstance(key, list) else key, value) for key, value in pairs]

    def _find(self, module: str, name: str, *kinds: type) -> Any:
        expected = " or ".join(kind.__name__ for kind in kinds)
        try:
            value = self.modules[module][name]
        except KeyError:
            raise _unfit(module, name, expected, "nothing of that name") from None
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise _unfit(module, name, expected, type(value).__name__)
        return value


def _unfit(module: str, name: str, expected: str, got: str) -> MalformedRelease:
    return MalformedRelease.at(f"constants of the release: {module}.{name}", expected, got)
