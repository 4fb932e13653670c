"""Checks whether a value is acceptable for a parameter: first its type, then the value itself.

Types are compared exactly (True is not an integer), down to the items of arrays. Text is compared without
case, spaces and common punctuation; so is text directly inside mappings and arrays.
Source: the release's AST checker.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.expected import Parameter, standardize
from bfcl_pipeline.judge.scoring.findings import Finding, shorten, shown_options


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
