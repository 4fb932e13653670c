"""What the detectors find on the pinned release."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.judge.audit import Benchmark, Suspicion, find
from bfcl_pipeline.world.tools import Constants


@pytest.fixture(scope="session")
def findings(entries: Callable[[str], list[Entry]], constants: Constants) -> list[Suspicion]:
    """All findings under the official rules."""
    return find(Benchmark({name: entries(name) for name in CATEGORIES}, constants))


@pytest.fixture(scope="session")
def found_on(findings: list[Suspicion]) -> Callable[[str], set[str]]:
    """The ids of the entries on which a detector has a finding, by its name."""
    return lambda detector: {each.entry_id for each in findings if each.detector == detector}


@pytest.fixture(scope="session")
def release_entry(entries: Callable[[str], list[Entry]]) -> Callable[[str], Entry]:
    """The entry of the release with an id."""
    by_id = {entry.entry_id: entry for name in CATEGORIES for entry in entries(name)}
    return by_id.__getitem__
