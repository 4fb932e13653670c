"""Conditions: one model asked in several ways, as rows that differ in that alone.

The row MODEL+CONDITION, such as `my-model-FC+load=16`, follows from the row MODEL. It has a name, and so a
journal, of its own: a request that is equal under two conditions is sent under both.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config.choices import EMBEDDED_KINDS
from bfcl_pipeline.benchmark.config.model_rows import ModelRow, unknown_model
from bfcl_pipeline.benchmark.config.sampling import allocate
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Json, Mode

AGAIN, NOT_AGAIN = "again", "no-again"
"""Changes nothing: shows how far two equal ways of asking differ; and what declines it."""

FIRST, LAST = "first", "last"
"""Change nothing: few entries, asked before and after all others, show whether the server has changed."""

CANARY = 100
"""The number of these entries, at most."""

_CHAT, _RESPONSES = ("openai_chat", "vllm"), "openai_responses"


def split_condition(name: str) -> tuple[str, str]:
    """The model and the condition that the name of a row states; the condition is empty without one."""
    model, mark, condition = name.rpartition("+")
    return (model, condition) if mark and condition.partition("=")[0] in _CHANGES else (name, "")


def model_row(rows: Mapping[str, ModelRow], name: str) -> ModelRow:
    """The row called `name`; that of MODEL+CONDITION follows from the row MODEL.

    Raises ConfigError, with the nearest name, if there is none, or if the model cannot be asked so.
    """
    model, condition = split_condition(name)
    if name not in rows and condition and model in rows:
        return _under(rows[model], condition)
    if name not in rows:
        raise ConfigError(unknown_model(name, rows))
    return rows[name]


def with_conditions(
    models: Sequence[str], rows: Mapping[str, ModelRow], conditions: Sequence[str]
) -> Iterator[str]:
    """The names of `models`, each that is asked through an API with its conditions, in the order of asking.

    conditions: words such as `stream` and `load=1:16`. One that leaves a row as it is adds nothing.
    Raises ConfigError if a word is not a condition, or a model cannot be asked in that way.
    """
    words = list(dict.fromkeys(each for word in conditions for each in _single(word)))
    for name in models:
        row = model_row(rows, name)
        if row.kind in EMBEDDED_KINDS or row.recorded:
            yield name
            continue
        under = [_under(row, word) for word in words if word not in (AGAIN, NOT_AGAIN)]
        changed = [
            one.name for one in under if replace(one, name=name, display_name=row.display_name) != row
        ]
        again = [] if NOT_AGAIN in words else [f"{name}+{AGAIN}"]
        yield from (f"{name}+{FIRST}", name, *again, *changed, f"{name}+{LAST}")


def is_canary(name: str) -> bool:
    """Whether the row of this name is asked few entries, before or after all others."""
    return split_condition(name)[1] in (FIRST, LAST)


def canary(sizes: Mapping[str, int]) -> dict[str, int]:
    """How many entries of each category are asked before and after all others: of one turn, if there are.

    sizes: the entries of each category under the other conditions.
    """
    short = {name: size for name, size in sizes.items() if CATEGORIES[name].single_turn}
    return {name: count for name, count in allocate(short or sizes, CANARY).items() if count}


def _single(word: str) -> Iterator[str]:
    """`load=1:16` as `load=1` and `load=16`."""
    name, equals, values = word.partition("=")
    known = [one for one in (*_CHANGES, NOT_AGAIN) if one not in (FIRST, LAST)]
    if name not in known:
        raise ConfigError(f"conditions: {unknown_name('condition', name, known)}")
    yield from (f"{name}={value}" for value in values.split(":")) if equals else [name]


def _under(row: ModelRow, condition: str) -> ModelRow:
    """The row of a model under a condition. Raises ConfigError if the model cannot be asked so."""
    name, equals, value = condition.partition("=")
    change = _CHANGES[name]
    if bool(equals) is not bool(change.values) or not re.fullmatch(change.values, value):
        expected = f"{name}={change.values}" if change.values else name
        raise ConfigError(f"conditions: expected {expected}, got {condition!r}.")
    made = None if change.kinds and row.kind not in change.kinds else change.make(row, value)
    if made is None:
        raise ConfigError(
            f"conditions: {row.name}, of kind {row.kind} and mode {row.mode}, cannot be asked with "
            f"{condition}; docs/conditions.md states what can. Remove it, or write a second row by hand."
        )
    return replace(made, name=f"{row.name}+{condition}", display_name=f"{row.display_name} ({condition})")


def _stream(row: ModelRow, _: str) -> ModelRow | None:
    return None if row.family else _with_option(row, "stream", True)


def _strict(row: ModelRow, _: str) -> ModelRow | None:
    return None if row.family or row.mode is not Mode.FC else replace(row, strict=True)


def _effort(row: ModelRow, value: str) -> ModelRow | None:
    if row.kind == _RESPONSES:
        given = row.options.get("reasoning")
        reasoning = {**given, "effort": value} if isinstance(given, dict) else {"effort": value}
        return _with_option(row, "reasoning", reasoning)
    return None if row.family else _with_option(row, "reasoning_effort", value)


def _api(row: ModelRow, value: str) -> ModelRow | None:
    """Another API of the same server: None if the row has options, whose names may differ there."""
    if value == "prompt":
        return None if row.family else replace(row, mode=Mode.PROMPT, strict=None)
    if (value == "responses") is (row.kind == _RESPONSES):
        return replace(row, mode=Mode.FC)
    kind = _RESPONSES if value == "responses" else _CHAT[0]
    same = row.options.keys() <= {"temperature", "top_p"} and row.kind != "vllm"
    return replace(row, kind=kind, mode=Mode.FC) if same else None


def _with_option(row: ModelRow, key: str, value: Json) -> ModelRow:
    return replace(row, options={**row.options, key: value})


@dataclass(frozen=True, slots=True)
class _Change:
    """What a condition changes in a row."""

    make: Callable[[ModelRow, str], ModelRow | None] = lambda row, _: row  # None: it cannot be asked so
    kinds: tuple[str, ...] = ()  # of the models that can be; empty: any behind an API
    values: str = ""  # a pattern; empty: it has none


_CHANGES: Mapping[str, _Change] = {
    "stream": _Change(_stream, _CHAT),
    "load": _Change(
        lambda row, most: replace(row, limits=replace(row.limits, in_flight=int(most))),
        values="[1-9][0-9]{0,3}",
    ),
    "strict": _Change(_strict, (*_CHAT, _RESPONSES)),
    "api": _Change(_api, (*_CHAT, _RESPONSES), "chat|responses|prompt"),
    "effort": _Change(_effort, (*_CHAT, _RESPONSES, "litellm"), "[a-z]+"),
    **dict.fromkeys((AGAIN, FIRST, LAST), _Change()),
}
