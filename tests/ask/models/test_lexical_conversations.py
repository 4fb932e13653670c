"""Lexical in conversations: the functions offered to it, and its use of memory and web search."""

import json
from dataclasses import replace

import pytest

from bfcl_pipeline.ask.generation import conversation
from bfcl_pipeline.ask.generation.conversation import ChatAsking
from bfcl_pipeline.ask.models import build_adapter
from bfcl_pipeline.ask.models.lexical import answer
from bfcl_pipeline.benchmark.config import EMBEDDED_KINDS, KINDS, RECORDED_KINDS, ModelRow
from bfcl_pipeline.benchmark.records import Exchange, Mode, Request
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import World

SESSION = ({"role": "user", "content": "My dog is called Rex. He likes bones."},)
QUESTION = (
    {"role": "system", "content": "Answer in the form {'answer': ..., 'context': ...}."},
    {"role": "user", "content": "What is my dog called?"},
)
MEMORIES = {
    "memory_kv": ("archival_memory_add", "archival_memory_key_search", "core_memory_list_keys"),
    "memory_vector": ("archival_memory_add", "archival_memory_retrieve"),
    "memory_rec_sum": ("memory_append", "memory_retrieve"),
}


def _requests(entry, texts, setting_of, mode):
    """All requests of a conversation with lexical."""
    talk = conversation(entry, ChatAsking(mode), texts, World.for_entry(entry, setting_of(entry), "model"))
    requests = [next(talk)]
    while True:
        try:
            requests.append(talk.send(Exchange(requests[-1], answer(requests[-1]))))
        except StopIteration:
            return requests


@pytest.mark.parametrize("mode", list(Mode))
def test_functions_that_appear_later_are_handed_over_then(entries, staged, setting_of, mode):
    """A request lists the functions offered so far, exactly those that a model is sent as tools."""
    entry = next(one for one in entries("multi_turn_miss_func") if min(map(int, one.held_out)) > 0)
    requests = _requests(entry, read_texts(staged), setting_of, mode)
    for request in requests:
        later = [doc for turn, docs in entry.held_out.items() if int(turn) <= request.turn for doc in docs]
        assert list(request.functions) == [*entry.functions, *later]
        if mode is Mode.FC:
            names = [doc["name"].replace(".", "_") for doc in request.functions]
            assert names == [tool["function"]["name"] for tool in request.tools]
    assert requests[-1].functions != requests[0].functions


def test_both_modes_call_the_same_functions_in_all_turns(entries, staged, setting_of):
    """Results of calls and messages that add functions mean the same to it in both modes."""
    texts = read_texts(staged)
    made = 0
    for entry in entries("multi_turn_miss_func")[:10]:
        calls = []
        for mode in Mode:
            steps = [decode_step(answer(one), mode) for one in _requests(entry, texts, setting_of, mode)]
            calls.append([list(step) if isinstance(step, tuple) else [] for step in steps])
        assert calls[0] == calls[1]
        made += sum(map(len, calls[0]))
    assert made > 10


@pytest.mark.parametrize("kind", sorted(set(KINDS) - EMBEDDED_KINDS - RECORDED_KINDS))
@pytest.mark.parametrize("mode", list(Mode))
def test_lexical_only_fields_are_not_in_any_request_body(entries, staged, kind, mode):
    """Functions and answer form of a request are not part of any body."""
    entry = entries("format_sensitivity" if mode is Mode.PROMPT else "simple_java")[0]
    limits = {"vllm": {"backend": "endpoint"}, "transformers": {"family": "bielik"}}.get(kind, {})
    row = ModelRow(
        name="m",
        kind=kind,
        mode=mode,
        display_name="m",
        model="m",
        endpoint="http://127.0.0.1:1/v1",
        **limits,
    )
    adapter = build_adapter(row, offline=True)
    texts = read_texts(staged)
    request = adapter.asking.first(entry, texts)
    assert request.functions
    assert adapter.body(request) == adapter.body(Request(request.mode, request.messages, request.tools))


@pytest.mark.parametrize("memory", MEMORIES)
def test_it_stores_each_message_of_a_session_once(memory):
    """It adds the user's message to the memory and ends the turn after that call returned."""
    functions = tuple({"name": name} for name in MEMORIES[memory])
    request = Request(Mode.FC, SESSION, functions=functions)
    ((name, arguments),) = answer(request)[0].items()
    assert name == MEMORIES[memory][0]
    assert "My dog is called Rex." in arguments
    results = ({"role": "tool", "tool_call_id": "1", "name": name, "content": "{}"},)
    assert answer(replace(request, messages=SESSION + results)) == "Noted."


@pytest.mark.parametrize("memory", MEMORIES)
def test_it_answers_questions_from_the_memory(memory):
    """It searches once, fetches the keys that a search by key names, and answers with the best sentence."""
    functions = tuple({"name": name} for name in MEMORIES[memory])
    request = Request(Mode.FC, QUESTION, functions=functions)
    ((name, _),) = answer(request)[0].items()
    assert name == MEMORIES[memory][1]
    content = json.dumps({"result": [{"text": "It rains. My dog is called Rex. He likes bones."}]})
    if memory == "memory_kv":
        ranked = json.dumps({"ranked_results": [[0.9, "my_dog"]]})
        found = {"role": "tool", "tool_call_id": "1", "name": name, "content": ranked}
        ((name, arguments),) = answer(replace(request, messages=(*QUESTION, found)))[0].items()
        assert (name, json.loads(arguments)) == ("archival_memory_retrieve", {"key": "my_dog"})
    results = {"role": "tool", "tool_call_id": "2", "name": name, "content": content}
    final = answer(replace(request, messages=(*QUESTION, results)))
    assert final == "{'answer': 'My dog is called Rex.', 'context': 'My dog is called Rex.'}"


def test_it_searches_the_web_once():
    """It searches with the words of the question and answers from the results, even if they are empty."""
    functions = ({"name": "search_engine_query"}, {"name": "fetch_url_content"})
    request = Request(Mode.PROMPT, QUESTION, functions=functions)
    search = "[search_engine_query(keywords='What is my dog called?', max_results=5)]"
    assert answer(request) == search
    for content, final in (
        ('[{"body": "A dog called Rex."}]', "A dog called Rex."),
        ("[]", "I do not know"),
    ):
        results = repr([{"role": "tool", "name": search, "content": content}])
        messages = (*QUESTION, {"role": "user", "content": results})
        assert answer(replace(request, messages=messages)) == str({"answer": final, "context": final})
