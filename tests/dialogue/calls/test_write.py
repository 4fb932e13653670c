"""Calls as text: they are decoded as the same calls, and have the form that prompts request."""

import random

import pytest

from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import Call, Mode
from bfcl_pipeline.dialogue.calls import decode, write_calls, write_native

CALL = Call(
    "geo.area", {"shape": "a \"b\" & 'c' <d>", "n": 3, "x": 2.5, "on": True, "by": [1, {"k": None}]}
)

PYTHONIC = (ReturnFormat.PYTHON, ReturnFormat.JSON, ReturnFormat.VERBOSE_XML, ReturnFormat.CONCISE_XML)


@pytest.mark.parametrize(
    ("return_format", "text"),
    [
        (ReturnFormat.PYTHON, "[f(a='x', b=1), m.g()]"),
        (
            ReturnFormat.JSON,
            '```json\n[{"function": "f", "parameters": {"a": "x", "b": 1}}, '
            '{"function": "m.g", "parameters": {}}]\n```',
        ),
        (
            ReturnFormat.VERBOSE_XML,
            '<functions><function name="f"><params><param name="a" value="x" type="string"/>'
            '<param name="b" value="1" type="integer"/></params></function>'
            '<function name="m.g"><params></params></function></functions>',
        ),
        (
            ReturnFormat.CONCISE_XML,
            '<functions><function name="f"><param name="a" type="string">x</param>'
            '<param name="b" type="integer">1</param></function>'
            '<function name="m.g"></function></functions>',
        ),
        (ReturnFormat.JAVA, '[f(a="x", b=1), m.g()]'),
        (ReturnFormat.JAVASCRIPT, '[f(a="x", b=1), m.g()]'),
    ],
)
def test_each_format_has_the_form_its_prompt_shows(return_format, text):
    """Two calls in each format are written exactly like the sample of the format."""
    calls = (Call("f", {"a": "x", "b": 1}), Call("m.g", {}))
    assert write_calls(calls, return_format) == text
    assert write_calls(calls, return_format, tool_call_tag=True) == f"<TOOLCALL>{text}</TOOLCALL>"


@pytest.mark.parametrize("tag", [False, True])
@pytest.mark.parametrize("return_format", PYTHONIC)
def test_values_of_every_type_read_back(return_format, tag):
    """Calls with values of every type are decoded as the same calls."""
    draw = random.Random(7)
    for _ in range(200):
        calls = tuple(
            Call(draw.choice(("f", "a.b.c")), {name: _value(draw, 0, return_format) for name in names})
            for names in (("a",), ("b", "c_1"))
        )
        text = write_calls(calls, return_format, tag)
        read = decode(text, mode=Mode.PROMPT, return_format=return_format, tool_call_tag=tag)
        assert repr(read) == repr(calls), text


def _value(draw, depth, return_format):
    """A value of any type; for JSON call text without lists that end with an object."""
    text = "".join(draw.choices([*"ab {}[]()<>&\"'\\\n\t\r,;é漢😀`|\x00", "</TOOLCALL>", "}]"], k=4))
    scalars = (
        text,
        draw.choice((0, -5, 10**20)),
        draw.choice((0.5, 1e300, -1e-9, float("inf"))),
        True,
        None,
    )
    if depth > 2 or draw.random() < 0.6:
        return draw.choice(scalars)
    if return_format is ReturnFormat.JSON:
        return [draw.choice(scalars) for _ in range(3)]
    inner = [_value(draw, depth + 1, return_format) for _ in range(draw.randint(0, 2))]
    return draw.choice((inner, tuple(inner), {text: inner}))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("mapController", '"mapController"'),
        ("5L", "5L"),
        ("true", "true"),
        ("new int[]{1,2}", "new int[]{1,2}"),
        ('new String[]{"a","b"}', 'new String[]{"a","b"}'),
        ("C:/data files", '"C:/data files"'),
        ('""new HashMap<>() {{ put("a", 1); }}""', '"""new HashMap<>() {{ put("a", 1); }}"""'),
    ],
)
def test_java_source_text_reads_back(value, written):
    """Text arguments of Java are source text: expressions are unquoted, other text is quoted."""
    calls = (Call("Service.run", {"x": value}),)
    assert write_calls(calls, ReturnFormat.JAVA) == f"[Service.run(x={written})]"
    assert decode(f"[Service.run(x={written})]", mode=Mode.PROMPT, return_format=ReturnFormat.JAVA) == calls


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("userInput", '"userInput"'),
        ("[1, 2]", "[1, 2]"),
        ('{a: "b"}', '{a: "b"}'),
        ('say "hi"', "'say \"hi\"'"),
        ("it's", '"it\'s"'),
        ("4.0", "4.0"),
    ],
)
def test_javascript_source_text_reads_back(value, written):
    """Text arguments of JavaScript are source text, in quotes that they do not contain."""
    calls = (Call("f", {"x": value}),)
    assert write_calls(calls, ReturnFormat.JAVASCRIPT) == f"[f(x={written})]"
    assert decode(f"[f(x={written})]", mode=Mode.PROMPT, return_format=ReturnFormat.JAVASCRIPT) == calls


def test_native_calls_are_named_with_underscores():
    """The native form has arguments as JSON text and no dots in names; it is decoded as the same calls."""
    native = write_native((CALL,))
    assert list(native[0]) == ["geo_area"]
    assert decode(native, mode=Mode.FC) == (Call("geo_area", CALL.arguments),)
