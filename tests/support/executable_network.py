"""Our verdicts on published outputs whose calls use the network, by the simulated network.

There, an answer passes if it makes the requests of the expected calls. The official verdicts came from the
APIs of one day, so two kinds of differences remain: an API that failed, or that changed between two
requests, at the expected calls' own requests; and another request with the same answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.release_texts import read_recorded_calls
from bfcl_pipeline.judge.scoring.executable import ExecutableChecker
from bfcl_pipeline.world.executables import ExecutionFailed, SimulatedApis, read_call
from bfcl_pipeline.world.executables.network import NETWORK_FUNCTIONS
from tests.support.executable_conformance import CATEGORIES, Figure, Row, official_calls

FAILED_AT_THE_API = Counter(
    {
        "exec_multiple_15": 1,
        "exec_multiple_19": 1,
        "exec_multiple_22": 7,
        "exec_multiple_25": 1,
        "exec_multiple_26": 10,
        "exec_multiple_37": 1,
        "exec_parallel_19": 1,
        "exec_parallel_22": 6,
        "exec_parallel_24": 1,
        "exec_parallel_25": 1,
        "exec_parallel_26": 9,
        "exec_parallel_27": 1,
        "exec_parallel_37": 1,
        "exec_parallel_multiple_2": 1,
        "exec_parallel_multiple_11": 4,
        "exec_parallel_multiple_21": 1,
        "exec_parallel_multiple_22": 2,
        "exec_parallel_multiple_24": 1,
        "exec_parallel_multiple_25": 2,
        "exec_parallel_multiple_38": 8,
        "exec_simple_30": 2,
        "exec_simple_38": 2,
        "exec_simple_44": 1,
        "exec_simple_45": 6,
        "exec_simple_49": 1,
        "exec_simple_50": 1,
        "exec_simple_51": 3,
        "exec_simple_52": 12,
        "exec_simple_53": 13,
    }
)
"""Official failures of outputs of July 2024 with exactly the expected requests, by entry."""

ALIASES = Counter({"New York City for New York": 2})
"""Official passes of July 2024 with another request, which had the same answer."""

OWN_REQUESTS = "official failure on the expected requests"


def network_figure(rows: Iterable[Row], data: Path) -> tuple[Figure, Counter[str], Counter[str]]:
    """The figure, the official failures on the expected requests by entry, and the passes by an alias."""
    entries = [entry for category in CATEGORIES for entry in read_entries(entries_path(data, category))]
    apis = SimulatedApis(read_recorded_calls(data))
    checkers = {entry.entry_id: ExecutableChecker(entry, apis) for entry in entries}
    expected = {
        entry.entry_id: _requests(tuple(read_call(truth["call"]) for truth in entry.truth))
        for entry in entries
    }
    figure, failed, aliases = Figure("decoded calls, network simulated"), Counter[str](), Counter[str]()
    for row in rows:
        if row["truth_kind"] in ("network", "mixed") and row["truth_as_in_wheel"]:
            calls = official_calls(row)
            outcome = checkers[row["entry_id"]].check_calls(calls, Rules.OFFICIAL)
            valid = outcome.finding is None and outcome.not_recorded is None
            cause = None
            if valid and not row["official_valid"] and _requests(calls) == expected[row["entry_id"]]:
                cause = OWN_REQUESTS
                failed[row["entry_id"]] += 1
            elif not valid and row["official_valid"]:
                cause = _alias(calls)
                aliases.update([cause] if cause else [])
            figure.add(row, outcome, cause)
    return figure, failed, aliases


def _requests(calls: tuple[Call, ...] | DecodeFailure) -> Counter[Any]:
    """What the calls of network functions ask for; of a conversion also the amount and the target."""
    if isinstance(calls, DecodeFailure):
        return Counter()
    return Counter(_asked(call) for call in calls if call.name in NETWORK_FUNCTIONS)


def _asked(call: Call) -> Any:
    try:
        request = NETWORK_FUNCTIONS[call.name].request_of(call.arguments)
    except ExecutionFailed:
        return str(call)
    return call.name, request, call.arguments.get("amount"), call.arguments.get("to_currency")


def _alias(calls: tuple[Call, ...] | DecodeFailure) -> str | None:
    values = [] if isinstance(calls, DecodeFailure) else [call.arguments.get("city_name") for call in calls]
    return "New York City for New York" if "New York City" in values else None
