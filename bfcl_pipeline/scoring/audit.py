"""Entries that no answer can pass, with the reason: a proof by enumeration.

For every call of the truth and every parameter that cannot be left out, all values that could pass
(`candidates`) are put to the checker. An entry is listed if a parameter has none, or if the function
doc and the truth contradict each other. In prompt mode a value must also survive being written and
read in the entry's format; in function-calling mode every JSON value can be written.
Covers the single-turn categories with a truth; the others can always be passed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.benchmark import PromptFormat
from bfcl_pipeline.calls import decode, write_calls
from bfcl_pipeline.records import Call, DecodeFailure, Entry, Mode, Rules
from bfcl_pipeline.scoring.candidates import candidate_values
from bfcl_pipeline.scoring.expected import ExpectedCall, Parameter
from bfcl_pipeline.scoring.findings import shown_options
from bfcl_pipeline.scoring.functions import check_argument
from bfcl_pipeline.scoring.single_turn import plan_of


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why no answer can pass an entry."""

    call: str  # the expected call that cannot be made
    parameter: str  # where it fails
    reason: str  # for a person


def obstacles(entry: Entry, mode: Mode, rules: Rules = Rules.OFFICIAL) -> list[Obstacle]:
    """What stands in the way of any answer to `entry` in `mode`; empty if an answer can pass."""
    plan = plan_of(entry)
    if plan is None:
        return []
    prompt_format = plan.prompt_format if mode is Mode.PROMPT else None
    return [
        obstacle
        for expected in plan.expected
        for obstacle in _call_obstacles(expected, prompt_format, rules)
    ]


def _call_obstacles(
    expected: ExpectedCall, prompt_format: PromptFormat | None, rules: Rules
) -> Iterator[Obstacle]:
    names = dict.fromkeys((*expected.required, *expected.demanded))
    known = {name: expected.parameters[name] for name in names if name in expected.parameters}
    passing = {name: _passing(parameter, rules) for name, parameter in known.items()}
    others = Call(expected.name, dict.fromkeys(known, "text"))  # a value that any format can hold
    for name in names:
        if name not in known:
            sides = ("the function doc", "the truth")
            needs, lacks = sides if name in expected.required else sides[::-1]
            yield Obstacle(expected.name, name, f"{needs} demands it, {lacks} does not know it")
        elif not passing[name]:
            yield Obstacle(expected.name, name, _unacceptable(known[name]))
        elif prompt_format is not None and not any(
            _survives(others, known[name], value, prompt_format, rules) for value in passing[name]
        ):
            yield Obstacle(expected.name, name, _unwritable(known[name], prompt_format))


def _passing(parameter: Parameter, rules: Rules) -> list[Any]:
    """The candidates that the checker accepts."""
    candidates = candidate_values(
        parameter.acceptable, parameter.type_name, parameter.item_type_name, parameter.language
    )
    return [value for value in candidates if check_argument(parameter, value, rules) is None]


def _survives(
    others: Call, parameter: Parameter, value: Any, prompt_format: PromptFormat, rules: Rules
) -> bool:
    """True if `value` is still acceptable after its call was written as text and read again."""
    call = Call(others.name, {**others.arguments, parameter.name: value})
    calls = decode(
        write_calls([call], prompt_format.return_format, prompt_format.tool_call_tag),
        mode=Mode.PROMPT,
        return_format=prompt_format.return_format,
        tool_call_tag=prompt_format.tool_call_tag,
        rules=rules,
    )
    if isinstance(calls, DecodeFailure) or len(calls) != 1 or parameter.name not in calls[0].arguments:
        return False
    return check_argument(parameter, calls[0].arguments[parameter.name], rules) is None


def _kind(parameter: Parameter) -> str:
    items = f" of {parameter.item_type_name}" if parameter.item_type_name else ""
    return parameter.type_name + items


def _unacceptable(parameter: Parameter) -> str:
    if not parameter.acceptable:
        return "the truth accepts no value at all"
    accepted = shown_options(parameter.acceptable)
    return f"accepted is only {accepted}, which does not pass the check for {_kind(parameter)}"


def _unwritable(parameter: Parameter, prompt_format: PromptFormat) -> str:
    accepted = shown_options(parameter.acceptable)
    return (
        f"{accepted} as {_kind(parameter)} cannot be written as {prompt_format.return_format} and read back"
    )
