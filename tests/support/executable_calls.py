"""The expected calls of the executable categories that need no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.executables import read_call
from bfcl_pipeline.world.executables.network import NETWORK_FUNCTIONS

EXECUTED = [
    name
    for name, category in CATEGORIES.items()
    if category.check in (Check.EXECUTION, Check.EXECUTION_SIMPLE)
]
"""The categories whose expected calls are executed."""

NETWORK_NAMES = frozenset(NETWORK_FUNCTIONS)
"""The functions that ask web APIs."""


def pure_calls(truth: Sequence[Mapping[str, str]]) -> list[Call]:
    """The expected calls of an entry that need no network, in order."""
    calls = [read_call(expected["call"]) for expected in truth]
    return [call for call in calls if call.name not in NETWORK_NAMES]
