"""Running entries: order, sums, statuses."""

import json
from dataclasses import dataclass, field

import pytest

from bfcl_pipeline.ask.generation import conversation, responses
from bfcl_pipeline.ask.generation.asking import ChatAsking
from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.benchmark.records import Exchange, Mode, Status
from bfcl_pipeline.dialogue.prompts import fc_request, prompt_request
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import World
from tests.support.local_generation import generate


@dataclass
class Scripted:
    """A model with fixed answers, which fails at one entry."""

    mode: Mode = Mode.FC
    name: str = "scripted"
    fails: str | None = None  # the entry at which it fails
    requests: list = field(default_factory=list)
    met: list = field(default_factory=list)

    def prepare(self, entries):
        self.met = [entry.entry_id for entry in entries]

    def responder(self, entry):
        def respond(request):
            self.requests.append(request)
            if entry.entry_id == self.fails:
                raise ModelError("the server is down")
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


def test_an_infrastructure_failure_is_a_status(entries, texts, setting_of):
    """An entry with a failed request has a status and no answer; the other entries continue."""
    asked = entries("irrelevance")[:3]
    model = Scripted(fails=asked[1].entry_id)
    found = responses(generate(asked, model, texts, setting_of))
    assert [response.status for response in found] == [
        Status.ANSWERED,
        Status.INFRASTRUCTURE_ERROR,
        Status.ANSWERED,
    ]
    assert found[1].result_json is None
    assert found[1].status_detail == "the server is down"


def test_another_exception_stops_the_job(entries, texts, setting_of):
    """Any other exception is a defect and is not hidden in a status."""

    class Broken(Scripted):
        def responder(self, entry):
            raise KeyError("defect")

    with pytest.raises(KeyError):
        list(generate(entries("irrelevance")[:1], Broken(), texts, setting_of))


def test_the_request_is_that_of_the_mode(entries, texts, setting_of):
    """Requests have tools in function-calling mode, the system prompt in prompt mode."""
    entry = entries("multiple")[0]
    for mode, wanted in (
        (Mode.FC, fc_request(entry)),
        (Mode.PROMPT, prompt_request(entry, texts)),
    ):
        model = Scripted(mode=mode)
        list(generate([entry], model, texts, setting_of))
        assert model.requests == [wanted]


def test_a_single_turn_conversation_is_one_exchange(entries, texts, setting_of):
    """The conversation yields one request and ends with the result of its exchange."""
    entry = entries("multiple")[0]
    talk = conversation(
        entry, ChatAsking(Mode.FC), texts, World.for_entry(entry, setting_of(entry), "model")
    )
    request = next(talk)
    with pytest.raises(StopIteration) as end:
        talk.send(Exchange(request, [{"f": "{}"}]))
    assert end.value.value == [{"f": "{}"}]
