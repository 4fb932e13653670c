"""Configs and model rows checked against their JSON Schemas, with error messages of one line.

Covers keys, types and ranges of single values. Names of models and categories are checked by
`config.run_config`, rules between the keys of a model row by `config.model_rows`.
"""

import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import cut, unknown_name
from bfcl_pipeline.benchmark.config.run_form import FORM_KEY

LONGEST_VALUE = 200
"""Characters of a wrong value that a message repeats."""

TOO_LONG = "a number with too many digits"

_PYTHON_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "array": list,
    "integer": int,
    "null": type(None),
    "number": (int, float),
    "object": dict,
    "string": str,
}


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether `value` is valid: `check_config` without a message, and without the import of jsonschema.

    Covers the keywords of the schemas of models files and of configs, for which it is exact, except that
    no true or false is valid: a hundred rows are checked in less time than jsonschema takes to be imported.
    """
    if "enum" in schema:
        return value in schema["enum"]
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if isinstance(value, bool) or not any(isinstance(value, _PYTHON_TYPES[kind]) for kind in types):
        return False
    match value:
        case str():
            long_enough = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
            return long_enough and _matches(schema.get("pattern", ""), value)
        case int() | float():
            return bool(
                _is_number(value)
                and schema.get("minimum", value) <= value <= schema.get("maximum", value)
                and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
            )
        case list():
            long_enough = len(value) >= schema.get("minItems", 0)
            return long_enough and all(fits(item, schema["items"]) for item in value)
        case dict():
            known, other = schema.get("properties", {}), schema.get("additionalProperties", True)
            named = {key: known.get(key, other) for key in value}
            return all(key in value for key in schema.get("required", ())) and all(
                inner if isinstance(inner, bool) else fits(value[key], inner)
                for key, inner in named.items()
            )
    return True


def with_defaults(config: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """A config that fits `schema`, with the defaults of the keys that it lacks, also inside mappings."""
    values: dict[str, Any] = {}
    for key, about in schema["properties"].items():
        value = config.get(key, about.get("default"))
        values[key] = with_defaults(value, about) if about["type"] == "object" else value
    return values


def _is_number(value: Any) -> bool:
    """Whether `value` is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -math.inf < value < math.inf


def _matches(pattern: str, value: str) -> bool:
    """Whether `value` matches a pattern of JSON Schema, whose `$` is the very end."""
    return re.search(re.sub(r"\$$", r"\\Z", pattern), value) is not None


def check_config(config: Any, schema: Mapping[str, Any], where: str = "") -> None:
    """Checks a config.

    Args:
        config: the values.
        schema: its JSON Schema.
        where: the file or row, for the message.

    Raises:
        ConfigError: names the first key that `schema` does not have or whose value it refuses.
    """
    validator = _validators()(schema)
    try:
        errors = list(validator.iter_errors(config))
    except ValueError as error:  # Python writes no number of thousands of digits
        key = next((key for key, value in config.items() if _shown(value) == TOO_LONG), "a value")
        raise ConfigError(": ".join(part for part in (where, f"{key}: {TOO_LONG}") if part)) from error
    if errors:
        # Unknown keys first: a misspelt key is often the reason for the other errors.
        first = min(errors, key=lambda error: error.validator != "additionalProperties")
        place = ".".join(map(str, first.absolute_path))
        raise ConfigError(": ".join(part for part in (where, place, _text(first)) if part))


@cache
def _validators() -> Any:
    """The class of validators: jsonschema's, with stricter numbers, and patterns as `_matches` has them.

    jsonschema accepts 2.0 as an integer, and not-a-number and infinity as numbers.
    """
    from jsonschema import Draft202012Validator, ValidationError, validators

    def pattern(_: Any, wanted: str, value: Any, __: Any) -> Iterator[ValidationError]:
        if isinstance(value, str) and not _matches(wanted, value):
            yield ValidationError(f"does not match {wanted}")

    strict_numbers = Draft202012Validator.TYPE_CHECKER.redefine_many(
        {
            "integer": lambda _, value: _is_number(value) and isinstance(value, int),
            "number": lambda _, value: _is_number(value),
        }
    )
    extend: Any = validators.extend
    return extend(Draft202012Validator, {"pattern": pattern}, type_checker=strict_numbers)


def plain_values(config: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """A config with values that were typed on a command line as the types of its schema.

    Texts become lists (`a,b`), true or false, and null, at keys that take no text, and whole numbers inside
    a mapping (`sample={entries: 5, by: weight}`), which Snakemake reads as texts; others are as given.
    """
    properties: Mapping[str, Any] = schema["properties"]
    return {key: _plain_value(value, properties.get(key, {})) for key, value in config.items()}


def _plain_inside(value: Any, schema: Mapping[str, Any]) -> Any:
    """A value inside a mapping, where Snakemake reads numbers as texts."""
    if schema.get("type") == "integer" and isinstance(value, str) and re.fullmatch("[0-9]{1,18}", value):
        return int(value)
    return _plain_value(value, schema)


def _plain_value(value: Any, schema: Mapping[str, Any]) -> Any:
    types = schema.get("type", "string")
    if isinstance(value, dict) and "object" in types:
        inner = schema.get("properties", {})
        return {key: _plain_inside(one, inner.get(key, {})) for key, one in value.items()}
    if not isinstance(value, str) or "string" in types:
        return value
    word = value.strip().lower()
    if "null" in types and word == "null":
        return None
    if "boolean" in types and word in ("true", "false"):
        return word == "true"
    if "array" in types:
        return [name.strip() for name in value.split(",") if name.strip()]
    return value


def _text(error: Any) -> str:
    """What is wrong with a value, and what would be right."""
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        wrong = next(key for key in error.instance if key not in known)
        return unknown_name("key", wrong, [key for key in known if key != FORM_KEY])
    if error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        return f"the key {missing!r} is missing. Required: {', '.join(error.validator_value)}."
    form = _EXPECTED.get(error.validator, "a value with {validator} {wanted}")
    expected = _FORMS.get(str(error.validator_value), form).format(
        validator=error.validator, wanted=_words(error.validator_value)
    )
    near = ""
    if error.validator == "enum":
        matches = difflib.get_close_matches(str(error.instance), map(str, error.validator_value), n=1)
        near = f" Did you mean {matches[0]!r}?" if matches else ""
    about = error.schema.get("description", "")
    # A key of an API may stand where the name of its variable belongs; it is not printed.
    got = "something else" if error.schema.get("writeOnly") else _shown(error.instance)
    return f"expected {expected}, got {got}.{near} {about}".strip()


def _shown(value: Any) -> str:
    try:
        return cut(json.dumps(value, default=str), LONGEST_VALUE)
    except ValueError:
        return TOO_LONG


_EXPECTED = {
    "type": "{wanted}",
    "enum": "{wanted}",
    "minimum": "at least {wanted}",
    "maximum": "at most {wanted}",
    "exclusiveMinimum": "a number above {wanted}",
    "minItems": "a list of at least {wanted}",
    "maxLength": "a text of at most {wanted} characters",
    "minLength": "a text of at least {wanted} character",
    "pattern": "a text of the form {wanted}",
}
"""What a keyword of a schema demands, in words."""

_FORMS = {
    r"\S": "a text that is not blank",
    r"^(?=.*\S)[^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$": (
        "a text that is neither blank nor has control characters"
    ),
    r"^(?=.*\S)[^\x00-\x1f\x7f{}]*$": "a path without braces and control characters",
    r"^(?=.*\S)[^\x00-\x1f\x7f{}]*\.yaml$": "a .yaml file, its path without braces and control characters",
    r"^https?://[^/\s]\S*$": "a URL with http:// or https://",
    "^[A-Za-z0-9][A-Za-z0-9._-]*$": "letters, digits and . _ - after a letter or digit",
    "^[A-Za-z_][A-Za-z0-9_]*$": "letters, digits and _ after a letter or _",
    "^[A-Za-z0-9][A-Za-z0-9.+!_-]*$": "a version",
    r"^(none|environment|https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?/?)$": (
        "environment, none, or http(s)://host:port without a user"
    ),
    "^[0-9a-f]{64}$": "64 hexadecimal digits",
}
"""What some patterns demand, in words."""

_TYPES = {
    "array": "a list (a,b)",
    "boolean": "true or false",
    "null": "null",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping",
    "string": "a text",
}
"""Types of JSON Schema, in words."""


def _words(wanted: Any) -> str:
    if isinstance(wanted, list):
        return " or ".join(map(_words, wanted))
    return _TYPES.get(wanted, str(wanted))
