"""Common to the memories with two parts: the limits of a part, and the text of an empty memory."""

from dataclasses import dataclass
from typing import Self

from bfcl_pipeline.benchmark.constants import Constants

EMPTY_CORE = "There is no content in the core memory at this point."
"""The text in the system prompt for a core memory without entries."""


@dataclass(frozen=True, slots=True)
class PartLimits:
    """The capacity of one part of a memory."""

    entries: int
    characters: int  # per entry

    @classmethod
    def of(cls, constants: Constants, module: str, part: str) -> Self:
        """The limits of a part: CORE, always in the system prompt, or ARCHIVAL, which must be searched."""
        entries, characters = (
            int(constants.number(module, f"MAX_{part}_MEMORY_{what}")) for what in ("SIZE", "ENTRY_LENGTH")
        )
        return cls(entries, characters)
