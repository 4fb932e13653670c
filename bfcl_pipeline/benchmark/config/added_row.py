"""Adding rows to a models file: the text is extended, so that comments and layout are kept."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import atomic_path
from bfcl_pipeline.benchmark.config.model_rows import ModelRow, ModelsFile
from bfcl_pipeline.benchmark.config.run_config import check_folders
from bfcl_pipeline.benchmark.records import Json

_HEADER = """\
# Your models, one row each; `bfcl-pipeline models add` appends to this file. A row replaces an official one
# of the same name. config/README.md explains the keys.
models:
"""

_ITEM = re.compile(r"^( *)- ", re.MULTILINE)


def add_row(path: Path, values: Mapping[str, Json]) -> ModelRow:
    """Appends a row to a models file, which is made if it does not exist; returns the row as read back.

    Args:
        path: the models file.
        values: the row's keys, as in the file; `name` and `kind` at least.

    Raises:
        ConfigError: the row or the file is wrong, or has a row of that name; the file is then unchanged.
    """
    if values["name"] in own_rows(path):
        raise ConfigError(
            f"{path}: has a row named {values['name']!r} already. Edit it, or choose another name."
        )
    return add_rows(path, [values])[0]


def add_rows(path: Path, rows: Sequence[Mapping[str, Json]]) -> list[ModelRow]:
    """Appends several rows with new names at once, as `add_row` does; all of them or none."""
    text = path.read_text(encoding="utf-8") if path.exists() else _HEADER
    before = own_rows(path)
    names = [str(values["name"]) for values in rows]
    with atomic_path(path) as temporary:
        temporary.write_text(_extended(text, rows), encoding="utf-8")
        try:
            after = own_rows(temporary)
            check_folders(names)
        except ConfigError as error:
            raise ConfigError(str(error).replace(str(temporary), str(path))) from error
        if {**after, **dict.fromkeys(names)} != {**before, **dict.fromkeys(names)}:
            raise ConfigError(
                f"{path}: its rows are not the last lines of the file. Add these by hand:\n"
                f"{_items(rows, 2)}"
            )
    return [after[name] for name in names]


def own_rows(path: Path) -> dict[str, ModelRow]:
    """The rows of one file alone, without the official models beside it; none if it does not exist."""
    return ModelsFile.read(path).rows if path.exists() else {}


def _extended(text: str, rows: Sequence[Mapping[str, Json]]) -> str:
    first = _ITEM.search(text)
    return f"{text.rstrip()}\n{_items(rows, len(first[1]) if first else 2)}"


def _items(rows: Sequence[Mapping[str, Json]], indent: int) -> str:
    """The rows as items of a list in YAML."""
    lines = yaml.safe_dump(
        [dict(values) for values in rows], sort_keys=False, allow_unicode=True, width=100
    ).splitlines()
    return "".join(f"{' ' * indent}{line}\n" for line in lines)
