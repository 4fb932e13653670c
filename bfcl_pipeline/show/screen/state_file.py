"""The files through which a run and its jobs report their states to other processes, on any machine.

Each is a small JSON object, replaced as a whole about once a second, so that its changes are signs of life.
They are only shown: nothing is derived from them, and their absence is no error.
"""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from bfcl_pipeline.base.files import read_json
from bfcl_pipeline.show.screen.progress import clean

FOLDER = Path(".snakemake/progress")
"""The files of all runs, in the directory of the workflow."""

MOST_BYTES = 1 << 24
"""A larger file was not written here and is not read."""

_MOST = 1e15  # seconds, dollars or requests per second
_MOST_KEYS = 32  # kinds of failures

Record = TypeVar("Record")


def progress_path(log: str) -> Path:
    """The file of the job with this log. workflow/rules/generate.smk uses the same path."""
    return FOLDER / log


def run_file(name: str) -> Path:
    """The file of the run with this name."""
    return FOLDER / "results" / name / "run.json"


def write_record(path: Path, record: Any) -> None:
    """Replaces a file by a record. One that cannot be written does not stop what is reported."""
    temporary = path.with_name(f".{path.name}.tmp")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(asdict(record)), encoding="utf-8")
        temporary.replace(path)


def read_record(path: Path, kind: type[Record]) -> Record | None:
    """The record in a file that `write_record` wrote; None if there is none, or it cannot be read.

    Texts are made safe for a terminal. Keys that are not known are ignored.
    """
    try:
        record: Record = _checked(kind, read_json(path, MOST_BYTES))
    except (OSError, ValueError):
        return None
    return record


def _checked(kind: Any, value: Any) -> Any:
    """A value of JSON as one of a type. Raises ValueError if it is none."""
    parts, origin = get_args(kind), get_origin(kind)
    if origin is UnionType:  # with None
        return None if value is None else _checked(parts[0], value)
    if origin is tuple and isinstance(value, list):
        return tuple(_checked(parts[0], one) for one in value)
    if origin is Mapping and isinstance(value, dict):
        return {clean(key): _checked(parts[1], one) for key, one in list(value.items())[:_MOST_KEYS]}
    if is_dataclass(kind) and isinstance(value, dict):
        make: Any = kind
        return make(**{name: _checked(one, value.get(name, ...)) for name, one in _types(make).items()})
    if isinstance(value, str) and isinstance(kind, type) and issubclass(kind, str):
        return clean(value) if kind is str else kind(value)
    if isinstance(value, bool) and kind is bool:
        return value
    number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST
    if number and (kind is float or (kind is int and isinstance(value, int))):
        return kind(value)
    raise ValueError(f"{value!r} is not of the type {kind}")


@cache
def _types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
