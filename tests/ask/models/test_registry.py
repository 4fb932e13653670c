"""The adapter of each kind of row, and the errors if it cannot work."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.ask.models import build_adapter, build_model, registry
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import KINDS, RECORDED_KINDS, ModelRow
from bfcl_pipeline.benchmark.records import Mode


def row(**values: Any) -> ModelRow:
    return ModelRow(name="m", mode=Mode.PROMPT, display_name="m", model="m", **values)


@pytest.mark.parametrize("name", [name for name in KINDS if name not in RECORDED_KINDS])
def test_every_kind_is_built_as_an_adapter_or_an_embedded_model(name: str) -> None:
    """Embedded kinds answer in this process, all others are behind an API."""
    endpoint = None if KINDS[name].embedded else "http://127.0.0.1:1/v1"
    model = row(kind=name, endpoint=endpoint, family="qwen3-fc" if name == "transformers" else None)
    build, other = (build_model, build_adapter) if KINDS[name].embedded else (build_adapter, build_model)
    built: Any = build(model)
    assert type(built).__name__.lower() in (name.replace("_", ""), "openaichat", f"{name}model")
    with pytest.raises(ConfigError, match=f"unknown kind '{name}'"):
        other(model)


@pytest.mark.parametrize("build", [build_model, build_adapter])
def test_an_unknown_kind_is_refused_with_the_known_ones(build: Any) -> None:
    """The message lists the kinds that could have been meant."""
    known = "lexical" if build is build_model else "openai_chat"
    with pytest.raises(ConfigError, match=known):
        build(row(kind="openai"))


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only litellm is an optional dependency; without it, the message has the command."""
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    endpoint = "http://127.0.0.1:1/v1"
    with pytest.raises(ConfigError, match=r"pip install 'bfcl-pipeline\[litellm\]'"):
        build_adapter(row(kind="litellm", endpoint=endpoint))
    for kind in ("openai_chat", "openai_responses", "anthropic", "gemini"):
        build_adapter(row(kind=kind, endpoint=endpoint))


def test_a_model_served_for_a_run_needs_its_server() -> None:
    """Without a server the message states how to start one; with a server, the adapter is built."""
    with pytest.raises(ConfigError, match="backend: endpoint"):
        build_adapter(row(kind="vllm"))
    assert build_adapter(row(kind="vllm"), "http://127.0.0.1:1/v1").name == "m"
