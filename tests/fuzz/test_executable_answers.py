"""Whatever calls an answer to an executed entry has, scoring ends in a verdict or a missing record.

The number of examples is FUZZ_EXAMPLES, as in `test_fuzz`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import Call, Mode, Rules, Status
from bfcl_pipeline.dialogue.calls import write_calls, write_native
from bfcl_pipeline.dialogue.release_texts import read_recorded_calls
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.world.executables import NoApis, SimulatedApis, read_call
from bfcl_pipeline.world.executables.functions import FUNCTIONS
from bfcl_pipeline.world.executables.functions.work import MAX_STEPS
from bfcl_pipeline.world.executables.network import NETWORK_FUNCTIONS
from tests.fuzz.test_fuzz import LIMIT_CALLS
from tests.support.work import measured

_CATEGORIES = ("exec_simple", "exec_multiple", "exec_parallel", "exec_parallel_multiple")

_NUMBERS = st.integers() | st.floats() | st.integers(-(10**60), 10**60) | st.just(1e308)
_VALUES = st.recursive(
    st.none() | st.booleans() | _NUMBERS | st.text(max_size=20) | st.just("lambda x: x**x"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
_FUNCTIONS = {**FUNCTIONS, **NETWORK_FUNCTIONS}


@pytest.fixture(scope="module")
def apis(staged: Path) -> dict[bool, NoApis | SimulatedApis]:
    """Web APIs that know nothing, and the simulated ones."""
    return {False: NoApis(), True: SimulatedApis(read_recorded_calls(staged))}


@given(st.data())
def test_any_calls_have_a_verdict_or_lack_a_record(entries, apis, data):
    """Calls with any arguments end in a verdict or the status not_recorded, after bounded work."""
    entry = data.draw(st.sampled_from(entries(data.draw(st.sampled_from(_CATEGORIES)))))
    mode = data.draw(st.sampled_from(list(Mode)))
    calls = [data.draw(like(read_call(truth["call"]))) for truth in entry.truth]
    result = write_native(calls) if mode is Mode.FC else write_calls(calls, ReturnFormat.PYTHON)
    judge = Judge(entry, apis=apis[data.draw(st.booleans())])
    with measured() as work:
        verdicts = judge.answer_verdicts(json.dumps(result), mode, None, [*Rules])
    assert work.calls < len(calls) * MAX_STEPS + LIMIT_CALLS
    for verdict in verdicts:
        if verdict.status is Status.ANSWERED:
            assert verdict.valid is (verdict.error_type is None)
        else:
            assert verdict.valid is None
            assert verdict.status in (Status.NOT_RECORDED, Status.LEFT_OUT)
        (verdict.error_message or "").encode()


@st.composite
def like(draw: st.DrawFn, expected: Call) -> Call:
    """The expected call, with other values in places, or another function with any values."""
    if draw(st.integers(0, 3)):
        replaced = draw(st.lists(st.sampled_from(sorted(map(str, expected.arguments))), max_size=2))
        return Call(expected.name, {**expected.arguments, **{name: draw(_VALUES) for name in replaced}})
    name = draw(st.sampled_from(sorted(_FUNCTIONS)))
    return Call(name, {parameter.name: draw(_VALUES) for parameter in _FUNCTIONS[name].parameters})
