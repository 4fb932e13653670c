"""The arguments of one call, from a text and the parameters of the function it asks for.

Covers which mention goes to which parameter, choices that are named, yes-or-no parameters, lists and
objects, and what to do where a required one is not mentioned. Optional parameters without a mention
are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.models.lexical.affinity import affinity, traits
from bfcl_pipeline.models.lexical.choices import named_choice, named_choices, truth_value
from bfcl_pipeline.models.lexical.functions import Kind, Parameter
from bfcl_pipeline.models.lexical.lists import listed
from bfcl_pipeline.models.lexical.phrases import phrase
from bfcl_pipeline.models.lexical.reading import Reading
from bfcl_pipeline.models.lexical.values import scalar
from bfcl_pipeline.records import Json

_ENOUGH = 1.0
"""A mention goes to a required parameter that it suits at least this much."""

_ENOUGH_IF_OPTIONAL = 2.0
"""The same for an optional one: better left out than wrong."""


@dataclass(frozen=True, slots=True)
class Filled:
    """The arguments found for a function."""

    values: Mapping[str, Json]  # by parameter, in the doc's order
    guessed: int  # required parameters for which the text held nothing
    found: int  # parameters for which it did
    places: Mapping[str, int]  # which mention a parameter was given, for those given one
    used: frozenset[int]  # mentions that are somebody's value


@dataclass(slots=True)
class _Desk:
    """Where arguments are gathered."""

    reading: Reading
    used: set[int]  # mentions that are given out
    values: dict[str, Json]
    places: dict[str, int]

    def given(self) -> list[str]:
        """The texts of the request that are given out, longest first."""
        texts = {self.reading.mentions[place].text for place in self.used}
        return sorted(texts, key=lambda text: (-len(text), text))


def fill(parameters: Sequence[Parameter], reading: Reading, about: frozenset[str]) -> Filled:
    """Values for `parameters` from a text. `about`: stems that name the function, which are no values."""
    desk = _Desk(reading, set(), {}, {})
    _fill_named(parameters, desk)
    _fill_lists(parameters, desk)
    _fill_from_mentions(parameters, desk)
    found = len(desk.values)
    guessed = 0
    for parameter in parameters:
        if parameter.required and parameter.name not in desk.values:
            value = phrase(parameter, reading, about, desk.given()) if parameter.kind is Kind.TEXT else None
            found += value is not None
            guessed += value is None
            desk.values[parameter.name] = _fallback(parameter, desk, about) if value is None else value
    order = [parameter.name for parameter in parameters]
    values = {name: desk.values[name] for name in order if name in desk.values}
    return Filled(values, guessed, found, desk.places, frozenset(desk.used))


def _fill_named(parameters: Sequence[Parameter], desk: _Desk) -> None:
    """Choices and yes-or-no parameters: their values are known, the text only has to name them."""
    for parameter in parameters:
        value: Json = None
        if parameter.choices:
            value = named_choice(parameter, desk.reading)
        elif parameter.kind is Kind.BOOLEAN:
            value = truth_value(parameter, desk.reading)
        elif parameter.kind is Kind.LIST and parameter.item is not None and parameter.item.choices:
            value = named_choices(parameter.item, desk.reading) or None
        elif parameter.kind is Kind.OBJECT and parameter.parts:
            parts = fill(parameter.parts, desk.reading, frozenset())
            value = dict(parts.values) if parts.found and not parts.guessed else None
        if value is not None:
            desk.values[parameter.name] = value
            desk.used.update(_saying(value, desk.reading))


def _saying(value: Json, reading: Reading) -> set[int]:
    """The mentions that only say a choice, and so are nothing else's value."""
    said = {str(one).lower() for one in (value if isinstance(value, list) else [value])}
    return {place for place, mention in enumerate(reading.mentions) if mention.text.lower() in said}


def _fill_lists(parameters: Sequence[Parameter], desk: _Desk) -> None:
    for parameter in parameters:
        if parameter.kind is Kind.LIST and parameter.name not in desk.values:
            row = listed(parameter, desk.reading, desk.used)
            if row is not None:
                desk.used.update(row.mentions)
                desk.values[parameter.name] = list(row.values)


def _fill_from_mentions(parameters: Sequence[Parameter], desk: _Desk) -> None:
    """Gives mentions to parameters, the best pairs first, each once."""
    pairs: list[tuple[float, int, int]] = []
    reading = desk.reading
    for rank, parameter in enumerate(parameters):
        if parameter.name in desk.values or parameter.choices:
            continue
        enough = _ENOUGH if parameter.required else _ENOUGH_IF_OPTIONAL
        for place, mention in enumerate(reading.mentions):
            if place in desk.used:
                continue
            score = affinity(parameter, mention, reading.neighbours[place])
            if score is not None and score >= enough:
                order = 0.12 * abs(rank - place) + (0.0 if parameter.required else 0.3)
                pairs.append((order - score, rank, place))
    for _score, rank, place in sorted(pairs):
        parameter = parameters[rank]
        if parameter.name not in desk.values and place not in desk.used:
            desk.used.add(place)
            desk.places[parameter.name] = place
            desk.values[parameter.name] = scalar(parameter, reading.mentions[place])


def _fallback(parameter: Parameter, desk: _Desk, about: frozenset[str]) -> Json:
    """A value of the right kind for a required parameter that nothing was found for."""
    if parameter.choices:
        return parameter.choices[0]
    if parameter.kind is Kind.TEXT:
        left = [m for place, m in enumerate(desk.reading.mentions) if place not in desk.used]
        return left[0].text if left else " ".join(sorted(traits(parameter).name))
    if parameter.kind is Kind.BOOLEAN:
        return True
    if parameter.kind is Kind.LIST:
        item = parameter.item
        if item is None or item.kind is Kind.TEXT:
            value = phrase(parameter, desk.reading, about, desk.given())
            return [] if value is None else [value]
        return []
    if parameter.kind is Kind.OBJECT:
        return dict(fill(parameter.parts, desk.reading, about).values)
    return 1 if parameter.kind is Kind.INTEGER else 1.0
