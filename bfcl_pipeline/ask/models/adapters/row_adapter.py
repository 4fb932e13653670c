"""What all adapters share: the model's row, its key and endpoint, and HTTP requests to that endpoint."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bfcl_pipeline.ask.generation.conversation import ChatAsking
from bfcl_pipeline.ask.models.adapters.response_validator import ResponseValidator
from bfcl_pipeline.ask.models.adapters.status_errors import stated_error
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.secrets import SHORTEST, TOO_SHORT
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.prompts import WireFormat

if TYPE_CHECKING:
    from bfcl_pipeline.ask.generation import Asking
    from bfcl_pipeline.ask.models.adapters.transport import Transport
    from bfcl_pipeline.runs.provenance import ServerRecord

TEMPERATURE = 0.001
"""The release's value; `temperature: null` in a row's options removes it for models that refuse it."""

NO_SERVER = "its server"
"""Endpoint in messages about a served model when the run that served it is over."""

_NO_HEADERS: Mapping[str, str] = {}


class RowAdapter:
    """A model behind an API, as its row describes it."""

    wire: WireFormat  # of the functions and messages in a body
    path: str  # of requests, after the endpoint
    version: str | None = None  # of the API, if it is part of its identity
    server: ServerRecord | None = None  # that answers, as far as it is known

    def __init__(self, row: ModelRow, endpoint: str | None = None, *, offline: bool = False) -> None:
        """Args: see `models.build_adapter`. Raises ConfigError if the key or the endpoint is missing."""
        self.name = row.name  # as in config/models.yaml
        self.asking: Asking = ChatAsking(row.mode, self.wire)
        self._row = row
        if offline and endpoint is None and row.served:
            endpoint = NO_SERVER
        self._endpoint = endpoint_of(row, endpoint)
        self._expect = ResponseValidator(f"model {row.model!r} at {self._endpoint}")
        self._key = None if offline else api_key_of(row)
        self._transport: Transport | None = None

    @property
    def identity(self) -> Json:
        """What determines an answer besides the body; part of the journal's keys.

        For a server that the run starts: its model and options, but not its port, GPUs or number of shards.
        """
        row = self._row
        if not row.served:
            version = {} if self.version is None else {"version": self.version}
            return {"kind": row.kind, "endpoint": endpoint_of(row), **version, **row.of_weights}
        options = {**row.serving, "args": list(row.vllm.args)}
        del options["gpus"]
        return {"kind": row.kind, "model": row.model, "vllm": options, **row.of_weights}

    def headers(self) -> dict[str, str]:
        """The HTTP headers of every request, the key among them."""
        raise NotImplementedError

    def with_options(self, body: Mapping[str, Json]) -> dict[str, Json]:
        """`body` with the options of the model's row, which win; an option that is null removes its key."""
        options = self._row.options
        merged = {**body, **options}
        return {key: value for key, value in merged.items() if value is not None or key not in options}

    @property
    def base(self) -> str:
        """The URL before the path of every request."""
        return self._endpoint

    def open(self, log: Log | None = None) -> None:  # noqa: ARG002  # for adapters with something to say
        """Imports the HTTP library now, so that its import time is not counted as request latency.

        Args:
            log: receives what a user should know about the server.
        """
        self._ready()

    async def post(self, path: str, body: Json, headers: Mapping[str, str] = _NO_HEADERS) -> bytes:
        """Sends `body` as JSON, once; returns the content of the answer.

        Args:
            path: appended to the endpoint.
            body: JSON values.
            headers: further headers of this request.

        Raises:
            ModelError: of the type that fits, also for every status but 2xx.
        """
        return await self._ready().send("POST", path, json_content(body), headers)

    async def send(self, body: Json) -> Json:
        """Sends one request; returns the raw answer. Raises ModelError of the type that fits."""
        return self._expect.body(await self.post(self.path, body))

    def answer(self, raw: Json) -> dict[str, Json]:
        """A raw answer that states no error. Raises Malformed, or the error that it states."""
        answer = self._expect.mapping(raw, "the answer")
        if answer.get("error"):
            raise stated_error(answer["error"], self._expect.target)
        return answer

    async def close(self) -> None:
        """Closes all connections."""
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.close()

    def _ready(self) -> Transport:
        from bfcl_pipeline.ask.models.adapters.transport import Transport  # imports aiohttp

        if self._transport is None:
            self._transport = Transport(self.base, self.headers(), self._expect.target)
        return self._transport


def json_content(body: Json) -> bytes:
    """`body` as it is sent."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def endpoint_of(row: ModelRow, endpoint: str | None = None) -> str:
    """The URL of the model's API without a slash at its end.

    Args:
        row: the model.
        endpoint: the API of the server that was started for the run, if there is one.

    Raises:
        ConfigError: the model has to be served first.
    """
    address = endpoint or row.endpoint
    if address is None:
        raise ConfigError(
            f"model {row.name!r} is served by vLLM for a run. Let the workflow start the server, or set "
            "`backend: endpoint` and `endpoint` in its row to use a server that is already running."
        )
    return address.rstrip("/")


def api_key_of(row: ModelRow) -> str | None:
    """The API key of `row`; None if the row names none.

    Raises ConfigError if its variable is not set or has fewer than SHORTEST characters.
    """
    if row.key is None:
        return None
    key = os.environ.get(row.key, "").strip()
    if not key:
        raise ConfigError(
            f"model {row.name!r}: the environment variable {row.key} is not set. Set it to your key for "
            f"{row.endpoint or row.kind}."
        )
    if len(key) < SHORTEST:
        raise ConfigError(
            f"model {row.name!r}: the environment variable {row.key} {TOO_SHORT}. Set it to your key, "
            "or set `key: null` in the row if the server needs none."
        )
    return key
