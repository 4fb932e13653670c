"""What every adapter takes from a model's row: whom it asks, with which key, and what it adds to a body."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict

from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.records import Json

TEMPERATURE = 0.001
"""What the release sends; `temperature: null` among a row's options for models that take none."""


def endpoint_of(row: ModelRow, endpoint: str | None = None) -> str:
    """Where the model of `row` answers: at `endpoint`, of a server started for the run, else as it says."""
    address = endpoint or row.endpoint
    if address is None:
        raise ConfigError(
            f"model {row.name!r} is served by vLLM for a run. Let the workflow start the server, or set "
            "`backend: endpoint` and `endpoint` in its row to use one that already runs."
        )
    return address.rstrip("/")


def asked_of(row: ModelRow, endpoint: str | None = None) -> str:
    """Whom messages of errors name."""
    return f"model {row.model!r} at {endpoint_of(row, endpoint)}"


def identity_of(row: ModelRow) -> Json:
    """All that decides an answer besides the body.

    A server of the run's own is what it was told to be, not the port at which it listens, the number of its
    GPUs or of its siblings.
    """
    if not row.served:
        return {"kind": row.kind, "endpoint": endpoint_of(row)}
    settings = asdict(row.vllm)
    del settings["gpus"], settings["shards"]
    return {"kind": row.kind, "model": row.model, "vllm": {**settings, "args": list(row.vllm.args)}}


def key_of(row: ModelRow) -> str | None:
    """The key of `row`; None if it asks without one. Raises ConfigError if its variable is not set."""
    if row.key is None:
        return None
    key = os.environ.get(row.key, "").strip()
    if not key:
        raise ConfigError(
            f"model {row.name!r}: the environment variable {row.key} is not set. Set it to your key for "
            f"{row.endpoint or row.kind}."
        )
    return key


def with_options(body: Mapping[str, Json], options: Mapping[str, Json]) -> dict[str, Json]:
    """`body` with the options of a row, which win; one that is null removes its key."""
    merged = {**body, **options}
    return {key: value for key, value in merged.items() if value is not None or key not in options}
