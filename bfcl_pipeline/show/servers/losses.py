"""What differs between the calls that were written and those that a server read, as one class."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.show.servers.reading import Reading, Written


class Loss(StrEnum):
    """What a server did to an answer; of several, the first of this list."""

    ERROR = "server error"
    NO_CALL = "no call found"
    CALL_LOST = "call lost"
    INVENTED = "call invented"
    BROKEN = "arguments are not JSON"
    ORDER = "order changed"
    NAME = "name changed"
    ARGUMENT_LOST = "argument lost"
    ARGUMENT_ADDED = "argument added"
    TYPE = "value changed in type"
    VALUE = "value changed"
    TEXT = "text left over"


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer that a model would write."""

    calls: Sequence[tuple[str, Mapping[str, Json]]]  # names and arguments; empty: a text
    text: str | None  # the text of an answer without calls
    tools: Sequence[Json]  # that were offered


@dataclass(frozen=True, slots=True)
class Changed:
    """One answer that the server read otherwise than it was written."""

    loss: Loss
    asked: Asked
    written: Written
    reading: Reading
    piece: int  # tokens in a piece; 0: at once


def loss_of(asked: Asked, reading: Reading) -> Loss | None:
    """What the server did to an answer; None if it reads what was written."""
    if reading.error is not None:
        return Loss.ERROR
    wanted, found = list(asked.calls), []
    for name, arguments in reading.calls:
        try:
            found.append((name, json.loads(arguments or "{}")))
        except (ValueError, RecursionError):
            found.append((name, None))
    if len(found) < len(wanted):
        return Loss.CALL_LOST if found else Loss.NO_CALL
    if len(found) > len(wanted):
        return Loss.INVENTED
    if any(not isinstance(arguments, dict) for _, arguments in found):
        return Loss.BROKEN
    pairs = list(zip(wanted, found, strict=True))
    if any(not _same(*pair) for pair in pairs) and _in_another_order(wanted, found):
        return Loss.ORDER
    losses = [loss for pair in pairs if (loss := _of_call(*pair)) is not None]
    if losses:
        return min(losses, key=list(Loss).index)
    left = (reading.content or "").strip()
    return Loss.TEXT if left != (asked.text or "").strip() else None


def _of_call(wanted: tuple[str, Mapping[str, Json]], found: tuple[str, Json]) -> Loss | None:
    (name, arguments), (read_name, read) = wanted, found
    if name != read_name:
        return Loss.NAME
    if arguments.keys() - read.keys():
        return Loss.ARGUMENT_LOST
    if read.keys() - arguments.keys():
        return Loss.ARGUMENT_ADDED
    if any(type(value) is not type(read[key]) for key, value in arguments.items()):
        return Loss.TYPE
    return None if _same(wanted, found) else Loss.VALUE


def _same(first: Json, second: Json) -> bool:
    """Whether two values are the same as JSON: 1, 1.0 and true differ, the order of keys does not count."""
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def _in_another_order(wanted: Sequence[Json], found: Sequence[Json]) -> bool:
    first, second = (
        Counter(json.dumps(call, sort_keys=True) for call in calls) for calls in (wanted, found)
    )
    return first == second
