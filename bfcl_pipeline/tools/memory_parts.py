"""What the memories of two parts have in common: the limits of a part, and an empty memory's text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from bfcl_pipeline.tools.constants import Constants

EMPTY_CORE = "There is no content in the core memory at this point."
"""What stands in the system prompt for a core memory without entries."""


@dataclass(frozen=True, slots=True)
class PartLimits:
    """How much one part of a memory takes."""

    entries: int
    characters: int  # of one entry

    @classmethod
    def core(cls, constants: Constants, module: str) -> Self:
        """Those of the part that is always in the system prompt."""
        return cls._of(constants, module, "CORE")

    @classmethod
    def archival(cls, constants: Constants, module: str) -> Self:
        """Those of the part that has to be searched."""
        return cls._of(constants, module, "ARCHIVAL")

    @classmethod
    def _of(cls, constants: Constants, module: str, part: str) -> Self:
        entries, characters = (
            int(constants.number(module, f"MAX_{part}_MEMORY_{what}")) for what in ("SIZE", "ENTRY_LENGTH")
        )
        return cls(entries, characters)
