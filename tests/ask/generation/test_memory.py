"""Memories between sessions and questions."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from bfcl_pipeline.ask.generation.generate import SESSION_ATTEMPTS
from bfcl_pipeline.base.errors import ModelError
from bfcl_pipeline.benchmark.records import Entry, Exchange, Mode, Status
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import World
from tests.support.local_generation import generate


class Noting:
    """A model that writes its session's id into the memory, and fails at some entries for some attempts."""

    name = "noting"
    mode = Mode.FC

    def __init__(self, fails: dict[str, int] | None = None) -> None:
        self.fails = dict(fails or {})
        self.asked: list[tuple[str, str]] = []

    def prepare(self, entries):
        pass

    def responder(self, entry):
        def respond(request):
            if self.fails.get(entry.entry_id, 0) > 0:
                self.fails[entry.entry_id] -= 1
                raise ModelError("the server is down")
            self.asked.append((entry.entry_id, str(request.messages[0]["content"])))
            if request.messages[-1]["role"] != "user" or request.turn:
                return Exchange(request, "Done.")
            return Exchange(request, [{"memory_append": json.dumps({"text": f"<{entry.entry_id}>"})}])

        return respond


@pytest.fixture
def chain(entries: Callable[[str], list[Entry]]) -> list[Entry]:
    """The sessions of one scenario and two of its questions."""
    own = [entry for entry in entries("memory_rec_sum") if entry.scenario == "notetaker"]
    sessions = [entry for entry in own if entry.prerequisite]
    return [*sessions, *[entry for entry in own if not entry.prerequisite][:2]]


def held(chain, model, staged, setting_of):
    return list(generate(chain, model, read_texts(staged), setting_of))


def test_each_starts_from_the_snapshot_before_it(chain, staged, setting_of):
    """Sessions accumulate in order; every question starts from the last session, without other questions'
    changes."""
    model = Noting()
    done = held(chain, model, staged, setting_of)
    sessions = [one for one in done if one.entry.prerequisite]
    contents = "".join(f"<{one.entry.entry_id}>" for one in sessions)
    assert sessions[-1].snapshot == {"memory": contents}
    assert [one.snapshot["memory"].count("<") for one in sessions] == [1, 2, 3, 4, 5]
    first, second = done[-2:]
    assert (first.snapshot, second.snapshot) == (None, None)
    prompts = dict(reversed(model.asked))
    for question in (first, second):
        assert f"{contents}\n" in prompts[question.entry.entry_id]


def test_a_session_is_retried(chain, staged, setting_of):
    """A failed session is retried from the same snapshot, and the failure leaves no trace."""
    failing = {chain[1].entry_id: SESSION_ATTEMPTS - 1}
    undisturbed = held(chain, Noting(), staged, setting_of)
    assert held(chain, Noting(failing), staged, setting_of) == undisturbed


def test_questions_wait_for_their_sessions(chain, staged, setting_of):
    """If all attempts at a session fail, the entries that depend on it do not run on an empty memory."""
    model = Noting({chain[2].entry_id: SESSION_ATTEMPTS})
    done = held(chain, model, staged, setting_of)
    statuses = [one.response.status for one in done]
    assert statuses == [Status.ANSWERED] * 2 + [Status.INFRASTRUCTURE_ERROR] * 5
    assert "its session" in done[-1].response.status_detail
    assert "the server is down" in done[-1].response.status_detail
    assert all(entry_id != chain[-1].entry_id for entry_id, _ in model.asked)


def test_a_question_without_its_sessions_is_skipped(chain, staged, setting_of):
    """Its status names the session that is missing."""
    (done,) = held(chain[-1:], Noting(), staged, setting_of)
    assert done.response.status is Status.SKIPPED
    assert chain[0].entry_id in done.response.status_detail


def test_a_world_knows_its_memory(chain, entries, setting_of):
    """The memory among the APIs is found by its name; other worlds have no memory."""
    assert World.for_entry(chain[0], setting_of(chain[0]), "m").memory is not None
    other = entries("multi_turn_base")[0]
    assert World.for_entry(other, setting_of(other), "m").memory is None
