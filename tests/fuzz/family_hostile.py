"""Hostile answers of open weights: texts that are meant to harm the reader of a family."""

from __future__ import annotations

from tests.fuzz.hostile import EXPRESSIONS, OUTPUTS

_MARKS = """
<tool_call> </tool_call> <|tool_call|> <|/tool_call|> <|tool_call_start|> <|tool_call_end|> <|python_tag|>
<function_call> <escape> <start_function_call> <end_function_call> call:f{ <think> </think> ASSISTANT:
<|thought_start|> <|thought_end|> ``` ```json ```python {"name":"f","arguments":{"a":1}} f(a=1) f() [ ]
{"name":"f","parameters":{}} {'name':'f','arguments':{'a':True}} { } ( ) , : ; ' " = \\ f null 1 -1e9 1+1
** %
"""
MARKS = tuple(_MARKS.split())
"""What families write around calls, and parts of calls."""

_AROUND = (
    "<tool_call>\n{}\n</tool_call>",
    "<tool_call>{}",
    "<|tool_call|>[{}]<|/tool_call|>",
    '<|tool_call|>["{}"]',
    "<|tool_call_start|>\n```python\n{}\n```\n<|tool_call_end|>",
    "<|python_tag|>{}",
    "<function_call> {}",
    "<start_function_call>call:f{{a:{}}}<end_function_call>",
    "</think>{}",
    "f\n{}",
    "{{'name': 'f', 'arguments': {}}}",
    "[{{'name': 'f', 'parameters': {{'a': {}}}}}]",
    "<tool_call>\n{{'name': 'f', 'arguments': {}}}\n</tool_call>",
)

WRAPPED = [
    around.format(text)
    for around in _AROUND
    for text in [*EXPRESSIONS, *(output for output in OUTPUTS[-60::4] if len(output) < 5_000)]
]
"""Hostile texts where families write calls."""
