"""Generates responses with a model in this process, for tests that define their own model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bfcl_pipeline.ask.generation import Completed, Model, Origin, WorldConfigOf, run_entries
from bfcl_pipeline.ask.generation.backends import LocalBackend
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.dialogue.prompts import Texts


def generate(
    entries: Sequence[Entry],
    model: Model,
    texts: Texts,
    world_config_of: WorldConfigOf,
    run: str | None = None,
    web: str | None = None,
) -> list[Completed]:
    """Every entry with its response, in order. `run` and `web` are written into the responses."""
    backend, origin = LocalBackend(model, entries), Origin(model.name, run, web)
    return asyncio.run(run_entries(entries, backend, texts, world_config_of, origin))
