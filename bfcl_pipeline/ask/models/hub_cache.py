"""Models in the hub's cache on this machine, found by their files.

The library of the hub is not asked: it may send a request although it is told to use local files only.
"""

import os
import re
from pathlib import Path

_COMMIT = re.compile(r"[0-9a-f]{40}")


def cached_commit(model: str, revision: str | None = None) -> str | None:
    """The commit of a branch, tag or commit (default: main) of a model; None if it is not known here."""
    revision = revision or "main"
    if _COMMIT.fullmatch(revision):
        return revision
    try:
        commit = (_folder(model) / "refs" / revision).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return None
    return commit if _COMMIT.fullmatch(commit) else None


def model_files(model: str, revision: str | None = None) -> Path | None:
    """A model's own folder, or that in the hub's cache; None if neither is here."""
    return Path(model) if Path(model).is_dir() else cached_snapshot(model, revision)


def cached_snapshot(model: str, revision: str | None = None) -> Path | None:
    """The directory with the files of a model at a revision; None if there is none."""
    commit = cached_commit(model, revision)
    folder = _folder(model) / "snapshots" / (commit or "")
    return folder if commit is not None and folder.is_dir() else None


def _folder(model: str) -> Path:
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache/huggingface")
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    return hub / f"models--{model.replace('/', '--')}"
