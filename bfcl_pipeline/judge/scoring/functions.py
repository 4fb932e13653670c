"""Compares one call with the expected call: name, parameters, then each value, first its type.

The order of checks and the error types are those of the release's AST checker, since the first error is the
one that is reported. Types are compared exactly (True is not an integer), down to the items of arrays. Text
is compared without case, spaces and common punctuation; so is text directly inside mappings and arrays.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bfcl_pipeline.benchmark.definition import Language
from bfcl_pipeline.benchmark.records import Call, NameStyle, Rules
from bfcl_pipeline.judge.scoring.expected import ExpectedCall, Parameter, spell_name, standardize
from bfcl_pipeline.judge.scoring.findings import Finding, shorten, shown_options
from bfcl_pipeline.judge.scoring.java_values import convert_java
from bfcl_pipeline.judge.scoring.javascript_values import convert_javascript


def check_parameter(parameter: Parameter, value: Any, rules: Rules) -> Finding | None:
    """The error in `value`; None if its type and the value itself are acceptable.

    A value may have the type of an acceptable value instead of the documented type: the release takes it
    for the name of a variable and compares it exactly.
    """
    acceptable_kind = parameter.acceptable_kind
    kind = type(value)
    if kind is parameter.kind:
        if parameter.item_kind is None or _items_fit(parameter, value, rules):
            if acceptable_kind is kind or acceptable_kind is None:
                return _check_value(parameter, value, rules)
            return _check_variable(parameter, value)
        if acceptable_kind is kind:
            return Finding(
                "type_error:nested",
                f"Parameter {parameter.name!r}: expected {parameter.type_name} of "
                f"{parameter.item_type_name}, got {shorten(value)}.",
            )
    elif kind is acceptable_kind:
        return _check_variable(parameter, value)
    return Finding(
        "type_error:simple",
        f"Parameter {parameter.name!r}: expected type {parameter.type_name}, got "
        f"{kind.__name__} {shorten(value)}.",
    )


def _items_fit(parameter: Parameter, items: Any, rules: Rules) -> bool:
    """True if all items have the documented type, or the type of the items of one acceptable list.

    An acceptable value that is not a list (such as the mark of an optional parameter) accepts any items.
    """
    for acceptable in parameter.acceptable:
        if type(acceptable) is not list:
            return True
        kinds = {parameter.item_kind, next((type(item) for item in acceptable if item != ""), None)}
        if parameter.item_kind is float and int_items_as_floats(rules):
            kinds.add(int)
        if all(type(item) in kinds for item in items):
            return True
    return False


def int_items_as_floats(rules: Rules) -> bool:
    """Rule `int-items`: official accepts 2 for 2.0 as a parameter, but not as an item of an array of
    floats. Corrected accepts it in both places.
    """
    return rules is Rules.CORRECTED


def _check_value(parameter: Parameter, value: Any, rules: Rules) -> Finding | None:
    """The error in `value`, which has the documented type; None if it is acceptable."""
    if parameter.kind is str:
        fits = standardize(value) in parameter.options
        return None if fits else _wrong("string", parameter, value)
    if parameter.kind is dict:
        return check_mapping(parameter.name, value, parameter.acceptable, rules)
    if parameter.kind is list:
        if parameter.item_kind is dict:
            return _check_mappings(parameter.name, value, parameter.acceptable, rules)
        options = [_standardized_items(option) for option in parameter.acceptable]
        fits = _standardized_items(value) in options
        return None if fits else _wrong("list/tuple", parameter, value)
    return _check_variable(parameter, value)


def _check_variable(parameter: Parameter, value: Any) -> Finding | None:
    return None if value in parameter.acceptable else _wrong("others", parameter, value)


def _wrong(kind: str, parameter: Parameter, value: Any) -> Finding:
    return Finding(
        f"value_error:{kind}",
        f"Parameter {parameter.name!r}: expected {shown_options(parameter.acceptable)}, "
        f"got {shorten(value)}.",
    )


def _standardized_items(items: Sequence[Any]) -> list[Any]:
    return [_standardized_item(item) for item in items]


def _standardized_item(item: Any) -> Any:
    return standardize(item) if isinstance(item, str) else item


def check_mapping(
    name: str, value: Mapping[Any, Any], acceptable: Sequence[Any], rules: Rules
) -> Finding | None:
    """The error in the mapping `value`; None if it equals an acceptable one, which has a list per key.

    As in the release, the finding is the one for the last acceptable mapping.
    """
    finding: Finding | None = Finding(
        "dict_checker:unclear", f"Parameter {name!r}: no mapping is acceptable, got {shorten(value)}."
    )
    for option in acceptable:
        if option == "":
            continue
        finding = _compare_mapping(name, value, option, rules)
        if finding is None:
            return None
    return finding


def _compare_mapping(
    name: str, value: Mapping[Any, Any], option: Mapping[str, Any], rules: Rules
) -> Finding | None:
    for key, demanded in option.items():
        if key not in value and "" not in alternatives(demanded, rules):
            return Finding("value_error:dict_key", f"Parameter {name!r}: key {key!r} is missing.")
    for key, item in value.items():
        if key not in option:
            return Finding("value_error:dict_key", f"Parameter {name!r}: unexpected key {shorten(key)}.")
        accepted = alternatives(option[key], rules)
        if _standardized_item(item) not in _standardized_items(accepted):
            return Finding(
                "value_error:dict_value",
                f"Parameter {name!r}: key {key!r} should be {shown_options(accepted)}, "
                f"got {shorten(item)}.",
            )
    return None


def alternatives(values: Any, rules: Rules) -> Sequence[Any]:
    """Rule `text-alternatives`: where the truth has a text instead of a list of alternatives for a key,
    official accepts each of its characters, and makes the key optional. Corrected accepts only the text.
    """
    return [values] if isinstance(values, str) and rules is Rules.CORRECTED else values


def _check_mappings(
    name: str, value: Sequence[Any], acceptable: Sequence[Any], rules: Rules
) -> Finding | None:
    """The error in the list of mappings `value`; None if it equals an acceptable one, in order."""
    finding: Finding | None = Finding(
        "list_dict_checker:unclear",
        f"Parameter {name!r}: no list is acceptable, got {shorten(value)}.",
    )
    for options in acceptable:
        if len(value) != len(options):
            finding = Finding(
                "value_error:list_dict_count",
                f"Parameter {name!r}: expected {len(options)} mappings, got {len(value)}.",
            )
            continue
        finding = _first_mismatch(name, value, options, rules)
        if finding is None:
            return None
    return finding


def _first_mismatch(
    name: str, value: Sequence[Any], options: Sequence[Any], rules: Rules
) -> Finding | None:
    for item, option in zip(value, options, strict=True):
        if not isinstance(item, Mapping):
            return Finding(
                "value_error:dict_value",
                f"Parameter {name!r}: expected a mapping in the list, got {shorten(item)}.",
            )
        finding = check_mapping(name, item, [option], rules)
        if finding is not None:
            return finding
    return None


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
