"""The model or adapter that a row describes. The code of a kind is imported when it is first needed."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config import KINDS, ModelRow
from bfcl_pipeline.runs.run import Run

if TYPE_CHECKING:
    from bfcl_pipeline.ask.generation import Adapter, Model


def build_model(row: ModelRow) -> Model:
    """The model of `row`, which answers in this process. Raises ConfigError for a kind that does not."""
    model: Model = _class(row, embedded=True)(row)
    return model


def build_adapter(row: ModelRow, endpoint: str | None = None, *, offline: bool = False) -> Adapter:
    """The adapter of `row`, whose model is behind an API.

    Args:
        row: the model.
        endpoint: URL of the API if it is not that of the row: of a server that was started for the run.
        offline: only make bodies and read answers; then neither a key nor a package or server is needed.

    Raises:
        ConfigError: the kind has no API, or a key, an endpoint or a package is missing.
    """
    build = _class(row, embedded=False)
    extra = KINDS[row.kind].extra
    if not offline and extra is not None and not is_installed(extra):
        raise ConfigError(
            f"model {row.name!r}: models of kind {row.kind} need {extra}, which is not installed. "
            f"Run: pip install 'bfcl-pipeline[{extra}]'"
        )
    adapter: Adapter = build(row, endpoint, offline=offline)
    return adapter


def build_derived(row: ModelRow, run: Run | None, folder: str) -> Adapter:
    """The adapter of a recorded model: it makes bodies and reads answers with what the run has noted alone.

    Args:
        row: as the run recorded it, perhaps on another machine.
        run: None: it noted nothing.
        folder: the directory name of the model.
    """
    if not row.own_template:
        return build_adapter(row, offline=True)
    note = Path(os.devnull) if run is None else run.template_note(folder)
    adapter: Adapter = _class(row, embedded=False)(row, offline=True, note=note)
    return adapter


def is_installed(module: str) -> bool:
    """Whether a top-level module can be imported; it is not imported."""
    return find_spec(module) is not None


def _class(row: ModelRow, *, embedded: bool) -> Any:
    kinds = {name: kind for name, kind in KINDS.items() if kind.adapter and kind.embedded is embedded}
    if row.kind not in kinds:
        raise ConfigError(f"model {row.name!r}: {unknown_name('kind', row.kind, kinds)}")
    kind = kinds[row.kind]
    module, _, name = (kind.completions if row.family and kind.completions else kind.adapter).partition(":")
    return getattr(import_module(f"bfcl_pipeline.ask.models.{module}"), name)
