"""A config against its schema, with errors that a person can act on in one line.

Covers keys and types. Whether the names in it exist is `config.run_config`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bfcl_pipeline.benchmark import unknown_name
from bfcl_pipeline.errors import ConfigError


def check_config(config: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Raises ConfigError for the first key that `schema` does not know or whose value it refuses."""
    from jsonschema import Draft202012Validator

    errors = list(Draft202012Validator(schema).iter_errors(config))
    if errors:
        # Unknown keys first: a misspelt key is often the reason of what else is wrong.
        raise ConfigError(_text(min(errors, key=lambda error: error.validator != "additionalProperties")))


def _text(error: Any) -> str:
    """What is wrong, where, and what would be right."""
    where = ".".join(str(part) for part in error.absolute_path)
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        key = next(key for key in error.instance if key not in known)
        return (f"{where}: " if where else "") + unknown_name("key", key, known)
    expected = _EXPECTED.get(error.validator, "a value with {validator} {wanted}").format(
        validator=error.validator, wanted=_words(error.validator_value)
    )
    about = error.schema.get("description", "")
    return f"{where}: expected {expected}, got {json.dumps(error.instance, default=str)}. {about}".strip()


_EXPECTED = {
    "type": "{wanted}",
    "enum": "{wanted}",
    "minimum": "at least {wanted}",
    "minItems": "a list of at least {wanted}",
    "pattern": "a text of the form {wanted}",
}
"""What a keyword of the schema asks for, in words."""

_TYPES = {
    "array": "a list",
    "integer": "a whole number",
    "object": "a mapping",
    "string": "a text",
}
"""What JSON Schema calls a type, in words."""


def _words(wanted: Any) -> str:
    if isinstance(wanted, list):
        return " or ".join(map(_words, wanted))
    return _TYPES.get(wanted, str(wanted))
