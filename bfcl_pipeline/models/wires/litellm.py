"""Whatever else litellm speaks: Amazon Bedrock, Cohere and a hundred more, asked in OpenAI's form.

Covers the arguments of a completion, which litellm turns into the vendor's own request, and its answer,
which has the form of chat completions whoever gave it. A parameter that the vendor does not take is refused
and never dropped unless the row says so (`drop_params: true` among its options). Not covered: connections
and proxies, which are litellm's own. How its requests differ from those of the release's handlers cohere
and nova is told in docs/fidelity.md.
"""

from __future__ import annotations

import json
import logging
import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType

from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.errors import AccessDenied, ContextOverflow, ModelError
from bfcl_pipeline.models.wires.openai_chat import OpenAIChat
from bfcl_pipeline.models.wires.openai_client import NO_KEY
from bfcl_pipeline.models.wires.status_errors import status_error
from bfcl_pipeline.models.wires.transport import MOST_BYTES
from bfcl_pipeline.prompts.schemas import response_in_words
from bfcl_pipeline.records import Json, Request

_ITS_VENDOR = "its vendor"
"""Who is asked where a row names no endpoint: litellm knows the address."""

_COHERE = ("cohere/", "cohere_chat/")

_SIGNED = ("bedrock/", "sagemaker/", "sagemaker_chat/")
"""Requests to AWS are signed and hold no key."""

_NO_PROVIDER = "LLM Provider NOT provided"

_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else it fetches a list of prices when it is imported
    "LITELLM_MODE": "PRODUCTION",  # else it reads keys from a file `.env`
}

_ONLY_THIS = {"_skip_mcp_handler": True}
"""It would look for tools of its own servers in every request that has tools, with a further package."""


class LiteLLM(OpenAIChat):
    """A model that litellm asks."""

    _litellm: ModuleType | None = None

    def __init__(self, row: ModelRow, endpoint: str | None = None, *, offline: bool = False) -> None:
        """As of any adapter; a row needs no endpoint."""
        super().__init__(row, endpoint or row.endpoint or _ITS_VENDOR, offline=offline)

    @property
    def identity(self) -> Json:
        """Who is asked where."""
        return {"kind": self._row.kind, "endpoint": self._row.endpoint}

    def body(self, request: Request) -> Json:
        """All arguments of the completion but those that say how to ask."""
        tools = tuple({**tool, "function": self._described(tool["function"])} for tool in request.tools)
        return super().body(replace(request, tools=tools))

    def open(self) -> None:
        """Loads the vendor's client, which takes a moment that no request shall be charged with."""
        self._module()

    async def send(self, body: Json) -> Json:
        """One attempt: the raw answer. Raises ModelError of the type that fits."""
        import openai  # whose errors litellm's are

        litellm = self._module()
        try:
            answer = await litellm.acompletion(
                **body,
                api_key=self._key_told(),
                api_base=None if self._endpoint == _ITS_VENDOR else self._endpoint,
                timeout=self._row.limits.seconds,
                max_retries=0,
                num_retries=0,
                **_ONLY_THIS,
            )
        except openai.OpenAIError as error:
            raise self._meant(error, litellm) from None
        content = json.dumps(_told(answer.model_dump(mode="json", warnings=False))).encode()
        if len(content) > MOST_BYTES:
            raise self._expect.malformed(f"the answer has more than {MOST_BYTES:,} bytes")
        return self._expect.body(content)

    async def close(self) -> None:
        """Lets go of connections: of all that litellm has."""
        litellm, self._litellm = self._litellm, None
        if litellm is not None:
            await litellm.close_litellm_async_clients()
            litellm.in_memory_llm_clients_cache.flush_cache()  # it would go on with those that are closed

    def _module(self) -> ModuleType:
        """What sends, loaded and made when it is first wanted."""
        if self._litellm is None:
            self._litellm = _imported()
        return self._litellm

    def _key_told(self) -> str | None:
        """The key; None where litellm is to find credentials itself, which are for the vendor only."""
        if self._key is None and (self._endpoint == _ITS_VENDOR or self._row.model.startswith(_SIGNED)):
            return None
        return self._key or NO_KEY

    def _described(self, function: Mapping[str, Json]) -> Mapping[str, Json]:
        """`function` as it can be told to any vendor: what it returns has no place of its own.

        The release says it in the description, and to Cohere not at all.
        """
        if self._row.model.startswith(_COHERE):
            return {key: value for key, value in function.items() if key != "response"}
        return response_in_words(function)

    def _meant(self, error: Exception, litellm: ModuleType) -> ModelError:
        """What an error of litellm's means."""
        asked, said = self._expect.asked, str(error)
        if self._key is not None:
            said = said.replace(self._key, "[key]")
        if isinstance(error, litellm.ContextWindowExceededError):
            return ContextOverflow(f"{asked}: {said}")
        if isinstance(error, litellm.UnsupportedParamsError):
            return AccessDenied(
                f"{asked}: {said} Set what it does not take to null among the options of its row, or set "
                "`drop_params: true` there."
            )
        if _NO_PROVIDER in said:
            return AccessDenied(
                f"{asked}: litellm does not know who that is. Let `model` in its row begin with one of "
                "litellm's providers, as in cohere_chat/command-a-03-2025."
            )
        status = getattr(error, "status_code", None)
        headers = getattr(error, "litellm_response_headers", None) or {}
        return status_error(status if isinstance(status, int) else 500, headers, said, asked)


def _told(value: Json) -> Json:
    """`value` without what is null in it: litellm writes keys of its own into answers, to say nothing."""
    if isinstance(value, list):
        return [_told(item) for item in value]
    if isinstance(value, dict):
        return {key: _told(item) for key, item in value.items() if item is not None}
    return value


def _imported() -> ModuleType:
    """litellm, told to fetch, print and read nothing that it is not asked for."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import litellm

        litellm.ModelResponse()  # built when it is first used
    warnings.filterwarnings("ignore", module=r"(litellm|pydantic)\b")  # of what is not ours to mend
    litellm.suppress_debug_info = True
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    return litellm
