"""Values of expected calls that the official checker published are ours, bit for bit.

Needs a table of published outputs with the columns entry_id, category, truth_kind, truth_as_in_wheel and
recorded_truth (the values of the expected calls, as JSON): BFCL_EXECUTABLE_CONFORMANCE is its path.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.world.executables import Evaluator, NoApis, read_call
from bfcl_pipeline.world.executables.functions import FUNCTIONS

CONFORMANCE = "BFCL_EXECUTABLE_CONFORMANCE"
COLUMNS = ["entry_id", "category", "truth_kind", "truth_as_in_wheel", "recorded_truth"]


def test_published_values_are_equal(entries):
    """Every published value of an expected call without network equals ours in type and in all digits."""
    table = os.environ.get(CONFORMANCE)
    if not table:
        pytest.skip(f"{CONFORMANCE} is not set")
    evaluator = Evaluator(NoApis())
    compared, calls, differing = 0, set(), []
    for row in pq.read_table(Path(table), columns=COLUMNS).to_pylist():
        if row["truth_kind"] == "rest" or not row["truth_as_in_wheel"] or row["recorded_truth"] is None:
            continue
        truth = next(one.truth for one in entries(row["category"]) if one.entry_id == row["entry_id"])
        for expected, recorded in zip(truth, json.loads(row["recorded_truth"]), strict=True):
            if expected["call"].partition("(")[0] not in FUNCTIONS:
                continue
            ours = json.loads(json.dumps(evaluator.value(read_call(expected["call"]))))
            compared += 1
            calls.add(expected["call"])
            if repr(ours) != repr(recorded):  # repr tells 1 from 1.0 and shows all digits
                differing.append((row["entry_id"], expected["call"], recorded, ours))
    assert differing == []
    assert compared > 0
    print(f"{compared:,} published values of {len(calls):,} distinct calls are equal")
