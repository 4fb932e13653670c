"""The conversation over entries of several turns, driven by hand."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.ask.generation import conversation
from bfcl_pipeline.ask.generation.conversation import STEP_LIMIT, ChatAsking
from bfcl_pipeline.benchmark.records import Entry, Exchange, Mode
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import World

DOCS = [
    {"name": name, "description": name, "parameters": {"type": "dict", "properties": {}, "required": []}}
    for name in ("get_ticket", "create_ticket", "logout")
]
LOGGED_IN = {"TicketAPI": {"current_user": "Ann", "ticket_queue": [], "ticket_counter": 7}}


@pytest.fixture(scope="module")
def texts(staged):
    """The prompt texts of the staged release."""
    return read_texts(staged)


@pytest.fixture
def talk(texts, setting_of):
    """Starts a conversation with the turns `asked` (one text each, None for a turn in which functions
    appear)."""

    def start(mode, *asked):
        held_out = {str(n): (DOCS[2],) for n, text in enumerate(asked) if text is None}
        entry = Entry(
            "multi_turn_miss_func_0",
            "multi_turn_miss_func",
            tuple(({"role": "user", "content": text},) if text else () for text in asked),
            tuple(DOCS[:2]),
            apis=("TicketAPI",),
            initial_state=LOGGED_IN,
            held_out=held_out,
        )
        return conversation(
            entry, ChatAsking(mode), texts, World.for_entry(entry, setting_of(entry), "model")
        )

    return start


def calls(*named):
    return [{name: json.dumps(arguments)} for name, arguments in named]


def end_of(talk, exchange):
    """The return value of the conversation after its last exchange."""
    with pytest.raises(StopIteration) as end:
        talk.send(exchange)
    return end.value.value


def test_results_go_back_as_tool_messages(talk):
    """In function-calling mode each outcome has the id of its call, and the world keeps its state."""
    held = talk(Mode.FC, "Open one.", "Show it.")
    first = next(held)
    assert [tool["function"]["name"] for tool in first.tools] == ["get_ticket", "create_ticket"]
    opened = calls(("create_ticket", {"title": "a"}), ("create_ticket", {"titel": "b"}))
    *_, answer, done, failed = held.send(Exchange(first, opened)).messages
    assert [call["name"] for call in answer["tool_calls"]] == ["create_ticket", "create_ticket"]
    assert done["tool_call_id"] == answer["tool_calls"][0]["id"]
    assert json.loads(done["content"])["id"] == 7
    assert failed["content"] == (
        "Error during execution: TicketAPI.create_ticket() got an unexpected keyword argument 'titel'"
    )


def test_results_are_one_message_to_a_prompted_model(talk):
    """In prompt mode one user message has all outcomes of a step, with the calls as they were decoded."""
    held = talk(Mode.PROMPT, "Open one.")
    request = held.send(Exchange(next(held), "[create_ticket(title='a'), logout()]"))
    assert request.tools == ()
    answer, results = request.messages[-2:]
    assert answer == {"role": "assistant", "content": "[create_ticket(title='a'), logout()]"}
    assert results["role"] == "user"
    assert results["content"].startswith(
        "[{'role': 'tool', 'name': \"create_ticket(title='a')\", 'content': "
    )
    assert results["content"].endswith(
        "{'role': 'tool', 'name': 'logout()', 'content': '{\"success\": true}'}]"
    )


@pytest.mark.parametrize("ending", ["Done.", "", [], None, {}, [{"logout": "{"}], [{"logout": "[]"}]])
def test_an_answer_without_calls_ends_the_turn(talk, ending):
    """An empty or unreadable answer stays in the history, runs nothing, and the next turn follows."""
    held = talk(Mode.FC, "One.", "Two.")
    request = held.send(Exchange(next(held), ending))
    assert (request.turn, request.messages[-1]) == (1, {"role": "user", "content": "Two."})
    assert end_of(held, Exchange(request, "Bye.")) == [[ending], ["Bye."]]


def test_functions_appear_at_their_turn(talk, texts):
    """Held-out functions are tools from their turn on, and a user message has their docs in prompt mode."""
    held = talk(Mode.FC, "One.", None)
    first = next(held)
    second = held.send(Exchange(first, "No."))
    assert len(first.tools) == 2
    assert second.tools[-1]["function"]["name"] == "logout"
    assert second.messages[-1]["content"] == texts.more_functions_fc
    held = talk(Mode.PROMPT, "One.", None)
    second = held.send(Exchange(next(held), "No."))
    assert second.messages[-1]["content"] == f"{[DOCS[2]]}\n{texts.more_functions_fc}"


def test_too_many_steps_end_the_whole_conversation(talk):
    """After the step limit and one more step with calls, later turns are missing from the result."""
    held = talk(Mode.FC, "One.", "Two.")
    request, step = next(held), calls(("get_ticket", {"ticket_id": 1}))
    for _ in range(STEP_LIMIT):
        request = held.send(Exchange(request, step))
    assert request.turn == 0
    assert end_of(held, Exchange(request, step)) == [[step] * (STEP_LIMIT + 1)]


def test_the_step_limit_is_for_each_turn(talk):
    """As many steps as the limit allows, in every turn, do not end the conversation."""
    held = talk(Mode.FC, "One.", "Two.")
    request, step = next(held), calls(("get_ticket", {"ticket_id": 1}))
    for turn in range(2):
        for _ in range(STEP_LIMIT):
            request = held.send(Exchange(request, step))
        if turn == 0:
            request = held.send(Exchange(request, "Next."))
    assert len(end_of(held, Exchange(request, "Done."))) == 2


def test_the_reply_of_an_adapter_is_added_to_the_history(talk):
    """An adapter may keep more of an answer than its result; the next request has that form."""
    held = talk(Mode.FC, "One.")
    first = next(held)
    asked = [{"id": "toolu_9", "name": "logout", "arguments": "{}"}]
    reply = {"role": "assistant", "content": "Let me.", "tool_calls": asked}
    request = held.send(Exchange(first, calls(("logout", {})), reply=reply))
    assert request.messages[-2] is reply
    assert request.messages[-1]["tool_call_id"] == "toolu_9"


def test_a_request_is_not_changed_by_later_turns(talk):
    """The messages of an earlier request stay the same: a journal may write them later."""
    held = talk(Mode.FC, "One.", "Two.")
    first = next(held)
    before = first.messages
    held.send(Exchange(first, calls(("logout", {}))))
    assert first.messages == before
    assert len(before) == 1


def test_the_limit_is_that_of_the_release(constants):
    """The number of steps is the release's own."""
    assert constants.number("default_prompts", "MAXIMUM_STEP_LIMIT") == STEP_LIMIT
