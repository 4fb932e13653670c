"""After any answer of an open-weight model, the next prompt can be written and sent.

An error here would end the job, not the conversation: a journaled answer is read again by every later job.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bfcl_pipeline.ask.models.adapters.row_adapter import json_content
from bfcl_pipeline.benchmark.config.families import OWN_TEMPLATE, load_families
from tests.support.family_talk import Talk, asked

FAMILIES = [family.name for family in load_families().values() if family.template != OWN_TEMPLATE]

_HALF = '"\\ud800"'
_CALLS = (
    '<tool_call>\n{{"name": {0}, "arguments": {{"a": {1}}}}}\n</tool_call>',
    '<tool_call>\n{{"name": "f", "arguments": 1, "function": {{"name": {0}, "arguments": {1}}}}}'
    "\n</tool_call>",
    '[{{"name": {0}, "arguments": {{"a": {1}}}}}]',
    '<|tool_call|>[{{"name": {0}, "arguments": {{"a": {1}}}}}]<|/tool_call|>',
    '{{"name": {0}, "parameters": {{"a": {1}}}}}',
    '<function_call> {{"name": {0}, "arguments": {{"a": {1}}}}}',
    'm.f\n{{"a": {1}}}',
    "<|tool_call_start|>\n```python\nm_f(a={1})\n```\n<|tool_call_end|>",
    "<start_function_call>call:m.f{{a:{1}}}<end_function_call>",
    "[m.f(a={1})]",
)
"""Calls of a name with an argument, where families write them."""


def _lists(levels: int) -> str:
    return "[" * levels + "]" * levels


def _mappings(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


def _from_deep(levels: int, write: Callable[[], str]) -> str:
    return write() if levels == 0 else _from_deep(levels - 1, write)


@pytest.mark.parametrize("family", FAMILIES)
def test_halves_of_characters_in_calls_can_be_sent(family: str) -> None:
    """JSON can name half of a UTF-16 pair in plain ASCII, also as the name of a function."""
    for call in _CALLS:
        talk = Talk(family, asked("Go."))
        talk.answer(call.format(_HALF, _HALF))
        talk.messages += asked("More.")
        assert json_content({"prompt": talk.prompt()})


@pytest.mark.parametrize("family", FAMILIES)
def test_deep_values_in_calls_can_be_sent(family: str) -> None:
    """Neither reading nor the next prompt fails over them, wherever in a job the prompt is written."""
    for levels in (150, *range(930, 1000, 8), 5_000):
        for value in (_lists(levels), _mappings(levels)):
            for call in _CALLS:
                for name in ('"m.f"', value):
                    talk = Talk(family, asked("Go."))
                    talk.answer(call.format(name, value))
                    assert json_content({"prompt": _from_deep(40, talk.prompt)})
