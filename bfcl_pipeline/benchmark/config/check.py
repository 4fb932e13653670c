"""Configs and model rows checked against their JSON Schemas, with error messages of one line.

Covers keys, types and ranges of single values, and of JSON Schema what these use: importing jsonschema
takes longer than checking a hundred rows, and it accepts 2.0 as an integer and infinity as a number.
Names of models and categories are checked by `config.run_config`, rules between the keys of a model row by
`config.model_rows`.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.project import project_folder
from bfcl_pipeline.base.text import cut, did_you_mean, unknown_name
from bfcl_pipeline.base.yaml_reader import read_yaml_file
from bfcl_pipeline.benchmark.config.run_form import FORM_KEY

LONGEST_VALUE = 200
"""Characters of a wrong value that a message repeats."""

_NUMBER = (int, float)

_TYPES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "array": ("a list (a,b)", lambda value: isinstance(value, list)),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "null": ("null", lambda value: value is None),
    "integer": ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "number": (
        "a number",
        lambda value: (
            isinstance(value, _NUMBER) and not isinstance(value, bool) and -math.inf < value < math.inf
        ),
    ),
    "object": ("a mapping", lambda value: isinstance(value, dict)),
    "string": ("a text", lambda value: isinstance(value, str)),
}
"""The types of JSON Schema: each in words, and whether a value has it."""

_KEYWORDS: Mapping[str, tuple[type | tuple[type, ...], Callable[[Any, Any], bool], str]] = {
    "enum": (object, lambda value, wanted: value in wanted, "{wanted}"),
    "minimum": (_NUMBER, lambda value, wanted: value >= wanted, "at least {wanted}"),
    "maximum": (_NUMBER, lambda value, wanted: value <= wanted, "at most {wanted}"),
    "exclusiveMinimum": (_NUMBER, lambda value, wanted: value > wanted, "a number above {wanted}"),
    "minItems": (list, lambda value, wanted: len(value) >= wanted, "a list of at least {wanted}"),
    "maxLength": (str, lambda value, wanted: len(value) <= wanted, "a text of at most {wanted} characters"),
    "minLength": (str, lambda value, wanted: len(value) >= wanted, "a text of at least {wanted} character"),
    "pattern": (
        str,
        # The `$` of JSON Schema is the very end.
        lambda value, wanted: re.search(re.sub(r"\$$", r"\\Z", wanted), value) is not None,
        "a text of the form {wanted}",
    ),
}
"""The keywords of our schemas: the values that each concerns, whether one fits, and the demand in words."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """A value that a schema refuses."""

    place: tuple[str, ...]  # its keys, from the outermost
    value: Any
    schema: Mapping[str, Any]  # of the value
    keyword: str  # of the schema, that it does not fit


def misfits(value: Any, schema: Mapping[str, Any], place: tuple[str, ...] = ()) -> Iterator[Misfit]:
    """What of `value` does not fit `schema`, in the order of the value; nothing if it is valid."""
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if not any(_TYPES[kind][1](value) for kind in types):
        yield Misfit(place, value, schema, "type")
        return
    for keyword, (kind, fits, _) in _KEYWORDS.items():
        if keyword in schema and isinstance(value, kind) and not fits(value, schema[keyword]):
            yield Misfit(place, value, schema, keyword)
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from misfits(item, schema["items"], (*place, str(number)))
    if isinstance(value, dict):
        known, other = schema.get("properties", {}), schema.get("additionalProperties", True)
        if any(key not in value for key in schema.get("required", ())):
            yield Misfit(place, value, schema, "required")
        for key, inner in value.items():
            about = known.get(key, other)
            if about is False:
                yield Misfit(place, value, schema, "additionalProperties")
            elif about is not True:
                yield from misfits(inner, about, (*place, str(key)))


@cache
def config_schema() -> Mapping[str, Any]:
    """The JSON Schema of configs."""
    path = project_folder() / "workflow/schemas/config.schema.yaml"
    schema: Mapping[str, Any] = read_yaml_file(path)
    return schema


def check_config(config: Any, schema: Mapping[str, Any], where: str = "") -> None:
    """Checks a config.

    Args:
        config: the values.
        schema: its JSON Schema.
        where: the file or row, for the message.

    Raises:
        ConfigError: names the first key that `schema` does not have or whose value it refuses.
    """
    found = list(misfits(config, schema))
    if found:
        # Unknown keys first: a misspelt key is often the reason for the other errors.
        first = min(found, key=lambda misfit: misfit.keyword != "additionalProperties")
        raise ConfigError(": ".join(part for part in (where, ".".join(first.place), _text(first)) if part))


def with_defaults(config: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """A config that fits `schema`, with the defaults of the keys that it lacks, also inside mappings."""
    values: dict[str, Any] = {}
    for key, about in schema["properties"].items():
        if key in config or "default" in about:
            value = config.get(key, about.get("default"))
            values[key] = with_defaults(value, about) if about["type"] == "object" else value
    return values


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


def _text(misfit: Misfit) -> str:
    """What is wrong with a value, and what would be right."""
    schema, value, keyword = misfit.schema, misfit.value, misfit.keyword
    if keyword == "additionalProperties":
        known = schema["properties"]
        wrong = next(key for key in value if key not in known)
        return unknown_name("key", wrong, [key for key in known if key != FORM_KEY])
    wanted = schema[keyword]
    if keyword == "required":
        missing = next(key for key in wanted if key not in value)
        return f"the key {missing!r} is missing. Required: {', '.join(wanted)}."
    if keyword == "type":
        types = [wanted] if isinstance(wanted, str) else wanted
        expected = " or ".join(_TYPES[kind][0] for kind in types)
    else:
        words = " or ".join(map(str, wanted)) if keyword == "enum" else str(wanted)
        expected = _FORMS.get(words, _KEYWORDS[keyword][2]).format(wanted=words)
    near = did_you_mean(value, map(str, wanted)) if keyword == "enum" and isinstance(value, str) else ""
    # A key of an API may stand where the name of its variable belongs; it is not printed.
    got = "something else" if schema.get("writeOnly") else _shown(value)
    return f"expected {expected}, got {got}.{near} {schema.get('description', '')}".strip()


def _shown(value: Any) -> str:
    try:
        return cut(json.dumps(value, default=str), LONGEST_VALUE)
    except ValueError:  # Python writes no number of thousands of digits
        return "a number with too many digits"


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
