"""The nested parts of a models row: how a model is asked, and how a server of its own is started."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

from bfcl_pipeline.benchmark import unknown_name
from bfcl_pipeline.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Limits:
    """How fast and how long one model is asked."""

    in_flight: int = 32  # requests that wait for an answer at once, at most
    requests_per_minute: float | None = None  # None: no limit but what the server says
    tokens_per_minute: float | None = None  # sent and received together; None: likewise
    seconds: float = 600.0  # for one request; then it counts as failed
    attempts: int = 6  # for one request, before its entry gets a status instead of an answer
    retry_seconds: float = 1.0  # before the second attempt; doubled for each further one, up to 60


@dataclass(frozen=True, slots=True)
class Serving:
    """How vLLM serves a model: options of its server."""

    tool_parser: str | None = None  # --tool-call-parser; required in mode fc
    reasoning_parser: str | None = None  # --reasoning-parser
    chat_template: str | None = None  # --chat-template: a file, or a template that vLLM ships
    dtype: str | None = None  # --dtype; None: as the model says
    max_model_len: int | None = None  # --max-model-len in tokens; None: as the model says
    gpus: int = 1  # --tensor-parallel-size
    shards: int = 1  # servers that share the entries, each with GPUs of its own
    args: tuple[str, ...] = ()  # further options, as vLLM spells them


Part = TypeVar("Part", Limits, Serving)

_WHOLE = {"in_flight", "attempts", "max_model_len", "gpus", "shards"}
_TEXT = {"tool_parser", "reasoning_parser", "chat_template", "dtype"}


def part(where: str, kind: type[Part], values: Any) -> Part:
    """The part that `values` describes. Raises ConfigError if a key is unknown or a value is wrong."""
    known = tuple(column.name for column in fields(kind))
    if not isinstance(values, dict):
        raise ConfigError(f"{where} must be a mapping of {', '.join(known)}; got {values!r}.")
    for key in values:
        if key not in known:
            raise ConfigError(f"{where}: {unknown_name('key', key, known)}")
    return kind(**{key: _checked(where, key, value) for key, value in values.items()})


def _checked(where: str, key: str, value: Any) -> Any:
    if key == "args":
        if not isinstance(value, list) or not all(isinstance(item, str | int | float) for item in value):
            raise ConfigError(f"{where}: args must be a list of options; got {value!r}.")
        return tuple(map(str, value))
    if key in _TEXT:
        if not isinstance(value, str) or not value.strip():
            raise ConfigError(f"{where}: {key} must be a text; got {value!r}.")
        return value
    kinds = (int,) if key in _WHOLE else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or value <= 0:
        number = "a whole number" if key in _WHOLE else "a number"
        raise ConfigError(f"{where}: {key} must be {number} above 0; got {value!r}.")
    return value
