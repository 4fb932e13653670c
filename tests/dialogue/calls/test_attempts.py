"""Attempted calls in text that cannot be decoded."""

from __future__ import annotations

import pytest

from bfcl_pipeline.dialogue.calls import attempted_call, has_words
from bfcl_pipeline.dialogue.calls.limits import MAX_TEXT
from tests.support.work import measured

NAMES = ["hotel.find", "get_rate", "get_co-ordinate"]

ATTEMPTS = {
    "tag": '<tool_call>\n{"name": "other", "arguments": {}}\n</tool_call>',
    "tag within a tag": '<tool_call>\n<tool_call name="f" arguments={"a": 1}/>\n</tool_call>',
    "tag that is not closed": "I will look it up. <tool_call>",
    "tag in capitals": "<TOOLCALL>[f(x=1)]</TOOLCALL>",
    "tag between bars": '<|tool_call|>[{"name": "f"',
    "start tag": "<|tool_call_start|>\n```python\nf(x=1)\n```\n<|tool_call_end|>",
    "section tag": "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0",
    "wide tag": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function",
    "tag with a prefix": "<xai:function_call>f",
    "function call tag": "<start_function_call>call:f{a:1}<end_function_call>",
    "function tag": '<function=f>{"a": 1}</function>',
    "function tag with a name": '<functions><function name="f"><params>',
    "invoke": '<function_calls><invoke name="f">',
    "tool calls": '[TOOL_CALLS][{"name": "f"}]',
    "tool request": '[TOOL_REQUEST]{"name": "f"}[END_TOOL_REQUEST]',
    "functools": 'functools[{"name": "f"}]',
    "python tag": "<|python_tag|>f.call(a=1)",
    "action tag": '<|START_ACTION|>[{"tool_name": "f"}]',
    "channel": "to=functions.get_rate <|constrain|>json",
    "tool code": "```tool_code\nprint(f(x=1))\n```",
    "list of calls with a broken value": "[get_rate(day='it's')]",
    "list that is cut short": "[get_rate(day='mon",
    "list of another function": "[math.solve(a=1)](b)",
    "list after prose": "The call is [get_rate(day=1)].",
    "list of another function on a line": "The call is:\n[math.solve(a=1), f(]",
    "list before prose": "[get_rate(day=1)]\n\nThis returns the rate.",
    "list of text": "['get_rate(day=1)']",
    "list of names": "[hotel.find]",
    "list of a name and arguments": "['get_rate', {'day': 1}]",
    "list with code marks": "[`get_rate(day=1)`]",
    "list with Markdown's escapes": "[get\\_rate(day=1), hotel.find(city='it's')]",
    "list of lists": "[['get_rate', {'day': 1}], ['get_rate', {'day': 2}]]",
    "list of tuples": "[('get_rate', {'day': 1})]",
    "list in a code block": "```json\n[get_rate(day=1)]\n```",
    "call in a code block": "Here:\n```python\nget_rate(day=1)['rate']\n```",
    "call after a comment": "```python\n# the rate\nreturn get_rate(day=1)\n```",
    "assigned call": "```python\nrate = get_rate(day=1)\n```",
    "printed call": "```\nprint(get_rate(day=1))\n```",
    "call without its module": "```python\nfind(city='Bonn')\n```",
    "underscored name": "[hotel_find(city='it's')]",
    "name with a hyphen": "[get_co-ordinate(location='Bonn')]",
    "call in a namespace": "```\nresult = functions.get_rate({'day': 1})\n```",
    "calls of other functions": "first(a=1), second(b=(1, 2))",
    "calls with semicolons": "get_rate(day=1); get_rate(day=2);",
    "one call of another function": "<|start_header_id|>assistant<|end_header_id|>\n\nmath.sin(45)",
    "call on a line": "I call it:\nget_rate(day=1)\nand see.",
    "call before a comment": "get_rate(day=1)  # the rate of the day\n\nThis is the rate.",
    "call over lines": "I call it:\nget_rate(\n  day=1\n)\nand see.",
    "call after a label": "Tool call: get_rate(day=1)",
    "call that is cut short": "First:\nget_rate(day='mon",
    "call after reasoning": "<think>No.</think>\n[get_rate(day='it's')]",
    "JSON": '[{"name": "get_rate", "arguments": {"day": 1}}',
    "JSON in Python's form": "{'name': 'get_rate', 'parameters': {'day': 1}}",
    "JSON with a type": '{"type": "function", "name": "unknown", "parameters": {}}',
    "JSON of another function": 'So: {"name": "unknown", "arguments": {"a": 1}}',
    "JSON with parameters of another function": '{"name": "unknown", "parameters": {"a": 1}}',
    "JSON with function": '{"function": "unknown", "parameters": {"a": 1}}',
    "JSON with a function's name": "[{'func_name': 'unknown', 'params': {'a': 1}}]",
    "JSON without arguments": '{"name": "get_rate"}',
    "JSON with flat arguments": "[{'name': 'get_rate', 'day': 1}]",
    "JSON keyed by the function": '[{"get_rate": {"day": 1}}]',
    "JSON in a code block": '```json\n[\n  {\n    "name": "hotel.find",\n    "parameters": {}\n  }\n]\n```',
    "escaped JSON": '{\\"name\\": \\"get_rate\\", \\"arguments\\": {}}',
    "JSON with a namespace": '{"recipient_name": "functions.get_rate", "parameters": {}}',
    "name over JSON": 'get_rate\n{"day": 1}',
    "name of another function over JSON": 'unknown\n{"day": 1}',
    "name before JSON": 'get_rate{"day": 1}',
    "action": 'Thought: I need it.\nAction: get_rate\nAction Input: {"day": 1}',
    "action with brackets": "Action: get_rate[monday]",
    "element": "<get_rate><day>1</day></get_rate>",
    "name and arguments with labels": 'Function: get_rate\nArguments: {"day": 1}',
    "numbered calls": "1. get_rate(day=1)\n2. get_rate(day=2)",
    "call in a list of points": "I need:\n- `get_rate(day=1)`\n",
    "assigned call without a code block": "rate = get_rate(day=1)",
    "awaited call": "await get_rate({day: 1})",
    "constant": "const rate = await get_rate({day: 1});",
    "call in a bold point": "- **get_rate(day=1)**",
    "call in an element": "<api_call>get_rate(day=1)</api_call>",
    "call in quotation marks": "\"get_rate(day='it's')\"",
    "call in round brackets": "(get_rate(day=1))",
    "call of another function that is cut short": 'find_poi(city="Bonn", ki',
    "doc with values": "[{'name': 'get_rate', 'description': 'The rate.', 'parameters': {'day': 1}}]",
    "ToolACE, names with spaces": '[Find Hotels(city="Bonn", stars="3"), Get Rate(day="1")]',
    "Mistral, arguments of another function": 'find_poi[ARGS]{"city": "Bonn"}',
    "DeepSeek, first tokens lost": 'function<｜tool▁sep｜>find_poi\n```json\n{"city": "Bonn"}\n```',
    "functionary 3": '>>>find_poi\n{"city": "Bonn"}',
    "functionary 2": '<|from|>assistant\n<|recipient|>find_poi\n<|content|>{"city": "Bonn"}',
    "functionary 2, first tokens lost": 'get_rate\n<|content|>{"day": 1}',
    "GLM, tag lost": "get_rate\n<arg_key>day</arg_key>\n<arg_value>1</arg_value>",
    "harmony without a namespace": "<|start|>assistant to=get_rate<|channel|>commentary json",
    "harmony, a built-in tool": "<|channel|>commentary to=python code<|message|>print(1)",
    "Kimi, tokens lost": 'functions.get_rate:0{"day": 1}',
    "Llama, two objects": '{"name": "f", "parameters": {"a": 1}}; {"name": "f", "parameters": {"a": 2}}',
    "Granite": '<tool_call>[{"name": "get_rate", "arguments": {"day": 1}}]',
    "Qwen coder": "<tool_call>\n<function=get_rate>\n<parameter=day>\n1\n</parameter>",
    "InternLM": '<|action_start|><|plugin|>\n{"name": "get_rate", "parameters": {"day": 1}}',
    "OpenAI's objects": '[{"type": "function", "function": {"name": "f", "arguments": "{}"}}]',
    "xLAM": '{"thought": "", "tool_calls": [{"name": "f", "arguments": {}}]}',
}

CUT_SHORT = {
    "Cohere": 'Action: ```json\n[\n    {\n        "tool_name": "get_ra',
    "Falcon": '<tool_call>\n{"name": "get_ra',
    "Gemma": "```tool_code\nget_ra",
    "MiniCPM": "<|tool_call_start|>\n```python\nget_ra",
    "Nemotron": '<TOOLCALL>[{"name": "get_ra',
    "Llama": '{"name": "get_rate", "parameters": {"da',
    "Mistral": '[TOOL_CALLS] [{"name": "get_ra',
    "Phi": '<|tool_call|>[{"na',
    "DeepSeek": "<｜tool▁calls▁begin｜><｜tool▁call▁be",
    "XML": '<functions><function name="get_ra',
    "JSON": '[{"name": "get_ra',
    "list": "[get_ra",
    "ReAct": "Thought: I need it.\nAction: get_rate",
}
"""Calls that end within the first name, or shortly after it, as at a limit of tokens."""

WORDS = {
    "refusal": "None of the functions can be used.",
    "mention": "The function `get_rate` does not fit.",
    "mention with brackets": "I cannot use `get_rate()` or hotel.find() for that.",
    "signature": "The functions are:\n\nget_rate(day)\nhotel.find(city, stars)\n\nNone fits.",
    "list of signatures": "- get_rate(day): the rate\n- hotel.find(city): a hotel",
    "example in a sentence": "It needs a day, as in `get_rate(day=1)`, which you did not name.",
    "a program": "```python\nimport math\n\ndef area(r):\n    return math.pi * r\n\nprint(area(r=2))\n```",
    "a program of that name": "```python\ndef get_rate(day):\n    return 2\n\nget_rate(day=1)\n```",
    "a program with a use": "```python\ndef f():\n    rate = get_rate({'day': 1})\n    return rate\n```",
    "a script": "```js\nfunction get_rate(day) { return 2 }\nget_rate({day: 1})\n```",
    "data": 'Here:\n```json\n{"name": "Ada", "parameters": {"age": 36}}\n```',
    "data about functions": '{"name": "get_rate", "description": "The rate.", "parameters": {}}',
    "documentation": "[{'name': 'get_rate', 'parameters': {'type': 'dict', 'properties': {}}}]",
    "link": "See [the rate](https://example.org/get_rate(day=1)) or [get_rate](#rate).",
    "formula": "\\[ f(x) = x^2 \\] and \\(g(x)\\), so [1, 2] is the interval.",
    "expression": "[math.pi * (3 ** 2)]",
    "markup": "<b>No</b> function <i>fits</i>. Use <tool> or <function-like> things.",
    "None": "[None]",
    "empty list and a sentence": "```python\n[]\n```\nNo function fits.",
    "reasoning about a call": "<think>Maybe [get_rate(day=1)]? No.</think>No function fits.",
    "out of domain": "out_of_domain(user_query='Who won?');",
    "list of signatures with types": "1. get_rate(day: int)\n2. hotel.find(city: str, stars: int = 3)",
    "signature with types": "None of these fits:\nget_rate(day: int)\n",
    "tag in code marks": "I make no `<tool_call>` here.",
    "name of a tag": "The form is <function=...>, and no function fits.",
    "a call of nothing": '<tool_call>\n{"name": "none", "arguments": {}}\n</tool_call>',
    "JSON with the name null": '{"name": null, "arguments": {}}',
    "recipient of an answer": "<|from|>assistant\n<|recipient|>all\n<|content|>No function fits.",
    "reasoning about a tag": "<think>A <tool_call> with get_rate(day=1)? No.</think>\nNo function fits.",
    "reasoning whose start is lost": "Maybe [get_rate(day=1)].</think>\nNo function fits.",
    "reasoning of Command A": "<|START_THINKING|>[get_rate(day=1)]?<|END_THINKING|>No function fits.",
    "analysis in harmony": "<|channel|>analysis<|message|>functions.get_rate is no help.<|end|>"
    "<|start|>assistant<|channel|>final<|message|>No function fits.",
    "apology": "I cannot call get_rate(day=1), since the question is about stocks.",
    "ReAct without an action": "Thought: None fits.\nAction: None\nFinal Answer: I cannot say.",
    "a program that was asked for": "```python\nimport requests\nr = requests.get('https://a.b')\n```",
    "a command": "```bash\nls -la $(pwd)\n```",
    "beginning of a word in brackets": "[get",
    "note in brackets": "[Missing parameters: day]",
    "reason in brackets": "[Unable to answer (reason=no function)]",
    "list of signatures with defaults": "- get_rate(day, place=1): the rate\n- hotel.find(city, stars=3)",
    "code in HTML": "The function <code>get_rate(day=1)</code> does not fit.",
    "directly answered": 'Action: ```json\n[{"tool_name": "directly-answer", "parameters": {}}]\n```',
}

EMPTY = {
    "nothing": "",
    "space": " \n\t",
    "list": "[]",
    "list in a code block": "```json\n[]\n```",
    "chat tokens": "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "tag": "<tool_call></tool_call>",
    "tag around a list": "<TOOLCALL>[]</TOOLCALL>",
    "tag around a code block": "<|tool_call_start|>\n```python\n\n```\n<|tool_call_end|>",
    "tag before a list": "[TOOL_CALLS] []",
    "tool code": "```tool_code\n[]\n```",
    "reasoning only": "<think>What is asked? [get_rate(day=1)]",
    "reasoning": "<think>Nothing fits.</think>\n\n[]",
}


@pytest.mark.parametrize("text", CUT_SHORT.values(), ids=CUT_SHORT)
def test_attempts_that_are_cut_short(text):
    """A call that ends within the name of an offered function is an attempt."""
    assert attempted_call(text, NAMES)


@pytest.mark.parametrize("text", ATTEMPTS.values(), ids=ATTEMPTS)
def test_attempts(text):
    """The beginning of a call, in any family's form, is an attempt."""
    assert attempted_call(text, NAMES)


@pytest.mark.parametrize("text", WORDS.values(), ids=WORDS)
def test_words(text):
    """Text about functions, programs, data, formulas and links attempt no call."""
    assert attempted_call(text, NAMES) is None
    assert has_words(text)


@pytest.mark.parametrize("text", EMPTY.values(), ids=EMPTY)
def test_empty_answers(text):
    """An answer of tags, fences, an empty list or reasoning alone has no words and no call."""
    assert attempted_call(text, NAMES) is None
    assert not has_words(text)


@pytest.mark.parametrize(
    "text", [ATTEMPTS["JSON"], ATTEMPTS["list after prose"], ATTEMPTS["call on a line"]]
)
def test_offered_names_matter(text):
    """The same text attempts no call where it names something that is not offered."""
    other = text.replace("get_rate", "Rate").replace("arguments", "about")
    assert attempted_call(text, ["get_rate"])
    assert attempted_call(other, ["get_rate"]) is None


def test_the_mark_is_shown_on_one_short_line():
    """The mark is the beginning of the call, without line ends."""
    assert attempted_call("```json\n[\n  get_rate(day=1)\n]\n```", NAMES) == "[ get_rate("
    assert len(attempted_call("[" + "f" * 100 + "(", ()) or "") == 60


UNITS = [
    "<",
    "<a",
    "[ ",
    "{",
    '{"name": "x", ',
    "```\n",
    "```python\n#\n",
    "f(",
    "get_rate",
    "\nget_rate(a,",
]
UNITS += [
    "a(b",
    " ",
    "\n",
    "</think>",
    "<tool_call>none ",
    '{"get_rate": {',
    "<|im_end|>",
    "Action: get_rate",
    "\n- get_rate(a=",
    "\n1. `get_rate(a =",
    '{"name": "get_rate", "description": "',
    "[A a",
    "<function=`",
]


@pytest.mark.parametrize("unit", UNITS)
def test_hostile_texts_take_little_work(unit):
    """The longest text of any repeated part is searched in few operations, up to the bound."""
    with measured() as work:
        for start in ("", "get_rate(", "```\n", "["):
            attempted_call((start + unit * MAX_TEXT)[: 2 * MAX_TEXT], NAMES)
    assert work.calls < 10_000
