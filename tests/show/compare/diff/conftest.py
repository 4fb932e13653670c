"""A local server, and runs of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.show.compare.diff.made_run import ENTRIES, MadeRun, first_run
from tests.support.few_entries import stage_few
from tests.support.local_chat import LocalChat, local_chat


@pytest.fixture(scope="session")
def server() -> Iterator[LocalChat]:
    """The scripted server, which gives equal requests equal answers."""
    with local_chat() as running:
        running.behave()
        yield running


@pytest.fixture(scope="session")
def first(server: LocalChat, staged: Path, tmp_path_factory: pytest.TempPathFactory) -> MadeRun:
    """A run of two single calls and a conversation; tests do not change it."""
    folder = tmp_path_factory.mktemp("runs")
    data = stage_few(folder / "data", staged, [*ENTRIES, "simple_python_2", "web_search_base_0"])
    return first_run(folder / "first", data, server).make()
