"""How often a model's job ended with entries that the machinery failed, as the job left it on disk.

The workflow reads it as a parameter: when it has grown, the job is done again, and asks what is left.
"""

from __future__ import annotations

from pathlib import Path

from bfcl_pipeline.errors import ConfigError


def requeued(path: Path) -> int:
    """What the job counted at `path`; 0 if it never did. Raises ConfigError if that is no number."""
    try:
        return int(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return 0
    except ValueError as error:
        raise ConfigError(f"{path}: expected a number ({error}). Delete the file.") from error
