"""Whose journals answer the requests of a run: those that all runs share, or the run's own."""

from enum import StrEnum
from pathlib import PurePosixPath


class JournalChoice(StrEnum):
    """The key `journal` of a config."""

    SHARED = "shared"  # an answer that any run received is used by all
    RUN = "run"  # the run uses no answer of another run, and no other run uses its answers

    def member(self, run: str) -> PurePosixPath:
        """The directory with one directory for each model, relative to that of `results` and `cache`."""
        return PurePosixPath(f"results/{run}/exchanges" if self is JournalChoice.RUN else "cache/exchanges")
