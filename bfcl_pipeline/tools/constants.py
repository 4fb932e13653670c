"""Figures, tables and fillers that the simulated APIs take from the staged release.

Covers looking one up by module and name, with its type checked. A value is shared: whoever puts it
into a state copies it first (`state.copied`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.errors import MalformedRelease
from bfcl_pipeline.records import Json

ELLIPSIS: Json = {"$literal": "..."}
"""The JSON form that staging gives to Python's `...`, which ends one of the release's lists."""


@dataclass(frozen=True, slots=True)
class Constants:
    """The release's literal constants, as staged in data/release/texts.json."""

    modules: Mapping[str, Mapping[str, Json]]  # by module, then by name

    def text(self, module: str, name: str) -> str:
        """A text. Raises MalformedRelease if there is none of that name."""
        found: str = self._find(module, name, str)
        return found

    def number(self, module: str, name: str) -> float:
        """A number, int or float as in the release."""
        found: float = self._find(module, name, int, float)
        return found

    def items(self, module: str, name: str) -> list[Any]:
        """A list; Python's `...` is itself again."""
        return [... if item == ELLIPSIS else item for item in self._find(module, name, list)]

    def table(self, module: str, name: str) -> dict[str, Any]:
        """A mapping from text."""
        found: dict[str, Any] = self._find(module, name, dict)
        return found

    def pairs(self, module: str, name: str) -> list[tuple[Any, Any]]:
        """A mapping whose keys are not text: its items in order; a key that is a list was a tuple."""
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
    return MalformedRelease(
        f"constants of the release: {module}.{name}: expected {expected}, got {got}. "
        "Stage the release again (bfcl-pipeline stage)."
    )
