"""Changes to a multi-turn conversation, each a typical error of models or one that a checker may miss.

Covers changes to the calls of each turn and step and to their arguments; `trajectories` writes the
conversation. A change without anything to change leaves the conversation as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.judge.scoring import truth_calls
from bfcl_pipeline.world.tools import Effect
from tests.peer.trajectory_draft import Draft
from tests.peer.world_scenes import API_OF, METHODS
from tests.peer.world_values import WORDS_BEFORE_BRACKETS, anything

UNKNOWN_NAMES = (
    "foo", "list_files", "TicketAPI", "GorillaFileSystem.ls", "functions.cd", "a.remove", "kill", "exit",
    "os.path.unlink", "x.y.z", "_load_scenario", "__init__", "Ls", "naïve", "for", "2fast", "get tweet",
)  # fmt: skip
"""Names that are neither functions of the benchmark nor defined in an interpreter."""

HEAVY = frozenset({"exponent", "decimal_places", "precision"})
"""Parameters of which a large value would keep the official code busy."""


def _dropped(draft: Draft) -> None:
    if place := draft.drawn():
        step, at = place
        del step[at]


def _doubled(draft: Draft) -> None:
    if place := draft.drawn():
        step, at = place
        step.insert(draft.rng.randint(0, len(step)), step[at])


def _repeated_later(draft: Draft) -> None:
    turns = [number for number, turn in enumerate(draft.turns) if any(turn)]
    if turns:
        number = draft.rng.choice(turns)
        call = draft.rng.choice([call for step in draft.turns[number] for call in step])
        draft.add(call, draft.rng.choice(draft.turns[number:]))


def _shuffled_turn(draft: Draft) -> None:
    turns = [turn for turn in draft.turns if sum(map(len, turn)) > 1]
    if turns:
        turn = draft.rng.choice(turns)
        calls = [call for step in turn for call in step]
        draft.rng.shuffle(calls)
        for step in turn:
            step[:], calls = calls[: len(step)], calls[len(step) :]


def _swapped_calls(draft: Draft) -> None:
    places = draft.calls()
    if len(places) > 1:
        at = draft.rng.randrange(len(places) - 1)
        (one, i), (other, j) = places[at : at + 2]
        one[i], other[j] = other[j], one[i]


def _moved_between_turns(draft: Draft) -> None:
    places = [
        (number, step, at)
        for number, turn in enumerate(draft.turns)
        for step in turn
        for at in range(len(step))
    ]
    if places and len(draft.turns) > 1:
        number, step, at = draft.rng.choice(places)
        call = step.pop(at)
        others = [place for place in (number - 1, number + 1) if 0 <= place < len(draft.turns)]
        draft.add(call, draft.turns[draft.rng.choice(others)])


def _swapped_turns(draft: Draft) -> None:
    if len(draft.turns) > 1:
        at = draft.rng.randrange(len(draft.turns) - 1)
        draft.turns[at : at + 2] = draft.turns[at : at + 2][::-1]


def _split_steps(draft: Draft) -> None:
    for turn in draft.turns:
        turn[:] = [[call] for step in turn for call in step]


def _merged_steps(draft: Draft) -> None:
    for turn in draft.turns:
        turn[:] = [[call for step in turn for call in step]] if turn else []


def _emptied_turn(draft: Draft) -> None:
    if draft.turns:
        draft.rng.choice(draft.turns).clear()


def _cut_off(draft: Draft) -> None:
    del draft.turns[draft.rng.randrange(len(draft.turns) + 1) :]


def _too_many_turns(draft: Draft) -> None:
    for _ in range(draft.rng.choice((1, 1, 3))):
        draft.turns.append([[*step] for step in draft.rng.choice(draft.turns or [[]])])


def _extra_read(draft: Draft) -> None:
    if call := draft.likely_call(Effect.READS):
        draft.add(call)


def _extra_write(draft: Draft) -> None:
    if call := draft.likely_call(Effect.CHANGES):
        draft.add(call)


def _called_too_soon(draft: Draft) -> None:
    """A call in a turn without calls in the truth: one of the next turn, or any other."""
    truth = truth_calls(draft.entry)
    silent = [
        number for number, turn in enumerate(draft.turns) if number < len(truth) and not truth[number]
    ]
    if silent:
        number = draft.rng.choice(silent)
        later = [call for turn in truth[number:] for call in turn]
        effect = draft.rng.choice((Effect.READS, Effect.READS, Effect.CHANGES))
        soon = draft.likely_call(effect) if draft.rng.random() < 0.6 or not later else later[0]
        if soon:
            draft.add(soon, draft.turns[number])


def _unknown_function(draft: Draft) -> None:
    draft.add(Call(draft.rng.choice(UNKNOWN_NAMES), {"x": 1} if draft.rng.random() < 0.5 else {}))


def _another_function(draft: Draft) -> None:
    """A call of another method of the same API, or of an API that the entry does not have."""
    if place := draft.drawn(lambda call: call.name in API_OF):
        step, at = place
        api = API_OF[step[at].name] if draft.rng.random() < 0.8 else draft.rng.choice(list(METHODS))
        step[at] = replace(step[at], name=draft.rng.choice(METHODS[api]))


def _arguments(change: Callable[[Draft, Call, dict[Any, Any]], None]) -> Callable[[Draft], None]:
    """Changes the arguments of one call that has some that may be changed."""

    def changed(draft: Draft) -> None:
        if place := draft.drawn(lambda call: bool(call.arguments) and not HEAVY & set(call.arguments)):
            step, at = place
            arguments = dict(step[at].arguments)
            change(draft, step[at], arguments)
            step[at] = Call(step[at].name, arguments)

    return changed


def _parameter(draft: Draft, arguments: Mapping[Any, Any]) -> Any:
    return draft.rng.choice(list(arguments))


@_arguments
def _value_from_elsewhere(draft: Draft, call: Call, arguments: dict[Any, Any]) -> None:
    others = [
        value for turn in truth_calls(draft.entry) for one in turn for value in one.arguments.values()
    ]
    arguments[_parameter(draft, arguments)] = draft.rng.choice(others or [None])


@_arguments
def _likely_value(draft: Draft, call: Call, arguments: dict[Any, Any]) -> None:
    parameter = _parameter(draft, arguments)
    arguments[parameter] = draft.likely_value(call.name, parameter)


@_arguments
def _edge_value(draft: Draft, call: Call, arguments: dict[Any, Any]) -> None:
    parameter = _parameter(draft, arguments)
    arguments[parameter] = draft.edge_value(call.name, parameter)


@_arguments
def _wrong_type(draft: Draft, call: Call, arguments: dict[Any, Any]) -> None:
    parameter = _parameter(draft, arguments)
    match arguments[parameter], draft.rng.randrange(3):
        case str(text), 0 if text.isdigit():
            arguments[parameter] = int(text)
        case int() | float() as number, 0:
            arguments[parameter] = draft.rng.choice((str(number), float(number), number == 1))
        case value, 1:
            arguments[parameter] = [value]
        case _:
            arguments[parameter] = anything(draft.rng)


@_arguments
def _missing_argument(draft: Draft, call: Call, arguments: dict[Any, Any]) -> None:
    del arguments[_parameter(draft, arguments)]


@_arguments
def _unexpected_argument(draft: Draft, call: Call, arguments: dict[Any, Any]) -> None:
    name = draft.rng.choice(("x", "self", "kwargs", "class", "dir name", "", "2"))
    arguments[name] = anything(draft.rng)


@_arguments
def _renamed_argument(draft: Draft, call: Call, arguments: dict[Any, Any]) -> None:
    parameter = _parameter(draft, arguments)
    arguments[f"{parameter}s"] = arguments.pop(parameter)


@_arguments
def _bracketed_text(draft: Draft, call: Call, arguments: dict[Any, Any]) -> None:
    """A word before a bracket in a text, which the official code treats as a function."""
    parameter = _parameter(draft, arguments)
    name = draft.rng.choice(METHODS[draft.rng.choice(draft.entry.apis)])
    text = draft.rng.choice((f"{name}(", f"{name} (x)", f"see {name}()", *WORDS_BEFORE_BRACKETS))
    value = arguments[parameter]
    arguments[parameter] = (
        f"{value} {text}" if isinstance(value, str) and draft.rng.random() < 0.5 else text
    )


@_arguments
def _optional_argument(draft: Draft, call: Call, arguments: dict[Any, Any]) -> None:
    doc = draft.sources.docs.get(call.name, {"properties": {}})
    missing = [name for name in doc["properties"] if name not in arguments and name not in HEAVY]
    if missing:
        name = draft.rng.choice(missing)
        arguments[name] = draft.likely_value(call.name, name)


@_arguments
def _call_as_argument(draft: Draft, call: Call, arguments: dict[Any, Any]) -> None:
    if draft.nests:
        inner = draft.likely_call(draft.rng.choice(list(Effect)))
        if inner and not HEAVY & set(inner.arguments):
            arguments[_parameter(draft, arguments)] = inner


CHANGES: Mapping[str, tuple[int, Callable[[Draft], None]]] = {
    "dropped": (5, _dropped),
    "doubled": (4, _doubled),
    "repeated_later": (4, _repeated_later),
    "shuffled_turn": (5, _shuffled_turn),
    "swapped_calls": (4, _swapped_calls),
    "moved_between_turns": (5, _moved_between_turns),
    "swapped_turns": (2, _swapped_turns),
    "split_steps": (3, _split_steps),
    "merged_steps": (3, _merged_steps),
    "emptied_turn": (4, _emptied_turn),
    "cut_off": (2, _cut_off),
    "too_many_turns": (1, _too_many_turns),
    "extra_read": (12, _extra_read),
    "extra_write": (6, _extra_write),
    "called_too_soon": (10, _called_too_soon),
    "unknown_function": (4, _unknown_function),
    "another_function": (3, _another_function),
    "value_from_elsewhere": (5, _value_from_elsewhere),
    "likely_value": (6, _likely_value),
    "edge_value": (3, _edge_value),
    "wrong_type": (5, _wrong_type),
    "missing_argument": (3, _missing_argument),
    "unexpected_argument": (3, _unexpected_argument),
    "renamed_argument": (2, _renamed_argument),
    "bracketed_text": (4, _bracketed_text),
    "optional_argument": (4, _optional_argument),
    "call_as_argument": (4, _call_as_argument),
}
"""The weight of each change, and the change."""


def change(draft: Draft, times: int) -> list[str]:
    """Makes that many changes and returns their names."""
    weights = [weight for weight, _ in CHANGES.values()]
    names = draft.rng.choices(list(CHANGES), weights, k=times)
    for name in names:
        CHANGES[name][1](draft)
    return names
