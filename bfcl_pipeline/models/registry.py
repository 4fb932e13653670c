"""Which kinds of model there are, and the model that a row describes.

A kind is imported only when one of its models is built: neither shall pay for the other's start, nor a
workflow that only asks for the names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bfcl_pipeline.benchmark import unknown_name
from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.errors import ConfigError

if TYPE_CHECKING:
    from bfcl_pipeline.generation import Model


def build_model(row: ModelRow) -> Model:
    """The model of `row`. Raises ConfigError if its kind is unknown."""
    build = MODEL_KINDS.get(row.kind)
    if build is None:
        raise ConfigError(f"model {row.name!r}: {unknown_name('kind', row.kind, MODEL_KINDS)}")
    return build(row)


def _oracle(row: ModelRow) -> Model:
    from bfcl_pipeline.models.oracle import Oracle

    return Oracle(row)


def _lexical(row: ModelRow) -> Model:
    from bfcl_pipeline.models.lexical import Lexical

    return Lexical(row)


MODEL_KINDS: dict[str, Callable[[ModelRow], Model]] = {
    "oracle": _oracle,
    "lexical": _lexical,
}
"""Every kind that config/models.yaml may name."""
