"""Which kinds of model there are, and the model that a row describes.

A kind is imported only when one of its models is built: neither shall pay for the other's start, nor a
workflow that only asks for the names.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from bfcl_pipeline.benchmark import unknown_name
from bfcl_pipeline.config import KINDS, ModelRow
from bfcl_pipeline.errors import ConfigError

if TYPE_CHECKING:
    from bfcl_pipeline.generation import Model, Wire


class Adapter(Protocol):
    """Makes the wire of a row."""

    def __call__(self, row: ModelRow, endpoint: str | None = None, *, offline: bool = False) -> Wire:
        """As `build_wire`, for rows of one kind."""


def build_model(row: ModelRow) -> Model:
    """The model of `row`, which answers in this process. Raises ConfigError if its kind is no such."""
    build = MODEL_KINDS.get(row.kind)
    if build is None:
        raise ConfigError(f"model {row.name!r}: {unknown_name('kind', row.kind, MODEL_KINDS)}")
    return build(row)


def build_wire(row: ModelRow, endpoint: str | None = None, *, offline: bool = False) -> Wire:
    """The model of `row`, which answers behind an API.

    endpoint: where the server of the run listens, for a row that is served. offline: it will only make
    bodies and read answers, and so needs nothing but its row. Raises ConfigError if its kind is no such, or
    if what it needs (the vendor's client, a key, a server) is missing.
    """
    load = WIRE_KINDS.get(row.kind)
    if load is None:
        raise ConfigError(f"model {row.name!r}: {unknown_name('kind', row.kind, WIRE_KINDS)}")
    kind = KINDS[row.kind]
    if not offline and kind.module is not None and not _installed(kind.module):
        raise ConfigError(
            f"model {row.name!r}: models of kind {row.kind} need {kind.module}, which is not installed. "
            f"Run: pip install 'bfcl-pipeline[{kind.extra}]'"
        )
    return load()(row, endpoint, offline=offline)


def _oracle(row: ModelRow) -> Model:
    from bfcl_pipeline.models.oracle import Oracle

    return Oracle(row)


def _lexical(row: ModelRow) -> Model:
    from bfcl_pipeline.models.lexical import Lexical

    return Lexical(row)


def _openai_chat() -> Adapter:
    from bfcl_pipeline.models.wires.openai_chat import OpenAIChat

    return OpenAIChat


def _openai_responses() -> Adapter:
    from bfcl_pipeline.models.wires.openai_responses import OpenAIResponses

    return OpenAIResponses


def _anthropic() -> Adapter:
    from bfcl_pipeline.models.wires.anthropic import Anthropic

    return Anthropic


def _gemini() -> Adapter:
    from bfcl_pipeline.models.wires.gemini import Gemini

    return Gemini


def _litellm() -> Adapter:
    from bfcl_pipeline.models.wires.litellm import LiteLLM

    return LiteLLM


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of google.genai not even google
        return False


MODEL_KINDS: dict[str, Callable[[ModelRow], Model]] = {
    "oracle": _oracle,
    "lexical": _lexical,
}
"""Every kind of model that answers in this process."""

WIRE_KINDS: dict[str, Callable[[], Adapter]] = {
    "openai_chat": _openai_chat,
    "openai_responses": _openai_responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "litellm": _litellm,
    "vllm": _openai_chat,
}
"""Every kind of model that answers behind an API, and what loads its adapter."""
