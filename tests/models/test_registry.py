"""Which adapter a row gets, and what is told if it cannot work."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.config import KINDS, ModelRow
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.models import MODEL_KINDS, WIRE_KINDS, build_model, build_wire, registry
from bfcl_pipeline.records import Mode


def row(**values: Any) -> ModelRow:
    return ModelRow(name="m", mode=Mode.PROMPT, display_name="m", model="m", **values)


def test_every_kind_is_built_by_one_of_both() -> None:
    """Embedded kinds are models of this process, all others are behind a wire."""
    embedded = {name for name, kind in KINDS.items() if kind.embedded}
    assert set(MODEL_KINDS) == embedded
    assert set(WIRE_KINDS) == set(KINDS) - embedded


@pytest.mark.parametrize("build", [build_model, build_wire])
def test_an_unknown_kind_is_told_with_the_known_ones(build: Any) -> None:
    """The message lists what could have been meant."""
    known = "lexical" if build is build_model else "openai_chat"
    with pytest.raises(ConfigError, match=known):
        build(row(kind="openai"))


def test_a_missing_client_is_told_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the command."""
    for kind in ("openai_chat", "gemini"):
        monkeypatch.setattr(registry, "find_spec", lambda name: None)
        with pytest.raises(ConfigError, match=rf"pip install 'bfcl-pipeline\[{KINDS[kind].extra}\]'"):
            build_wire(row(kind=kind, endpoint="http://127.0.0.1:1/v1"))


def test_a_model_served_for_a_run_needs_its_server() -> None:
    """Without a server the message says how to have one; with it, it is built."""
    with pytest.raises(ConfigError, match="backend: endpoint"):
        build_wire(row(kind="vllm"))
    assert build_wire(row(kind="vllm"), "http://127.0.0.1:1/v1").name == "m"
