"""Answers of an entry as plain calls, and ways to damage them before they are written.

Covers the calls themselves (which, in what order, with which arguments and values). The other `variant_*`
modules write calls as text. All choices come from the generator passed in.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bfcl_pipeline.benchmark.records import Entry
from tests.peer.variant_values import Code, changed_value


@dataclass(frozen=True, slots=True)
class PlainCall:
    """A call as it will be written; the same argument may occur twice."""

    name: str  # as in the release, with dots
    arguments: tuple[tuple[str, Any], ...]  # names and values in writing order


Calls = list[PlainCall]

_OMITTED = object()


def right_answer(entry: Entry, rng: random.Random) -> Calls:
    """Calls that fit the entry's truth, each value drawn among the acceptable ones.

    Entries without a truth (relevance and irrelevance) get calls of their functions with filler values.
    """
    if not isinstance(entry.truth, list):
        return _filler_answer(entry, rng)
    return [
        PlainCall(name, _arguments(parameters, rng))
        for item in entry.truth
        for name, parameters in item.items()
    ]


def _arguments(parameters: Mapping[str, list[Any]], rng: random.Random) -> tuple[tuple[str, Any], ...]:
    drawn = ((name, _draw(options, rng)) for name, options in parameters.items())
    return tuple((name, value) for name, value in drawn if value is not _OMITTED)


def _draw(options: list[Any], rng: random.Random) -> Any:
    """One acceptable value; the empty text means that the argument may be left out."""
    if not options:
        return []
    option = rng.choice(options)
    if option == "" and len(options) > 1:
        return _OMITTED
    return _concrete(option, rng)


def _concrete(option: Any, rng: random.Random) -> Any:
    if isinstance(option, dict):
        drawn = {k: _draw(v, rng) if isinstance(v, list) else v for k, v in option.items()}
        return {k: v for k, v in drawn.items() if v is not _OMITTED}
    if isinstance(option, list):
        return [_concrete(item, rng) for item in option]
    return option


_FILLERS: dict[str, tuple[Any, ...]] = {
    "integer": (1, 0, -3, 2024),
    "float": (1.5, 2, -0.25),
    "boolean": (True, False),
    "array": (["a", "b"], [1], []),
    "tuple": ([1.0, 2.0], [3]),
    "dict": ({"key": "value"}, {}),
}


def _filler_answer(entry: Entry, rng: random.Random) -> Calls:
    chosen = rng.sample(list(entry.functions), k=min(len(entry.functions), rng.choice((1, 1, 2))))
    return [PlainCall(doc["name"], tuple(_filled(doc, rng))) for doc in chosen]


def _filled(doc: Mapping[str, Any], rng: random.Random) -> list[tuple[str, Any]]:
    properties = doc["parameters"].get("properties", {})
    return [
        (name, rng.choice(_FILLERS.get(p.get("type"), ("text", "New York, NY"))))
        for name, p in properties.items()
    ]


def parameter_docs(entry: Entry, name: str) -> Mapping[str, Any]:
    """The documented parameters of the function `name`, by name; empty if it is not offered."""
    for doc in entry.functions:
        if doc["name"] == name:
            return doc["parameters"].get("properties", {})
    return {}


def _at(calls: Calls, rng: random.Random) -> int:
    return rng.randrange(len(calls))


def _with(calls: Calls, index: int, call: PlainCall) -> Calls:
    return [*calls[:index], call, *calls[index + 1 :]]


def _edit_arguments(edit: Callable[[list[tuple[str, Any]], random.Random], None]) -> Any:
    """A mutation that edits the argument list of one call that has arguments."""

    def mutation(calls: Calls, entry: Entry, rng: random.Random) -> Calls:
        eligible = [i for i, call in enumerate(calls) if call.arguments]
        if not eligible:
            return calls
        index = rng.choice(eligible)
        arguments = list(calls[index].arguments)
        edit(arguments, rng)
        return _with(calls, index, replace(calls[index], arguments=tuple(arguments)))

    return mutation


def _drop(arguments: list[tuple[str, Any]], rng: random.Random) -> None:
    del arguments[rng.randrange(len(arguments))]


def _duplicate(arguments: list[tuple[str, Any]], rng: random.Random) -> None:
    name, value = rng.choice(arguments)
    arguments.append((name, rng.choice((value, changed_value(value, rng)))))


def _rename(arguments: list[tuple[str, Any]], rng: random.Random) -> None:
    index = rng.randrange(len(arguments))
    name, value = arguments[index]
    forms = (
        name.upper(),
        name.capitalize(),
        f"{name}_",
        f"_{name}",
        name.replace("_", ""),
        f"{name}s",
        "arg",
    )
    arguments[index] = (rng.choice(forms), value)


def _swap_values(arguments: list[tuple[str, Any]], rng: random.Random) -> None:
    first, second = rng.randrange(len(arguments)), rng.randrange(len(arguments))
    (name, value), (other, other_value) = arguments[first], arguments[second]
    arguments[first], arguments[second] = (name, other_value), (other, value)


def _change(arguments: list[tuple[str, Any]], rng: random.Random) -> None:
    index = rng.randrange(len(arguments))
    name, value = arguments[index]
    arguments[index] = (name, changed_value(value, rng))


def _change_all(arguments: list[tuple[str, Any]], rng: random.Random) -> None:
    arguments[:] = [(name, changed_value(value, rng)) for name, value in arguments]


def _add_unknown(calls: Calls, entry: Entry, rng: random.Random) -> Calls:
    index = _at(calls, rng)
    extra = (rng.choice(("extra", "unit", "self", "timeout")), rng.choice((1, "x", None, True)))
    return _with(calls, index, replace(calls[index], arguments=(*calls[index].arguments, extra)))


def _add_documented(calls: Calls, entry: Entry, rng: random.Random) -> Calls:
    index = _at(calls, rng)
    given = dict(calls[index].arguments)
    absent = [(n, p) for n, p in parameter_docs(entry, calls[index].name).items() if n not in given]
    if not absent:
        return calls
    name, doc = rng.choice(absent)
    value = doc.get("default", rng.choice(_FILLERS.get(doc.get("type"), ("text", ""))))
    return _with(calls, index, replace(calls[index], arguments=(*calls[index].arguments, (name, value))))


def _wrong_function(calls: Calls, entry: Entry, rng: random.Random) -> Calls:
    index = _at(calls, rng)
    names = [doc["name"] for doc in entry.functions] + ["no_such_function", "print"]
    return _with(calls, index, replace(calls[index], name=rng.choice(names)))


def _respell_name(calls: Calls, entry: Entry, rng: random.Random) -> Calls:
    index = _at(calls, rng)
    name = calls[index].name
    forms = (
        name.replace(".", "_"),
        name.replace("_", "."),
        name.split(".")[-1],
        f"functions.{name}",
        f"tools.{name}",
        name.upper(),
        f"{name}_1",
        name.replace("_", "-"),
        name.replace(".", "__"),
    )
    return _with(calls, index, replace(calls[index], name=rng.choice(forms)))


def _nest(calls: Calls, entry: Entry, rng: random.Random) -> Calls:
    """One argument's value becomes a call, with or without keywords."""
    index = rng.choice([i for i, call in enumerate(calls) if call.arguments] or [-1])
    if index < 0:
        return calls
    arguments = list(calls[index].arguments)
    at = rng.randrange(len(arguments))
    inner = rng.choice(calls).name
    name, value = arguments[at]
    forms = (
        f"{inner}()",
        f"{inner}(1, 'a')",
        f"{inner}(x={value!r})",
        f"{inner}(x=other(y=1))",
        f"[{inner}(x=1)]",
    )
    arguments[at] = (name, Code(rng.choice(forms)))
    return _with(calls, index, replace(calls[index], arguments=tuple(arguments)))


def _shuffled(calls: Calls, entry: Entry, rng: random.Random) -> Calls:
    return rng.sample(calls, k=len(calls))


def _shuffled_arguments(arguments: list[tuple[str, Any]], rng: random.Random) -> None:
    rng.shuffle(arguments)


def _drop_call(calls: Calls, entry: Entry, rng: random.Random) -> Calls:
    index = _at(calls, rng)
    return calls[:index] + calls[index + 1 :]


def _duplicate_call(calls: Calls, entry: Entry, rng: random.Random) -> Calls:
    return [*calls, rng.choice(calls)]


def _no_arguments(calls: Calls, entry: Entry, rng: random.Random) -> Calls:
    index = _at(calls, rng)
    return _with(calls, index, replace(calls[index], arguments=()))


def _replace_call(calls: Calls, entry: Entry, rng: random.Random) -> Calls:
    return _with(calls, _at(calls, rng), rng.choice(calls))


MUTATIONS: dict[str, Callable[[Calls, Entry, random.Random], Calls]] = {
    "drop_argument": _edit_arguments(_drop),
    "duplicate_argument": _edit_arguments(_duplicate),
    "rename_argument": _edit_arguments(_rename),
    "swap_values": _edit_arguments(_swap_values),
    "change_value": _edit_arguments(_change),
    "change_values": _edit_arguments(_change_all),
    "reorder_arguments": _edit_arguments(_shuffled_arguments),
    "add_unknown_argument": _add_unknown,
    "add_documented_argument": _add_documented,
    "wrong_function": _wrong_function,
    "respell_name": _respell_name,
    "nest_call": _nest,
    "reorder_calls": _shuffled,
    "drop_call": _drop_call,
    "duplicate_call": _duplicate_call,
    "replace_call": _replace_call,
    "no_arguments": _no_arguments,
}
"""Every way to damage calls, by name; each leaves its argument as it was."""

_WEIGHTS = {"change_value": 12, "change_values": 3, "reorder_calls": 3, "reorder_arguments": 2}


def mutated(calls: Calls, entry: Entry, rng: random.Random, times: int) -> tuple[Calls, list[str]]:
    """`calls` after `times` drawn mutations, and the names of those."""
    names = rng.choices(list(MUTATIONS), [_WEIGHTS.get(n, 1) for n in MUTATIONS], k=times)
    for name in names:
        if calls:
            calls = MUTATIONS[name](calls, entry, rng)
    return calls, names
