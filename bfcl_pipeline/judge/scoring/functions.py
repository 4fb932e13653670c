"""Compares one call with the expected call: name, parameters, then each value.

Source: the release's check of a single function call, with its error types and its order of checks, since
the first error is the one that is reported.
"""

from typing import Any

from bfcl_pipeline.benchmark.definition import Language
from bfcl_pipeline.benchmark.records import Call, NameStyle, Rules
from bfcl_pipeline.judge.scoring.expected import ExpectedCall, Parameter, spell_name
from bfcl_pipeline.judge.scoring.findings import Finding, shorten
from bfcl_pipeline.judge.scoring.java_values import convert_java
from bfcl_pipeline.judge.scoring.javascript_values import convert_javascript
from bfcl_pipeline.judge.scoring.values import check_parameter

_PREFIX = "simple_function_checker"


def check_call(expected: ExpectedCall, call: Call, style: NameStyle, rules: Rules) -> Finding | None:
    """The first error in `call`; None if it is the expected call."""
    name = spell_name(expected, style)
    if call.name != name:
        return Finding(
            f"{_PREFIX}:wrong_func_name", f"Expected a call of {name!r}, got {shorten(call.name)}."
        )
    for parameter in expected.required:
        if parameter not in call.arguments:
            return Finding(
                f"{_PREFIX}:missing_required", f"The required parameter {parameter!r} is missing."
            )
    for given, value in call.arguments.items():
        known = expected.parameters.get(given) if given is not None else None
        if known is None:
            return Finding(f"{_PREFIX}:unexpected_param", _unexpected(given, expected))
        finding = check_argument(known, value, rules)
        if finding is not None:
            return finding
    for parameter in expected.demanded:
        if parameter not in call.arguments:
            return Finding(
                f"{_PREFIX}:missing_optional",
                f"The parameter {parameter!r} is missing; its default is not acceptable here.",
            )
    return None


def check_argument(parameter: Parameter, value: Any, rules: Rules) -> Finding | None:
    """The error in `value` for `parameter`; None if it is acceptable."""
    if parameter.language is Language.PYTHON:
        if parameter.type_name == "tuple" and type(value) is tuple:
            value = list(value)
        elif parameter.type_name == "float" and type(value) is int:
            value = _as_float(value)
    else:
        if not isinstance(value, str):
            return _not_source_text(parameter, value)
        types = (parameter.type_name, parameter.item_type_name)
        is_java = parameter.language is Language.JAVA
        value = convert_java(value, *types, rules) if is_java else convert_javascript(value, *types)
    return check_parameter(parameter, value, rules)


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _not_source_text(parameter: Parameter, value: Any) -> Finding:
    short = {Language.JAVA: "java", Language.JAVASCRIPT: "js"}[parameter.language]
    return Finding(
        f"type_error:{short}",
        f"Parameter {parameter.name!r}: expected the {parameter.language} source of a "
        f"{parameter.type_name} as text, got {type(value).__name__} {shorten(value)}.",
    )


def _unexpected(given: str | None, expected: ExpectedCall) -> str:
    if given is None:
        return "An argument is given without the name of its parameter."
    known = ", ".join(expected.parameters) or "none"
    return f"Unexpected parameter {shorten(given)}; acceptable here: {known}."
