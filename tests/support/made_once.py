"""Folders that all test processes of a session share, such as a finished run."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def make_once(
    name: str, make: Callable[[Path], object], factory: pytest.TempPathFactory, worker_id: str
) -> Path:
    """The folder `name`, which `make` creates in the first process that asks for it; others wait."""
    base = factory.getbasetemp()
    shared = (base if worker_id == "master" else base.parent) / name
    with shared.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = shared.with_suffix(".made")
        if not made.is_file():
            shutil.rmtree(shared, ignore_errors=True)
            make(shared)
            made.touch()
    return shared
