"""Which kinds of model a row may name, and what each needs before it can be asked.

Covers facts only; what a kind does is `bfcl_pipeline.models`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One way of answering."""

    about: str  # one line on who answers
    embedded: bool = False  # answers in the process of the job, without a server
    extra: str | None = None  # the optional dependencies that it needs: bfcl-pipeline[extra]
    module: str | None = None  # what that extra brings; imported only when a model is asked
    endpoint: str | None = None  # where its API is unless the row says; None: the row has to say
    key: str | None = None  # environment variable of the key for that endpoint


KINDS: Mapping[str, Kind] = {
    "oracle": Kind("from the ground truth", embedded=True),
    "lexical": Kind("by word overlap", embedded=True),
    "openai_chat": Kind(
        "OpenAI chat completions, and every server compatible with them",
        extra="openai",
        module="openai",
        endpoint="https://api.openai.com/v1",
        key="OPENAI_API_KEY",
    ),
    "openai_responses": Kind(
        "OpenAI Responses",
        extra="openai",
        module="openai",
        endpoint="https://api.openai.com/v1",
        key="OPENAI_API_KEY",
    ),
    "anthropic": Kind(
        "Anthropic Messages",
        extra="anthropic",
        module="anthropic",
        endpoint="https://api.anthropic.com",
        key="ANTHROPIC_API_KEY",
    ),
    "gemini": Kind(
        "Google Gemini",
        extra="gemini",
        module="google.genai",
        endpoint="https://generativelanguage.googleapis.com",
        key="GOOGLE_API_KEY",
    ),
    "litellm": Kind(
        "any API that litellm speaks (Bedrock, Cohere, ...)", extra="litellm", module="litellm"
    ),
    "vllm": Kind(
        "a model of the hub or a folder, served by vLLM for the run", extra="openai", module="openai"
    ),
}
"""Every kind, embedded ones first."""

EMBEDDED_KINDS = frozenset(name for name, kind in KINDS.items() if kind.embedded)
"""Kinds of the models that ship with the pipeline; the report marks them."""
