"""Lexical as a model: what it sees, what it answers, and that every form of a request is one to it."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from bfcl_pipeline.benchmark import FORMATS
from bfcl_pipeline.calls import decode
from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.generation import generate, responses
from bfcl_pipeline.models.lexical import Lexical, answer
from bfcl_pipeline.models.lexical.answer import NO_CALL
from bfcl_pipeline.models.lexical.prompt_docs import read_prompt
from bfcl_pipeline.prompts import fc_request, prompt_request
from bfcl_pipeline.records import Mode, Request, Response, Rules
from bfcl_pipeline.scoring import judge
from bfcl_pipeline.tables.texts import read_texts


def _row(mode):
    return ModelRow(
        "lexical", "lexical", mode, "Lexical", "us", "Apache-2.0", "https://example.org", "words"
    )


def _tool(name, description, required=(), **properties):
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": schema},
    }


AREA = _tool(
    "triangle_area",
    "Calculate the area of a triangle.",
    ["base", "height"],
    base={"type": "integer", "description": "The base of the triangle."},
    height={"type": "integer", "description": "The height of the triangle."},
    unit={"type": "string", "description": "The unit, such as 'cm'."},
)
WEATHER = _tool(
    "get_weather",
    "Get the weather forecast of a city.",
    ["city"],
    city={"type": "string", "description": "The city."},
    days={"type": "integer", "description": "How many days ahead."},
    scale={"type": "string", "enum": ["celsius", "fahrenheit"], "description": "The temperature scale."},
)


def _ask(text, *tools):
    return answer(Request(Mode.FC, ({"role": "user", "content": text},), tools))


def _calls(text, *tools):
    return [
        (name, json.loads(arguments)) for call in _ask(text, *tools) for name, arguments in call.items()
    ]


@pytest.mark.parametrize("mode", list(Mode))
def test_it_cannot_see_the_truth(entries, staged, setting_of, mode):
    """With ids, truths and sources scrambled the answers are the same, byte for byte."""
    texts = read_texts(staged)
    model = Lexical(_row(mode))
    plain = [entry for name in ("parallel_multiple", "live_simple") for entry in entries(name)[::10]]
    scrambled = [
        replace(entry, entry_id=f"x{n}", truth=[{"none": {}}], source="x") for n, entry in enumerate(plain)
    ]
    seen = [response.result_json for response in responses(generate(plain, model, texts, setting_of))]
    again = responses(generate(scrambled, model, texts, setting_of))
    assert seen == [response.result_json for response in again]
    assert len(set(seen)) > len(seen) / 2


def test_all_26_formats_are_the_same_request(entries, staged):
    """Whatever the asked syntax and the form of equal docs, the calls that come back are the same."""
    texts = read_texts(staged)
    chosen = [
        entry for name in ("simple_python", "multiple", "parallel") for entry in entries(name)[20:60:4]
    ]
    asked = called = 0
    for entry in chosen:
        requests = [prompt_request(replace(entry, prompt_format=fmt.key), texts) for fmt in FORMATS]
        if len({read_prompt(request.messages[0]["content"]).functions for request in requests}) > 1:
            continue  # docs as Python or XML leave out what a list may hold and, some, what is required
        found = {_decoded(answer(request), fmt) for request, fmt in zip(requests, FORMATS, strict=True)}
        assert len(found) == 1, (entry.entry_id, found)
        asked += 1
        called += "no call" not in found
    assert called > asked / 2 > 5


def _decoded(text, fmt):
    calls = decode(text, mode=Mode.PROMPT, return_format=fmt.return_format, tool_call_tag=fmt.tool_call_tag)
    return repr(calls) if isinstance(calls, tuple) and calls else "no call"


def test_both_modes_give_the_same_calls(entries, staged):
    """Tool schemas and the default system prompt lead to the same calls, up to dots in names."""
    texts = read_texts(staged)
    for entry in entries("simple_python")[:60]:
        native = decode(answer(fc_request(entry)), mode=Mode.FC)
        prompted = decode(answer(prompt_request(entry, texts)), mode=Mode.PROMPT)
        assert isinstance(native, tuple) == isinstance(prompted, tuple)
        if isinstance(native, tuple) and isinstance(prompted, tuple):
            assert [call.name for call in native] == [call.name.replace(".", "_") for call in prompted]
            assert [call.arguments for call in native] == [call.arguments for call in prompted]


def test_it_does_not_depend_on_the_hash_seed(staged, tmp_path):
    """Two processes with different hash seeds write the same table, byte for byte."""
    tables = []
    for seed in ("0", "1"):
        out = tmp_path / seed
        command = [sys.executable, "-m", "bfcl_pipeline.cli", "generate", "--model", "lexical-FC"]
        command += ["--category", "parallel", "--run", "r", "--data", str(staged), "--out", str(out)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True)
        tables.append((out / "parallel.parquet").read_bytes())
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("category", "floor"), [("simple_python", 0.35), ("multiple", 0.35), ("irrelevance", 0.6)]
)
def test_it_is_a_floor_above_the_ground(entries, category, floor):
    """It passes a fair share of the plain categories and mostly says when nothing fits."""
    verdicts = [
        judge(entry, Response(entry.entry_id, category, Mode.FC, json.dumps(answer(fc_request(entry)))))
        for entry in entries(category)
    ]
    assert floor < sum(verdict.valid is True for verdict in verdicts) / len(verdicts) < 0.9


def test_java_values_are_source_text(entries):
    """For a Java function every argument is text in Java's syntax, as the hints in the docs ask."""
    (entry,) = (one for one in entries("simple_java") if one.entry_id == "simple_java_34")
    ((name, arguments),) = (item for call in answer(fc_request(entry)) for item in call.items())
    assert name == "ServiceManager_newTimeout"
    assert json.loads(arguments)["delay"] == "5L"
    response = Response(entry.entry_id, entry.category, Mode.FC, json.dumps([{name: arguments}]))
    assert judge(entry, response, Rules.OFFICIAL).error_type != "type_error:java"


def test_numbers_go_to_the_parameters_named_beside_them():
    """A number belongs to the parameter whose words stand around it, not to the next in line."""
    text = "What is the area of a triangle with a height of 5 and a base of 10?"
    assert _calls(text, WEATHER, AREA) == [("triangle_area", {"base": 10, "height": 5})]


def test_optional_parameters_are_given_only_if_mentioned():
    """A choice that the request names is given; what it does not mention is left out."""
    assert _calls("What will the weather be like in Oslo?", WEATHER) == [("get_weather", {"city": "Oslo"})]
    text = "Give me the weather forecast for Oslo in Celsius for 3 days."
    assert _calls(text, WEATHER) == [("get_weather", {"city": "Oslo", "days": 3, "scale": "celsius"})]


def test_values_in_a_row_are_calls_in_a_row():
    """Several values for a parameter that takes one make several calls."""
    found = _calls("What is the weather forecast for Oslo, Paris and Rome?", WEATHER)
    assert [arguments["city"] for _name, arguments in found] == ["Oslo", "Paris", "Rome"]


def test_parts_that_tell_the_same_things_are_calls():
    """Two triangles, each with a base and a height, make two calls."""
    text = (
        "Find the areas of two triangles. The first triangle has a base of 3 and a height of 4. "
        "The second triangle has a base of 5 and a height of 6."
    )
    found = _calls(text, AREA)
    assert found == [
        ("triangle_area", {"base": 3, "height": 4}),
        ("triangle_area", {"base": 5, "height": 6}),
    ]


def test_different_parts_may_ask_for_different_functions():
    """Each function gets the values of the part of the request that names it."""
    text = (
        "Get the weather forecast for Oslo. Then calculate the area of a triangle with base 3 and height 4."
    )
    found = _calls(text, AREA, WEATHER)
    assert found == [("get_weather", {"city": "Oslo"}), ("triangle_area", {"base": 3, "height": 4})]


@pytest.mark.parametrize("text", ["Who wrote Hamlet?", "", "请问今天几点", "[]", "'" * 500])
def test_it_says_so_where_nothing_fits(text):
    """A request that shares no words with any function gets a sentence that is no call."""
    assert _ask(text, AREA, WEATHER) == NO_CALL
    assert not isinstance(decode(NO_CALL, mode=Mode.PROMPT), tuple)


def test_no_functions_no_call():
    """Without functions there is nothing to call."""
    assert _ask("Calculate the area of a triangle.") == NO_CALL
    prompt = ({"role": "system", "content": "no docs"}, {"role": "user", "content": "hi"})
    assert answer(Request(Mode.PROMPT, prompt)) == NO_CALL
