"""Whose journals answer the requests of a run: those that all runs share, or the run's own."""

from enum import StrEnum
from pathlib import Path, PurePosixPath

from bfcl_pipeline.config.plain_yaml import recorded_keys, recorded_member


class JournalChoice(StrEnum):
    """The key `journal` of a config."""

    SHARED = "shared"  # an answer that any run received is used by all
    RUN = "run"  # the run uses no answer of another run, and no other run uses its answers

    def member(self, run: str) -> PurePosixPath:
        """The directory with one directory for each model, relative to that of `results` and `cache`."""
        return PurePosixPath(f"results/{run}/exchanges" if self is JournalChoice.RUN else "cache/exchanges")


def recorded_journal(run_dir: Path) -> JournalChoice:
    """The choice in the recorded config of a run. Raises ConfigError if it is none of these."""
    return recorded_member(run_dir, recorded_keys(run_dir).get("journal"), JournalChoice.SHARED, "journal")


def recorded_journals(run_dir: Path, cache: Path) -> Path:
    """The directory with the journals of a recorded run, one directory for each model.

    Args:
        run_dir: results/<run>, which has the journals of the run's own.
        cache: the directory with the shared journals, exchanges/.

    Raises:
        ConfigError: the recorded config is malformed.
    """
    own = recorded_journal(run_dir) is JournalChoice.RUN
    return run_dir / "exchanges" if own else cache / "exchanges"
