"""Conditions: one model asked in several ways, as rows that differ in that alone.

The row MODEL+CONDITION, such as `my-model-FC+load=16`, follows from the row MODEL. It has a name, and so a
journal, of its own: a request that is equal under two conditions is sent under both. `again` changes
nothing: it shows how far two equal ways of asking differ. `first` and `last` change nothing either: they
are asked few entries before and after all others, which shows whether the server has changed meanwhile.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config.kinds import EMBEDDED_KINDS
from bfcl_pipeline.benchmark.config.model_rows import ModelRow, unknown_model
from bfcl_pipeline.benchmark.config.sampling import allocate
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Mode

AGAIN, FIRST, LAST = "again", "first", "last"
"""Conditions that change nothing: all entries once more, and the canary before and after everything."""

NOT_AGAIN = "no-again"
"""Declines `again`."""

CANARY = 100
"""The entries, at most, that are asked before and after everything."""

_CHAT, _RESPONSES = "openai_chat", "openai_responses"
_LIMITS = tuple((name, "max_output_tokens") for name in ("max_completion_tokens", "max_tokens"))


def split_condition(name: str) -> tuple[str, str]:
    """The model and the condition that the name of a row states; the condition is empty without one."""
    model, mark, condition = name.rpartition("+")
    return (model, condition) if mark and condition.partition("=")[0] in _CHANGES else (name, "")


def model_row(rows: Mapping[str, ModelRow], name: str) -> ModelRow:
    """The row called `name`; that of MODEL+CONDITION follows from the row MODEL.

    Raises ConfigError, with the nearest name, if there is none, or if the model has no such condition.
    """
    if name in rows:
        return rows[name]
    model, condition = split_condition(name)
    if model not in rows:
        raise ConfigError(unknown_model(name, rows))
    return _under(rows[model], condition)


def with_conditions(
    models: Sequence[str], rows: Mapping[str, ModelRow], conditions: Sequence[str]
) -> Iterator[str]:
    """The names of `models`, each that is asked through an API with its conditions, in the order of asking.

    Args:
        models: names of rows.
        rows: by name.
        conditions: words such as `stream` and `load=1:16`. One that leaves a row as it is adds nothing.

    Raises:
        ConfigError: a word is not a condition, or a model cannot be asked in that way.
    """
    words = dict.fromkeys(each for word in conditions for each in _single(word))
    varied = [word for word in words if word not in (AGAIN, NOT_AGAIN)]
    for word in varied:
        if word in (FIRST, LAST):
            raise _unknown(word)
    asked = False
    for name in models:
        row = model_row(rows, name)
        if row.kind in EMBEDDED_KINDS or row.recorded:
            yield name
            continue
        asked = True
        under = [_under(row, word) for word in varied]
        changed = [
            one.name for one in under if replace(one, name=name, display_name=row.display_name) != row
        ]
        again = [] if NOT_AGAIN in words else [f"{name}+{AGAIN}"]
        yield from (f"{name}+{FIRST}", name, *again, *changed, f"{name}+{LAST}")
    if not asked:
        raise ConfigError(
            f"conditions: {', '.join(models)} is not asked through an API. Add a model with an endpoint to "
            "`models`, or remove `conditions`."
        )


def canary(sizes: Mapping[str, int]) -> dict[str, int]:
    """How many entries of each category are asked before and after all others: of one turn, if there are.

    sizes: the entries of each category under the other conditions.
    """
    short = {name: size for name, size in sizes.items() if CATEGORIES[name].single_turn}
    return {name: count for name, count in allocate(short or sizes, CANARY).items() if count}


def _single(word: str) -> Iterator[str]:
    """`load=1:16` as `load=1` and `load=16`."""
    name, equals, values = word.partition("=")
    yield from (f"{name}={value}" for value in values.split(":")) if equals else [name]


def _under(row: ModelRow, condition: str) -> ModelRow:
    """The row of a model under a condition. Raises ConfigError if it is not one, or not of this model."""
    name, equals, value = condition.partition("=")
    change = _CHANGES.get(name)
    if change is None:
        raise _unknown(condition)
    if bool(value) is not (name in _EXAMPLES) or (equals and not value):
        wanted = _EXAMPLES.get(name, name)
        raise ConfigError(f"conditions: expected {wanted}, got {condition!r}.")
    changed = change(row, value)
    if changed is None:
        raise ConfigError(
            f"conditions: {row.name} of kind {row.kind} and mode {row.mode} cannot be asked with "
            f"{condition}; docs/conditions.md states which models can. Remove it from `conditions`."
        )
    return replace(
        changed, name=f"{row.name}+{condition}", display_name=f"{row.display_name} ({condition})"
    )


def _unknown(condition: str) -> ConfigError:
    known = [name for name in (*_CHANGES, NOT_AGAIN) if name not in (FIRST, LAST)]
    return ConfigError(f"conditions: {unknown_name('condition', condition, known)}")


def _as_it_is(row: ModelRow, _: str) -> ModelRow:
    return row


def _stream(row: ModelRow, _: str) -> ModelRow | None:
    return _with_options(row, stream=True) if _is_chat(row) else None


def _strict(row: ModelRow, _: str) -> ModelRow | None:
    asked = row.mode is Mode.FC and (_is_chat(row) or row.kind == _RESPONSES)
    return replace(row, strict=True) if asked else None


def _load(row: ModelRow, value: str) -> ModelRow | None:
    if not value.isdecimal() or not 1 <= int(value) <= 10_000:
        raise ConfigError(f"conditions: load={value}: expected a number of requests, 1 to 10000.")
    return replace(row, limits=replace(row.limits, in_flight=int(value)))


def _effort(row: ModelRow, value: str) -> ModelRow | None:
    if row.kind == _RESPONSES:
        given = row.options.get("reasoning")
        return _with_options(row, reasoning={**(given if isinstance(given, dict) else {}), "effort": value})
    return _with_options(row, reasoning_effort=value) if _is_chat(row) or row.kind == "litellm" else None


def _api(row: ModelRow, value: str) -> ModelRow | None:
    """Another API of the same server, with the options that have other names there; or prompts."""
    if value == "prompt":
        return None if row.family else replace(row, mode=Mode.PROMPT, strict=None)
    kind = {"chat": _CHAT, "responses": _RESPONSES}.get(value)
    if kind is None:
        raise ConfigError(f"conditions: {unknown_name('api', value, ('chat', 'responses', 'prompt'))}")
    if row.kind == kind or (value == "chat" and _is_chat(row)):
        return replace(row, mode=Mode.FC)
    if row.kind not in (_CHAT, _RESPONSES):
        return None
    options = {key: value for key, value in row.options.items() if key not in ("stream", "stream_options")}
    reasoning = options.pop("reasoning", None)
    effort = options.pop("reasoning_effort", None) or (reasoning or {}).get("effort")
    for names in _LIMITS:
        old, new = names if kind == _RESPONSES else reversed(names)
        if old in options:
            options[new] = options.pop(old)
    changed = replace(row, kind=kind, mode=Mode.FC, options=options)
    return _effort(changed, effort) if effort else changed


def _is_chat(row: ModelRow) -> bool:
    """Whether chat completions are asked for."""
    return row.kind == _CHAT or (row.kind == "vllm" and row.family is None)


def _with_options(row: ModelRow, **options: object) -> ModelRow:
    return replace(row, options={**row.options, **options})


_CHANGES: Mapping[str, Callable[[ModelRow, str], ModelRow | None]] = {
    "stream": _stream,
    "load": _load,
    "strict": _strict,
    "api": _api,
    "effort": _effort,
    AGAIN: _as_it_is,
    FIRST: _as_it_is,
    LAST: _as_it_is,
}
"""What each condition changes in a row; None: models of this kind or mode cannot be asked so."""

_EXAMPLES = {"load": "load=1:16:128", "api": "api=chat:responses:prompt", "effort": "effort=low:high"}
"""The conditions that have values."""
