"""Decodes model output as Calls that are run in a simulated world.

It differs from the decoding of calls that are only compared: every name in a native item is a call, a
nested mapping of mappings is a call among the arguments, and keys of other mappings become text. Every
input results in calls or a `DecodeFailure`; nothing is evaluated. Source: the release's execution
decoding of native and of prompted answers.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Json, Mode, Rules
from bfcl_pipeline.dialogue.calls.decode import FAILED, decode
from bfcl_pipeline.dialogue.calls.json_calls import read_arguments, require_few
from bfcl_pipeline.dialogue.calls.limits import Undecodable, Work
from bfcl_pipeline.dialogue.calls.python import read_literal

_STEP = 100
"""Steps of `Work` of one step of a conversation, and of one call."""

Steps: TypeAlias = tuple[tuple[Call, ...], ...]
"""The calls of each step, in order; a step without calls, or whose text cannot be decoded, is empty."""


def calls_by_step(result: Json, mode: Mode) -> Steps:
    """The calls of all turns of a result in the official form: a list of turns, each a list of steps."""
    turns = result if isinstance(result, list) else []
    steps = [step for turn in turns if isinstance(turn, list) for step in turn]
    work = Work()
    decoded = (decode_step(step, mode, work) for step in steps)
    return tuple(() if isinstance(calls, DecodeFailure) else calls for calls in decoded)


def decode_step(
    result: Json, mode: Mode, work: Work | None = None, *, rules: Rules = Rules.OFFICIAL
) -> tuple[Call, ...] | DecodeFailure:
    """The calls in one answer of a conversation, in order; empty if it has none.

    `result` is the official result form of one step: in function-calling mode a list of {name:
    arguments as JSON text}, in prompt mode text with a Python list of calls. An argument may itself be
    a Call, which is run first. `work` is what may still be done for all steps of the answer.
    """
    work = work or Work()
    try:
        work.spend(_STEP)
        if mode is Mode.FC:
            return tuple(_native_calls(result, work))
        calls = decode(result, mode=mode, rules=rules, work=work)
        if isinstance(calls, DecodeFailure):
            return calls
        work.spend(_STEP * len(calls))
        return tuple(
            Call(call.name, {name: _executable(value, rules) for name, value in call.arguments.items()})
            for call in calls
        )
    except Undecodable as error:
        return DecodeFailure(FAILED, f"{error}.")


def _native_calls(result: Json, work: Work) -> Iterator[Call]:
    if isinstance(result, Mapping):
        result = [result]
    if isinstance(result, str) and not result:
        return
    if not isinstance(result, list):
        raise Undecodable(f"expected a list of tool calls, got {type(result).__name__}")
    for item in require_few(result):
        if not isinstance(item, Mapping):
            raise Undecodable(f"expected {{name: arguments}}, got {type(item).__name__}")
        for name, written in item.items():
            work.spend(_STEP)
            arguments = read_arguments(name, written) if isinstance(written, str) else written
            if not isinstance(arguments, Mapping):
                kind = type(arguments).__name__
                raise Undecodable(f"the arguments of {name!r} are {kind}, not a mapping")
            yield Call(name, arguments)


def _executable(value: Any, rules: Rules) -> Any:
    if not isinstance(value, dict):
        return value
    if not value:
        return empty_object(rules)
    if all(isinstance(item, dict) for item in value.values()):
        name, arguments = next(iter(value.items()))
        return Call(str(name), {key: _executable(item, rules) for key, item in arguments.items()})
    return {_quoted(key): _executable(item, rules) for key, item in value.items()}


def empty_object(rules: Rules) -> dict[str, Any]:
    """What `{}` among the arguments of a prompted call is. Rule `empty-object`. Raises Undecodable."""
    if rules is Rules.OFFICIAL:
        raise Undecodable("an argument is an empty mapping, which is read as a call without a name")
    return {}


def _quoted(key: Any) -> str:
    """The key after the release wrote it between quotes, without escaping, and read it back."""
    text = str(key)
    if "'" not in text and "\\" not in text:
        return text
    try:
        return str(read_literal(f"'{text}'"))
    except Undecodable:
        return text


def executed_text(call: Call) -> str:
    """`call` as one line of Python, the form in which the release shows it to a prompted model."""
    arguments = ", ".join(f"{name}={_value_text(value)}" for name, value in call.arguments.items())
    return f"{call.name}({arguments})"


def _value_text(value: Any) -> str:
    if isinstance(value, Call):
        return executed_text(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"'{key}': {_value_text(item)}" for key, item in value.items()) + "}"
    return repr(value)
