"""Running entries: order, sums, statuses."""

import json
from dataclasses import dataclass

import pytest

from bfcl_pipeline.ask.generation import responses
from bfcl_pipeline.benchmark.records import Exchange, Mode, Status
from bfcl_pipeline.dialogue.release_texts import read_texts
from tests.support.local_generation import generate


@dataclass
class Scripted:
    """A model with fixed answers."""

    mode: Mode = Mode.FC
    name: str = "scripted"

    def prepare(self, entries):
        pass

    def responder(self, entry):
        def respond(request):
            return Exchange(request, f"said to {entry.entry_id} é", input_tokens=3, latency_seconds=0.5)

        return respond


@pytest.fixture
def texts(staged):
    return read_texts(staged)


def test_responses_come_in_entry_order_with_their_origin(entries, texts, setting_of):
    """Each entry has one response, in order, with run, model, mode, result and sums."""
    asked = entries("simple_python")[:3]
    found = responses(generate(asked, Scripted(), texts, setting_of, run="r1"))
    assert [response.entry_id for response in found] == [entry.entry_id for entry in asked]
    first = found[0]
    assert (first.run, first.model, first.category, first.mode) == (
        "r1",
        "scripted",
        "simple_python",
        Mode.FC,
    )
    assert json.loads(first.result_json) == f"said to {asked[0].entry_id} é"
    assert first.status is Status.ANSWERED
    assert (first.input_tokens, first.output_tokens, first.latency_seconds) == (3, None, 0.5)


def test_another_exception_stops_the_job(entries, texts, setting_of):
    """Any other exception is a defect and is not hidden in a status."""

    class Broken(Scripted):
        def responder(self, entry):
            raise KeyError("defect")

    with pytest.raises(KeyError):
        list(generate(entries("irrelevance")[:1], Broken(), texts, setting_of))
