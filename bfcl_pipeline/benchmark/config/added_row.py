"""Adding a row to a models file: the text is extended, so that comments and layout are kept."""

import re
from collections.abc import Mapping
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
    text = path.read_text(encoding="utf-8") if path.exists() else _HEADER
    before, name = _own_rows(path), str(values["name"])
    if name in before:
        raise ConfigError(f"{path}: has a row named {name!r} already. Edit it, or choose another name.")
    first = _ITEM.search(text)
    item = _item(values, len(first[1]) if first else 2)
    with atomic_path(path) as temporary:
        temporary.write_text(f"{text.rstrip()}\n{item}", encoding="utf-8")
        try:
            after = _own_rows(temporary)
            check_folders([name])
        except ConfigError as error:
            raise ConfigError(str(error).replace(str(temporary), str(path))) from error
        if {**after, name: None} != {**before, name: None}:
            raise ConfigError(
                f"{path}: its rows are not the last lines of the file. Add these by hand:\n{item}"
            )
    return after[name]


def _own_rows(path: Path) -> dict[str, ModelRow]:
    """The rows of one file alone, without the official models beside it; none if it does not exist."""
    return ModelsFile.read(path).rows if path.exists() else {}


def _item(values: Mapping[str, Json], indent: int) -> str:
    """The row as an item of a list in YAML."""
    lines = yaml.safe_dump([dict(values)], sort_keys=False, allow_unicode=True, width=100).splitlines()
    return "".join(f"{' ' * indent}{line}\n" for line in lines)
