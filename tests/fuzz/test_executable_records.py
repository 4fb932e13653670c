"""Whatever an answer to an executed entry is, it has a record of bounded, printable texts.

The number of examples is FUZZ_EXAMPLES, as in `test_fuzz`.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bfcl_pipeline.benchmark.definition import CATEGORIES, ReturnFormat
from bfcl_pipeline.benchmark.records import Call, Mode, Response, Rules
from bfcl_pipeline.dialogue.calls import write_calls, write_native
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.show.transcripts.answer import answer_record
from bfcl_pipeline.show.transcripts.parts import PAGE, TERMINAL, as_json
from bfcl_pipeline.world.executables import read_call
from tests.fuzz.test_executable_answers import like

_EXECUTED = [name for name, category in CATEGORIES.items() if category.executes]

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)
_REQUESTS = st.builds(
    lambda arguments: Call("requests.get", arguments),
    st.dictionaries(
        st.sampled_from(["url", "params", "headers", "timeout", "auth", "verify", "cookies"]),
        _JSON
        | st.sampled_from(["https://date.nager.at/a\u202e", "file:///etc/passwd", "http://ip-api.com/"]),
    ),
)


@pytest.fixture(scope="module")
def conditions(staged, constants, tmp_path_factory):
    """Those of a run whose web cache is empty."""
    return Conditions(staged, constants, tmp_path_factory.mktemp("cache"))


@given(st.data())
def test_any_answer_has_a_record(entries, conditions, data):
    """Calls with any arguments, requests, texts and other values: no text is long or has hidden marks."""
    entry = data.draw(st.sampled_from(entries(data.draw(st.sampled_from(_EXECUTED)))))
    mode = data.draw(st.sampled_from(list(Mode)))
    if entry.category == "rest":
        calls = data.draw(st.lists(_REQUESTS, min_size=1, max_size=3))
    else:
        calls = [data.draw(like(read_call(truth["call"]))) for truth in entry.truth]
    written = write_native(calls) if mode is Mode.FC else write_calls(calls, ReturnFormat.PYTHON)
    result = data.draw(st.just(written) | _JSON) if data.draw(st.booleans()) else written
    web = data.draw(st.sampled_from([None, "simulated", "replay", "off", "unknown"]))
    response = Response(entry.entry_id, entry.category, mode, json.dumps(result), model="m", web=web)
    limits = data.draw(st.sampled_from([PAGE, TERMINAL]))
    rules = data.draw(st.sampled_from(list(Rules)))
    record = answer_record(entry, response, {}, conditions, rules=rules, limits=limits)
    for item in as_json(record)["answer"]:
        assert len(item["text"]) <= 7 * max(limits.words, limits.call) + 100
        assert all(letter.isprintable() or letter == "\n" for letter in item["text"])
