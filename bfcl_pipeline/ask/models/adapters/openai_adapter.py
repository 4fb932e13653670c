"""What the adapters of OpenAI's two formats share: their headers, and the list of an endpoint's models."""

import asyncio
import json
import os
from collections.abc import Mapping

from bfcl_pipeline.ask.models.adapters.row_adapter import RowAdapter, api_key_of, endpoint_of
from bfcl_pipeline.ask.models.adapters.status_errors import stated_error
from bfcl_pipeline.base.errors import ConfigError, ModelError
from bfcl_pipeline.benchmark.config import KINDS, ModelRow
from bfcl_pipeline.benchmark.records import Json

COMPATIBLE_KINDS = ("openai_chat", "openai_responses", "vllm")
"""Kinds whose endpoints list their models at /models."""

NO_KEY = "none"
"""Sent in place of a key to servers that need none: some refuse a request without a key."""

_ONLY_FOR_OPENAI = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
"""Headers that OpenAI itself takes, and the environment variables that OpenAI documents for them."""

_LIST_SECONDS = 10.0


class OpenAIAdapter(RowAdapter):
    """A model behind OpenAI's API, or behind one that is compatible with it."""

    @property
    def at_openai(self) -> bool:
        """Whether the endpoint is OpenAI's own."""
        return self._endpoint == KINDS["openai_chat"].endpoint

    @property
    def strict(self) -> dict[str, bool]:
        """What each function of a request has besides, if the row asks for strict arguments or for none."""
        return {} if self._row.strict is None else {"strict": self._row.strict}

    def headers(self) -> dict[str, str]:
        """The key; for OpenAI itself also organization and project, if the environment names them."""
        headers = {"Authorization": f"Bearer {self._key or NO_KEY}"}
        if self.at_openai:
            named = {header: os.environ.get(variable) for header, variable in _ONLY_FOR_OPENAI.items()}
            headers |= {header: value for header, value in named.items() if value}
        return headers

    def first_choice(self, raw: Json) -> tuple[Mapping[str, Json], Mapping[str, Json]]:
        """A raw answer of completions, and the first of its choices. Raises as `read`."""
        expect = self._expect
        answer = expect.mapping(raw, "the answer")
        error = answer if answer.get("object") == "error" else answer.get("error")
        if error and not answer.get("choices"):
            raise stated_error(error, expect.target)
        choices = expect.items(answer.get("choices"), "`choices`")
        if not choices:
            raise expect.malformed("expected an answer in `choices`; it is empty")
        choice = expect.mapping(choices[0], "the first of `choices`")
        if choice.get("error"):
            raise stated_error(choice["error"], expect.target)
        return answer, choice


async def listed_models(row: ModelRow, endpoint: str | None = None) -> tuple[str, ...]:
    """The models that the endpoint of `row` lists; empty if it lists none or cannot be reached.

    For messages only: a server may answer for models that it does not list.

    Args:
        row: the model.
        endpoint: the API of the model, if it is not that of the row.
    """
    from bfcl_pipeline.ask.models.adapters.transport import Transport  # imports aiohttp

    if row.kind not in COMPATIBLE_KINDS:
        return ()
    address, key = endpoint_of(row, endpoint), api_key_of(row)
    transport = Transport(address, {} if key is None else {"Authorization": f"Bearer {key}"}, address)
    try:
        async with asyncio.timeout(_LIST_SECONDS):
            listed = json.loads(await transport.send("GET", "/models"))
        return tuple(str(model["id"]) for model in listed["data"])
    except (ModelError, ConfigError, TimeoutError, ValueError, TypeError, KeyError):
        return ()
    finally:
        await transport.close()
