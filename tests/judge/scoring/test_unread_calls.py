"""Calls in the text of answers in mode fc, which were not read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from bfcl_pipeline.benchmark.records import Entry, Mode, Rules
from bfcl_pipeline.dialogue.calls import is_written_call
from bfcl_pipeline.dialogue.calls.limits import MAX_TEXT
from bfcl_pipeline.dialogue.families import READERS
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.judge.scoring.unread_calls import has_unread_call, offered_names
from bfcl_pipeline.world.tools import Constants
from tests.support.work import measured

Entries: TypeAlias = Callable[[str], list[Entry]]

NAMES = ["cd", "hotel.find", "get_rate"]

CALL = '{"name": "get_rate", "arguments": {"day": 1}}'

READ = {  # by the name of the reader that reads it
    "arch": f"<tool_call>\n{CALL}\n</tool_call>",
    "falcon": f"<tool_call>{CALL}</tool_call>",
    "function_call_marks": f"<function_call> {CALL}",
    "function_gemma": "<start_function_call>call:get_rate{day:1}<end_function_call>",
    "granite_3": f"<tool_call>[{CALL}]",
    "hammer": f"```\n[{CALL}]\n```",
    "json_array": f"[{CALL}]",
    "json_array_or_semicolons": f"{CALL}; {CALL}",
    "mistral": f"[{CALL}]",
    "phi": f"<|tool_call|>[{CALL}]<|/tool_call|>",
    "python_or_json": "<|python_tag|>{'name': 'get_rate', 'parameters': {'day': 1}}",
    "python_statements": "<|tool_call_start|>\n```python\nget_rate(day=1)\n```\n<|tool_call_end|>",
    "think_agent": f"<think>The rate.</think>\n[{CALL}]",
    "tool_call_tags": f"<think>The rate.</think>\nI look it up.\n<tool_call>\n{CALL}\n</tool_call>",
    "tool_call_tags_only": f"<tool_call>\n{CALL}\n</tool_call>",
    "two_lines": 'get_rate\n{"day": 1}',
}

OF_SERVERS = {
    "Mistral": f"[TOOL_CALLS][{CALL}]",
    "Mistral with arguments": '[TOOL_CALLS]get_rate[ARGS]{"day": 1}',
    "functools": f"functools[{CALL}]",
    "function tag": '<function=get_rate>{"day": 1}</function>',
    "function tag with parameters": "<function=get_rate>\n<parameter=day>\n1\n</parameter>\n</function>",
    "invoke": '<function_calls><invoke name="get_rate"><parameter name="day">1</parameter></invoke>',
    "invoke between bars": '<｜DSML｜function_calls><｜DSML｜invoke name="get_rate">',
    "wide tags": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_rate",
    "channel": '<|channel|>commentary to=functions.get_rate <|constrain|>json<|message|>{"day": 1}',
    "API form": '{"type": "function", "function": {"name": "hotel_find", "arguments": "{}"}}',
    "JSON in a code block after words": f"I look it up:\n```json\n{CALL}\n```",
    "Python list": "[get_rate(day=1), hotel.find(city='Bonn')]",
    "Python list in a code block": "```python\n[get_rate(day=1)]\n```",
    "Python list on a line": "The call:\n[get_rate(day=1)]",
    "Python calls": "hotel_find(city='Bonn')",
    "Python calls in a code block": "```python\nget_rate(day=1)\n```",
    "broken value": "<tool_call>{'name': 'get_rate', 'arguments': {'day': </tool_call>",
}

WORDS = {
    "words": "The rate of Monday is 3.",
    "mention": "I need the day for `get_rate`; get_rate(day) returns the rate (in %).",
    "mention of a tag": "A `<tool_call>` with get_rate would need the day.",
    "report of calls": "I did this:\n- `cd(folder='x')`: changed the folder\n- get_rate(day=1): 3\n\nDone.",
    "report on lines": "Commands that were executed:\ncd(folder='x')\ncd(folder='y')\n\nAll is done.",
    "report as JSON": '{"function": "get_rate", "result": 3}',
    "results as JSON": '[{"name": "cd", "output": "x"}, {"name": "get_rate", "output": 3}]',
    "answer as JSON": '{"answer": "get_rate", "context": "The function (get_rate) is in the memory."}',
    "function doc": '{"name": "get_rate", "parameters": {"type": "dict", "properties": {}}}',
    "program": "```python\nrates = []\nfor day in range(7):\n    rates.append(get_rate(day=day))\n```",
    "another function": "[math.sqrt(x=16)]",
    "another function in a tag": '<tool_call>{"name": "other", "arguments": {}}</tool_call>',
    "Markdown": "Use [cd](https://example.org/cd) or get_rate.",
    "reasoning": "<think>[get_rate(day=1)]</think>The rate is 3.",
    "nothing": "<tool_call>[]</tool_call> get_rate does not fit.",
}


@pytest.mark.parametrize("name", READ)
def test_the_forms_of_families(name: str) -> None:
    """What the reader of a family reads as a call of an offered function is a written call."""
    reader = READERS[name]
    assert isinstance(reader.uniform(reader.split(READ[name], 1).stored, runs=False), list)
    assert is_written_call(READ[name], NAMES)


@pytest.mark.parametrize("text", OF_SERVERS.values(), ids=OF_SERVERS)
def test_the_forms_of_servers(text: str) -> None:
    """Calls in the forms that tool parsers of servers read are written calls, complete or not."""
    assert is_written_call(text, NAMES)


@pytest.mark.parametrize("text", WORDS.values(), ids=WORDS)
def test_words(text: str) -> None:
    """Mentions, reports of earlier calls, programs, docs and other JSON are no written calls."""
    assert not is_written_call(text, NAMES)


@pytest.mark.parametrize(
    "unit", ["[get_rate(", "```\n[", "<tool_call>", '{"name": "get_rate", ', "cd(a=(", "get_rate;"]
)
def test_hostile_texts_take_little_work(unit: str) -> None:
    """The longest text of any repeated part is searched in few operations, up to the bound."""
    with measured() as work:
        for start in ("", "get_rate(", "```\n", "["):
            is_written_call((start + unit * MAX_TEXT)[: 2 * MAX_TEXT], NAMES)
    assert work.calls < 10_000


def written(entry: Entry) -> str:
    """A call of the first function of an entry, as text."""
    return f'<tool_call>\n{{"name": "{entry.functions[0]["name"]}", "arguments": {{}}}}\n</tool_call>'


@pytest.mark.parametrize(
    "category", ["simple_python", "simple_java", "parallel", "irrelevance", "live_relevance", "exec_simple"]
)
def test_an_unread_call_changes_no_verdict(category: str, entries: Entries) -> None:
    """In every single-turn category the verdict is that of a text without a call, but for the mark."""
    entry = entries(category)[0]
    judge = Judge(entry)
    (unread,) = judge.answer_verdicts(json.dumps(written(entry)), Mode.FC, None, [Rules.OFFICIAL])
    (words,) = judge.answer_verdicts('"Which one (of two)?"', Mode.FC, None, [Rules.OFFICIAL])
    assert (unread.unread_call, words.unread_call) == (True, False)
    assert (unread.valid, unread.error_type) == (words.valid, words.error_type)
    (prompted,) = judge.answer_verdicts(json.dumps(written(entry)), Mode.PROMPT, None, [Rules.OFFICIAL])
    assert not prompted.unread_call
    native = json.dumps(
        [{entry.functions[0]["name"].replace(".", "_"): json.dumps({"text": written(entry)})}]
    )
    assert not judge.answer_verdicts(native, Mode.FC, None, [Rules.OFFICIAL])[0].unread_call


@pytest.mark.parametrize("category", ["multi_turn_miss_func", "memory_kv", "web_search_base"])
def test_any_step_of_a_conversation_counts(category: str, entries: Entries, constants: Constants) -> None:
    """A written call in one step marks the answer, also of a function that is offered later."""
    entry = next(each for each in entries(category) if not each.prerequisite)
    later = [function for functions in entry.held_out.values() for function in functions]
    name = (later or entry.functions)[0]["name"]
    judge, steps = Judge(entry, constants), [[{entry.functions[0]["name"]: "{}"}], "Done (at last)."]
    turns = [steps for _ in entry.turns]
    rules = list(Rules)
    before = judge.answer_verdicts(json.dumps(turns), Mode.FC, None, rules)
    assert not any(verdict.unread_call for verdict in before)
    turns[-1] = [f'<function={name}>{{"a": 1}}</function>', *steps]
    after = judge.answer_verdicts(json.dumps(turns), Mode.FC, None, rules)
    assert all(verdict.unread_call for verdict in after if verdict.valid is not None)


def test_an_error_of_the_official_tool_is_no_answer_of_a_model(entries: Entries) -> None:
    """The text of a failed request may quote a call; the model's server returned nothing."""
    entry = entries("simple_python")[0]
    text = f"Error during inference: 500: unexpected {written(entry)}"
    (verdict,) = Judge(entry).answer_verdicts(json.dumps(text), Mode.FC, None, [Rules.OFFICIAL])
    assert not verdict.unread_call


def test_hand_read_answers(entries: Entries) -> None:
    """Of hand-read answers, malformed calls as text of offered functions are found, and no abstention."""
    known = {
        entry.entry_id: entry for name in ("irrelevance", "live_irrelevance") for entry in entries(name)
    }
    found: dict[str, int] = {}
    for line in (
        (Path(__file__).parent / "answer_classes/irrelevance.jsonl").read_text("utf-8").splitlines()
    ):
        row = json.loads(line)
        names = offered_names(known[row["entry_id"]])
        found[row["class"]] = found.get(row["class"], 0) + has_unread_call(
            json.loads(row["result_json"]), names
        )
    assert (found["abstained in words"], found["empty"], found["malformed call"]) == (0, 0, 38)
