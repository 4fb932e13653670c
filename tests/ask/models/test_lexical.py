"""Lexical as a model: it answers from the request alone, equally in both modes, and marks a floor."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from bfcl_pipeline.ask.generation import responses
from bfcl_pipeline.ask.models.lexical import NO_CALL, Lexical, answer
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.definition import FORMATS
from bfcl_pipeline.benchmark.records import Call, Mode, Request, Response, Rules
from bfcl_pipeline.cli import main
from bfcl_pipeline.dialogue.calls import decode
from bfcl_pipeline.dialogue.prompts import fc_request, prompt_request
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.judge.judging import SimulatedOnly
from bfcl_pipeline.judge.scoring import judge
from tests.support.local_generation import generate


def _function(name, description, required=(), **properties):
    parameters = {"type": "dict", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "parameters": parameters}


AREA = _function(
    "triangle.area",
    "Calculate the area of a triangle.",
    ["base", "height"],
    base={"type": "integer", "description": "The base of the triangle."},
    height={"type": "integer", "description": "The height of the triangle."},
    unit={"type": "string", "description": "The unit, such as 'cm'."},
)
WEATHER = _function(
    "get_weather",
    "Get the weather forecast of a city.",
    ["city"],
    city={"type": "string", "description": "The city."},
    days={"type": "integer", "description": "How many days ahead."},
    scale={"type": "string", "enum": ["celsius", "fahrenheit"], "description": "The temperature scale."},
)


def _answer(text, *functions, mode=Mode.FC, **form):
    return answer(Request(mode, ({"role": "user", "content": text},), functions=functions, **form))


def _calls(text, *functions):
    """The calls as pairs of a function name and its arguments."""
    natives = _answer(text, *functions)
    return [(name, json.loads(arguments)) for call in natives for name, arguments in call.items()]


@pytest.mark.parametrize("mode", list(Mode))
def test_it_cannot_see_the_truth(entries, staged, setting_of, mode):
    """With ids, truths and sources replaced the answers are the same, byte for byte."""
    texts = read_texts(staged)
    row = ModelRow("m", "lexical", mode, "Lexical", "us", "Apache-2.0", "https://example.org", "words")
    model = Lexical(row)
    plain = [entry for name in ("parallel_multiple", "live_simple") for entry in entries(name)[::10]]
    replaced = [
        replace(entry, entry_id=f"x{n}", truth=[{"none": {}}], source="x") for n, entry in enumerate(plain)
    ]
    results = [response.result_json for response in responses(generate(plain, model, texts, setting_of))]
    again = responses(generate(replaced, model, texts, setting_of))
    assert results == [response.result_json for response in again]
    assert len(set(results)) > len(results) / 2


def test_all_26_formats_hold_the_same_calls(entries, staged):
    """The calls do not depend on the return format, and each is written so that its decoder reads them."""
    texts = read_texts(staged)
    chosen = [
        entry for name in ("simple_python", "multiple", "parallel") for entry in entries(name)[20:60:4]
    ]
    called = 0
    for entry in chosen:
        native = decode(answer(fc_request(entry)), mode=Mode.FC)
        expected = _without_dots(native) if isinstance(native, tuple) and native else "no call"
        for fmt in FORMATS:
            text = answer(prompt_request(replace(entry, prompt_format=fmt.key), texts))
            calls = decode(
                text, mode=Mode.PROMPT, return_format=fmt.return_format, tool_call_tag=fmt.tool_call_tag
            )
            decoded = _without_dots(calls) if isinstance(calls, tuple) and calls else "no call"
            assert decoded == expected, (entry.entry_id, fmt.key)
            assert ("<TOOLCALL>" in text) == (fmt.tool_call_tag and expected != "no call")
        called += expected != "no call"
    assert called > len(chosen) / 2


def _without_dots(calls):
    return [Call(call.name.replace(".", "_"), call.arguments) for call in calls]


@pytest.mark.parametrize("category", ["simple_python", "simple_java", "simple_javascript", "live_multiple"])
def test_both_modes_give_the_same_calls(entries, staged, category):
    """In both modes the same entries pass."""
    texts = read_texts(staged)
    passed = {mode: [] for mode in Mode}
    for entry in entries(category)[:60]:
        for mode, request in ((Mode.FC, fc_request(entry)), (Mode.PROMPT, prompt_request(entry, texts))):
            response = Response(entry.entry_id, category, mode, json.dumps(answer(request)))
            passed[mode].append(judge(entry, response, Rules.OFFICIAL).valid)
    assert passed[Mode.FC] == passed[Mode.PROMPT]
    assert any(passed[Mode.FC])


def test_it_does_not_depend_on_the_hash_seed(staged, tmp_path):
    """Another process, with another hash seed, writes the same table, byte for byte."""
    command = ["generate", "--model", "lexical-FC", "--category", "parallel", "--sample", "40"]
    command += ["--run", "r", "--data", str(staged), "--out"]
    assert main([*command, str(tmp_path / "here")]) == 0
    there = [sys.executable, "-m", "bfcl_pipeline.cli", *command, str(tmp_path / "there")]
    seed = "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0"
    subprocess.run(there, check=True, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True)
    tables = [tmp_path / place / "parallel.parquet" for place in ("here", "there")]
    assert tables[0].read_bytes() == tables[1].read_bytes()


@pytest.mark.parametrize(
    ("category", "floor"),
    [
        ("simple_python", 0.35),
        ("simple_java", 0.25),
        ("multiple", 0.35),
        ("parallel", 0.08),
        ("parallel_multiple", 0.04),
        ("live_simple", 0.15),
        ("live_multiple", 0.12),
        ("irrelevance", 0.6),
        ("live_irrelevance", 0.6),
    ],
)
def test_it_scores_above_zero(entries, category, floor):
    """It passes a fair share of every third entry and mostly abstains where no function fits."""
    verdicts = [
        judge(entry, Response(entry.entry_id, category, Mode.FC, json.dumps(answer(fc_request(entry)))))
        for entry in entries(category)[::3]
    ]
    assert floor < sum(verdict.valid is True for verdict in verdicts) / len(verdicts) < 0.9


@pytest.mark.parametrize(
    ("category", "passed"),
    [
        ("exec_simple", 40),
        ("exec_multiple", 15),
        ("exec_parallel", 9),
        ("exec_parallel_multiple", 1),
        ("rest", 0),
        ("sql", 0),
        ("chatable", 200),
    ],
)
def test_retired_categories_have_a_floor(entries, staged, category, passed):
    """It answers every entry, and passes the ones whose arguments stand in the question."""
    apis = SimulatedOnly(staged)(None)
    results = [json.dumps(answer(fc_request(entry))) for entry in entries(category)]
    verdicts = [
        judge(entry, Response(entry.entry_id, category, Mode.FC, result), apis=apis)
        for entry, result in zip(entries(category), results, strict=True)
    ]
    assert {verdict.valid for verdict in verdicts} <= {True, False}
    assert sum(verdict.valid is True for verdict in verdicts) == passed


def test_java_values_are_source_text(entries):
    """For a Java function every argument is text in Java syntax, as the hints in the docs require."""
    (entry,) = (one for one in entries("simple_java") if one.entry_id == "simple_java_34")
    ((name, arguments),) = (item for call in answer(fc_request(entry)) for item in call.items())
    assert name == "ServiceManager_newTimeout"
    assert json.loads(arguments)["delay"] == "5L"
    response = Response(entry.entry_id, entry.category, Mode.FC, json.dumps([{name: arguments}]))
    assert judge(entry, response, Rules.OFFICIAL).error_type != "type_error:java"


def test_numbers_go_to_the_parameters_named_beside_them():
    """A number is assigned to the parameter with words near the number, not to the next parameter in
    order."""
    text = "What is the area of a triangle with a height of 5 and a base of 10?"
    assert _calls(text, WEATHER, AREA) == [("triangle_area", {"base": 10, "height": 5})]


def test_optional_parameters_are_given_only_if_mentioned():
    """A choice that the request names is passed; optional parameters that it does not mention are
    omitted."""
    assert _calls("What will the weather be like in Oslo?", WEATHER) == [("get_weather", {"city": "Oslo"})]
    text = "Give me the weather forecast for Oslo in Celsius for 3 days."
    assert _calls(text, WEATHER) == [("get_weather", {"city": "Oslo", "days": 3, "scale": "celsius"})]


def test_an_enumeration_makes_several_calls_or_one_list():
    """Several values make a call each if the parameter takes one value, and one call if it takes a list."""
    text = "What is the weather forecast for Oslo, Paris and Rome?"
    assert [arguments["city"] for _, arguments in _calls(text, WEATHER)] == ["Oslo", "Paris", "Rome"]
    cities = {"type": "array", "items": {"type": "string"}, "description": "The cities."}
    listing = _function("get_weather", "Get the weather forecast of cities.", ["cities"], cities=cities)
    assert _calls(text, listing) == [("get_weather", {"cities": ["Oslo", "Paris", "Rome"]})]


def test_sentences_that_repeat_the_arguments_make_several_calls():
    """Two triangles, each with a base and a height, make two calls."""
    text = (
        "Find the areas of two triangles. The first triangle has a base of 3 and a height of 4. "
        "The second triangle has a base of 5 and a height of 6."
    )
    assert _calls(text, AREA) == [
        ("triangle_area", {"base": 3, "height": 4}),
        ("triangle_area", {"base": 5, "height": 6}),
    ]


def test_different_parts_may_call_different_functions():
    """Each function is called with the values of the part of the request that names it."""
    text = (
        "Get the weather forecast for Oslo. Then calculate the area of a triangle with base 3 and height 4."
    )
    calls = _calls(text, AREA, WEATHER)
    assert calls == [("get_weather", {"city": "Oslo"}), ("triangle_area", {"base": 3, "height": 4})]


@pytest.mark.parametrize("text", ["Who wrote Hamlet?", "", "请问今天几点", "[]", "'" * 500, "9" * 400])
def test_it_abstains_if_no_function_fits(text):
    """A request that shares no words with any function is answered with a sentence that is not a call."""
    assert _answer(text, AREA, WEATHER) == NO_CALL
    assert not isinstance(decode(NO_CALL, mode=Mode.PROMPT), tuple)


def test_without_functions_there_is_no_call():
    """Without functions or without messages there is nothing to call."""
    assert _answer("Calculate the area of a triangle.") == NO_CALL
    assert answer(Request(Mode.FC, (), functions=(AREA,))) == NO_CALL


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a rate of 8% a year", 0.08),
        ("a rate of 5 million", 5_000_000.0),
        ("a rate of -2,500.5 now", -2500.5),
        ("a rate of $20k", 20_000.0),
    ],
)
def test_numbers_have_their_value(text, value):
    """Signs, separators, scales and percent signs count."""
    rate = _function(
        "loan", "Calculate a loan.", ["rate"], rate={"type": "float", "description": "The rate."}
    )
    assert _calls(f"Calculate a loan with {text}.", rate) == [("loan", {"rate": value})]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on 2024-03-01 in Rome", "2024-03-01"),
        ("in Rome on March 10, 2022", "March 10, 2022"),
        ("on the 2nd of April in Rome", "2nd of April"),
    ],
)
def test_dates_go_to_parameters_named_date(text, value):
    """A date is not taken for a number, a name or any other text."""
    title, date = (
        {"type": "string", "description": "The place."},
        {"type": "string", "description": "When."},
    )
    event = _function("find_event", "Find an event.", ["place", "date"], place=title, date=date)
    assert _calls(f"Find an event {text}.", event) == [("find_event", {"place": "Rome", "date": value})]
