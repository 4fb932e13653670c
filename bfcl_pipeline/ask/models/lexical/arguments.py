"""The arguments of one call, from a text and a function doc.

Each mention goes to the parameter whose name and description share most words with its surroundings. An
optional parameter is left out unless the text names it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bfcl_pipeline.ask.models.lexical.words import STOP_WORDS, Mention, keywords, stem, stems
from bfcl_pipeline.benchmark.definition.types import OPENAPI_TYPES
from bfcl_pipeline.benchmark.records import Json

Schema = Mapping[str, Json]

_RESERVED = {
    "date": frozenset(("dat", "day", "tim", "hour", "birthday", "deadlin")),
    "number": frozenset(("id", "cod", "identifi", "numb", "zip", "phon", "account", "vers", "year")),
}
"""Sorts of mentions that a text parameter takes only if its name has one of these stems."""

_DEFAULTS: dict[str, Json] = {"string": "", "integer": 1, "number": 1.0, "boolean": True, "array": []}
"""Values of required parameters for which the text has none."""


@dataclass(slots=True)
class Arguments:
    """The values of one call."""

    values: dict[str | None, Json] = field(default_factory=dict)  # by parameter
    mentioned: dict[str | None, Json] = field(
        default_factory=dict
    )  # single values that are mentions of the text
    guessed: int = 0  # required parameters for which the text has no value


def properties(schema: Schema) -> Mapping[str, Schema]:
    """The schemas of a function's or object's parameters, by name."""
    return schema.get("properties") or {}


def items_of(schema: Schema) -> Schema:
    """The schema of a list's elements; empty if there is none."""
    return schema.get("items") or {}


def json_type(schema: Schema) -> str:
    """string, integer, number, boolean, array or object."""
    name = str(schema.get("type"))
    return OPENAPI_TYPES.get(name) or OPENAPI_TYPES.get(name.lower(), "string")


def fill(schema: Schema, text: str, found: Sequence[Mention], taken: frozenset[str]) -> Arguments:
    """Arguments for the parameters of `schema`.

    found: the mentions of `text` that may be used. taken: stems that are not values.
    """
    parameters, required, filled = properties(schema), schema.get("required") or (), Arguments()
    for name, about in parameters.items():
        value = _named_value(name, about, text)
        if value is not None:
            filled.values[name] = value
            found = [mention for mention in found if mention.text.lower() not in str(value).lower()]
    free = _assign(schema, found, filled)
    taken |= {stem(mention.text) for mention in found}
    for name, about in parameters.items():
        if name in required and name not in filled.values:
            is_text = json_type(about) == "string" and not about.get("enum")
            value = _phrase(text, taken.union(stems(name))) if is_text else None
            filled.guessed += value is None
            filled.values[name] = _default(about, text, free) if value is None else value
    return filled


def _named_value(name: str, about: Schema, text: str) -> Json:
    """The choices or the truth value that the text names; None if it names none."""
    choices = about.get("enum") or items_of(about).get("enum")
    if isinstance(choices, list):
        named = [choice for choice in choices if _says(text, str(choice))]
        return (named if json_type(about) == "array" else named[0]) if named else None
    if json_type(about) == "boolean":
        subject = keywords(name) - {"includ", "ha", "enabl", "allow"}
        return True if subject and subject <= set(stems(text)) else None
    return None


def _says(text: str, choice: str) -> bool:
    pattern = r"[\s_-]?".join(map(re.escape, re.split(r"[\s_-]+", choice)))
    return bool(choice) and re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE) is not None


def _assign(schema: Schema, found: Sequence[Mention], filled: Arguments) -> list[Mention]:
    """Gives each mention to at most one parameter, best pairs first. Returns the other mentions."""
    required, pairs = schema.get("required") or (), []
    for order, (name, about) in enumerate(properties(schema).items()):
        if name not in filled.values and not about.get("enum"):
            enough = 1.0 if name in required else 2.5
            scores = [_fit(name, about, mention) for mention in found]
            pairs += [(-s, order, place, name, about) for place, s in enumerate(scores) if s >= enough]
    used: set[int] = set()
    for _, _, place, name, about in sorted(pairs, key=lambda pair: pair[:3]):
        if name in filled.values or place in used:
            continue
        if json_type(about) == "array":
            row = {n for n, other in enumerate(found) if other.row == found[place].row} - used
            used |= row
            filled.values[name] = [_value(items_of(about), found[n]) for n in sorted(row)]
        else:
            used.add(place)
            filled.values[name] = filled.mentioned[name] = _value(about, found[place])
    return [mention for place, mention in enumerate(found) if place not in used]


def _fit(parameter: str, about: Schema, mention: Mention) -> float:
    """How well a mention fits a parameter; 0 where it cannot be its value."""
    name, kind = set(stems(parameter)), json_type(about)
    if kind == "array":
        kind = json_type(items_of(about))
    if kind in ("integer", "number"):
        if mention.number is None or (kind == "integer" and not mention.number.is_integer()):
            return 0.0
    elif kind != "string":
        return 0.0
    elif mention.sort in _RESERVED:
        return 2.5 if name & _RESERVED[mention.sort] else 0.0
    elif name & _RESERVED["date"]:
        return 0.0
    described = keywords(str(about.get("description", ""))) - name
    weights = [1.5 if word in name else 0.5 if word in described else 0.0 for word in mention.near]
    nearby = sum(weight * 0.8**distance for distance, weight in enumerate(weights))
    return nearby + (2.0 if mention.sort == "quoted" else 1.5)


def _value(about: Schema, mention: Mention) -> Json:
    """The mention as a value of the parameter's type."""
    if mention.number is None or json_type(about) == "string":
        return mention.text
    if json_type(about) == "integer":
        return int(mention.number)
    fraction = mention.text.endswith("%") and "percent" not in str(about).lower()
    return mention.number / 100 if fraction else mention.number


def _phrase(text: str, blocked: frozenset[str]) -> str | None:
    """Up to four plain words of the text; None if all are blocked."""

    def masked(word: re.Match[str]) -> str:
        return "|" if word[0].lower() in STOP_WORDS or stem(word[0]) in blocked else word[0]

    found = re.search(r"\w[^|.,;:?!()\n]*", re.sub(r"[^\W_][\w'’-]*", masked, text))
    return " ".join(found[0].split()[:4]) if found else None


def _default(about: Schema, text: str, free: Sequence[Mention]) -> Json:
    """A value of the right type for a required parameter without a match."""
    if about.get("enum"):
        return about["enum"][0]
    kind = json_type(about)
    return fill(about, text, free, frozenset()).values if kind == "object" else _DEFAULTS[kind]
