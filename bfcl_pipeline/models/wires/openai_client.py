"""What the adapters of OpenAI's two formats share: the vendor's client, and one attempt through it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bfcl_pipeline.config import KINDS
from bfcl_pipeline.models.wires.row_terms import with_options
from bfcl_pipeline.models.wires.row_wire import RowWire
from bfcl_pipeline.models.wires.transport import client_over, own_error
from bfcl_pipeline.records import Json

if TYPE_CHECKING:
    from openai import AsyncOpenAI

NO_KEY = "none"
"""Sent in a key's place to servers that ask for none: the client refuses to start without any."""


class OpenAIClient(RowWire):
    """A model behind an API of OpenAI's, or one that imitates it."""

    _client: AsyncOpenAI | None = None

    @property
    def at_openai(self) -> bool:
        """Whether it is OpenAI itself that is asked."""
        return self._endpoint == KINDS["openai_chat"].endpoint

    def with_options(self, body: Mapping[str, Json]) -> dict[str, Json]:
        """`body` with the options of the model's row."""
        return with_options(body, self._row.options)

    def open(self) -> None:
        """Loads the vendor's client, which takes a moment that no request shall be charged with."""
        self._ready()

    async def post(self, path: str, body: Json) -> bytes:
        """One attempt: the content of the answer. Raises ModelError of the type that fits."""
        import openai

        client = self._ready()
        try:
            return await client.post(path, body=body, cast_to=bytes)
        except openai.APIError as error:
            raise own_error(error, self._expect.asked) from None

    async def close(self) -> None:
        """Lets go of connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _ready(self) -> AsyncOpenAI:
        """What sends, loaded and made when it is first wanted."""
        if self._client is None:
            self._client = self._opened()
        return self._client

    def _opened(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Omit

        # The client takes organization and project from the environment, which are for OpenAI only.
        only_for_openai: Any = {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}
        return AsyncOpenAI(
            api_key=self._key or NO_KEY,
            base_url=self._endpoint,
            timeout=None,
            max_retries=0,
            default_headers=None if self.at_openai else only_for_openai,
            http_client=client_over(DefaultAsyncHttpxClient, self._expect.asked),
        )
