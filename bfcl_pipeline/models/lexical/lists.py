"""The value of a list parameter: a list written out, or mentions that stand in a row."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from bfcl_pipeline.models.lexical.affinity import affinity
from bfcl_pipeline.models.lexical.functions import Kind, Parameter
from bfcl_pipeline.models.lexical.mentions import Mention, Sort, mentions
from bfcl_pipeline.models.lexical.reading import Reading
from bfcl_pipeline.models.lexical.values import scalar
from bfcl_pipeline.records import Json

_SCALARS = (Kind.TEXT, Kind.INTEGER, Kind.NUMBER)


@dataclass(frozen=True, slots=True)
class Row:
    """What a list parameter is given."""

    values: tuple[Json, ...]
    mentions: tuple[int, ...]  # places of the mentions it uses up


def listed(parameter: Parameter, reading: Reading, used: Collection[int]) -> Row | None:
    """The best row of mentions for a list parameter; None if there is none."""
    item = parameter.item or Parameter(parameter.name, Kind.TEXT, "", False)
    if item.kind not in _SCALARS:
        return None
    item = Parameter(parameter.name, item.kind, parameter.description, parameter.required)
    best: tuple[float, Row] | None = None
    place = 0
    for row in reading.rows:
        places = tuple(range(place, place + len(row)))
        place += len(row)
        if any(one in used for one in places):
            continue
        score = _row_score(item, row, reading, places)
        if score is not None and (best is None or score > best[0]):
            best = (score, Row(_values(item, row), places))
    return best[1] if best is not None and best[0] >= (1.0 if parameter.required else 2.4) else None


def _row_score(
    item: Parameter, row: tuple[Mention, ...], reading: Reading, places: tuple[int, ...]
) -> float | None:
    if row[0].sort is Sort.LIST:
        return 4.0 if _values(item, row) else None
    score = affinity(item, row[0], reading.neighbours[places[0]])
    if score is None or any(
        affinity(item, mention, reading.neighbours[places[0]]) is None for mention in row
    ):
        return None
    return score + (1.5 if len(row) > 1 else 0.0)


def _values(item: Parameter, row: tuple[Mention, ...]) -> tuple[Json, ...]:
    if row[0].sort is not Sort.LIST:
        return tuple(scalar(item, mention) for mention in row)
    inner = row[0].text.strip("[]")
    if item.kind is Kind.TEXT:
        parts = (part.strip().strip("'\"`") for part in re.split(r"[,;]", inner))
        return tuple(part for part in parts if part)
    numbers = [mention for mention in mentions(inner) if mention.sort is Sort.NUMBER]
    if item.kind is Kind.INTEGER and any(not float(one.number or 0).is_integer() for one in numbers):
        return ()
    return tuple(scalar(item, mention) for mention in numbers)
