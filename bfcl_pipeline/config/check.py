"""Configs and model rows checked against their JSON Schemas, with error messages of one line.

Covers keys, types and ranges of single values. Names of models and categories are checked by
`config.run_config`, rules between the keys of a model row by `config.model_rows`.
"""

import difflib
import json
import re
from collections.abc import Mapping
from typing import Any

from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.text import unknown_name

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

    Covers the keywords of models.schema.yaml, for which it is exact: a hundred rows are checked in less
    time than jsonschema takes to be imported.
    """
    if "enum" in schema:
        return value in schema["enum"]
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if isinstance(value, bool) or not any(isinstance(value, _PYTHON_TYPES[kind]) for kind in types):
        return False
    match value:
        case str():
            return len(value) >= schema.get("minLength", 0) and bool(
                re.search(schema.get("pattern", ""), value)
            )
        case int() | float():
            return bool(
                value >= schema.get("minimum", value)
                and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
            )
        case list():
            return all(fits(item, schema["items"]) for item in value)
        case dict():
            known, other = schema.get("properties", {}), schema.get("additionalProperties", True)
            named = {key: known.get(key, other) for key in value}
            return all(key in value for key in schema.get("required", ())) and all(
                inner if isinstance(inner, bool) else fits(value[key], inner)
                for key, inner in named.items()
            )
    return True


def check_config(config: Any, schema: Mapping[str, Any], where: str = "") -> None:
    """Checks a config.

    Args:
        config: the values.
        schema: its JSON Schema.
        where: the file or row, for the message.

    Raises:
        ConfigError: names the first key that `schema` does not have or whose value it refuses.
    """
    from jsonschema import Draft202012Validator, validators

    strict_integers = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )  # jsonschema accepts 2.0 as an integer
    extend: Any = validators.extend
    validator = extend(Draft202012Validator, type_checker=strict_integers)(schema)
    errors = list(validator.iter_errors(config))
    if errors:
        # Unknown keys first: a misspelt key is often the reason for the other errors.
        first = min(errors, key=lambda error: error.validator != "additionalProperties")
        place = ".".join(map(str, first.absolute_path))
        raise ConfigError(": ".join(part for part in (where, place, _text(first)) if part))


def _text(error: Any) -> str:
    """What is wrong with a value, and what would be right."""
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        return unknown_name("key", next(key for key in error.instance if key not in known), known)
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
    return f"expected {expected}, got {json.dumps(error.instance, default=str)}.{near} {about}".strip()


_EXPECTED = {
    "type": "{wanted}",
    "enum": "{wanted}",
    "minimum": "at least {wanted}",
    "exclusiveMinimum": "a number above {wanted}",
    "minItems": "a list of at least {wanted}",
    "minLength": "a text of at least {wanted} character",
    "pattern": "a text of the form {wanted}",
}
"""What a keyword of a schema demands, in words."""

_FORMS = {r"\S": "a text that is not blank", "^https?://": "a URL with http:// or https://"}
"""What some patterns demand, in words."""

_TYPES = {
    "array": "a list",
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
