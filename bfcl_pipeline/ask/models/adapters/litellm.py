"""APIs that litellm supports: Amazon Bedrock, Cohere and a hundred more, with requests in OpenAI's form.

Covers the arguments of a completion, which litellm converts to the vendor's request, and its answer, which
has the form of chat completions. A parameter that the vendor does not support is an error unless the row
has the option `drop_params: true`. Not covered: connections and proxies, which are litellm's, except that a
server on this machine is reached directly.
docs/fidelity.md lists the differences from the release's handlers cohere and nova.
"""

import json
import logging
import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from urllib.parse import urlsplit

from bfcl_pipeline.ask.models.adapters.openai_adapter import NO_KEY
from bfcl_pipeline.ask.models.adapters.openai_chat import OpenAIChat
from bfcl_pipeline.ask.models.adapters.proxies import is_loopback
from bfcl_pipeline.ask.models.adapters.response_validator import MAX_ANSWER_BYTES
from bfcl_pipeline.ask.models.adapters.status_errors import status_error
from bfcl_pipeline.base.errors import AccessDenied, ContextOverflow, ModelError
from bfcl_pipeline.base.secrets import Redactor
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Json, Request
from bfcl_pipeline.dialogue.prompts.schemas import response_in_words

_ITS_VENDOR = "its vendor"
"""Endpoint in messages if the row names none: litellm knows the vendor's."""

_COHERE = ("cohere/", "cohere_chat/")

_SIGNED = ("bedrock/", "sagemaker/", "sagemaker_chat/")
"""Requests to AWS are signed and contain no key."""

_NO_PROVIDER = "LLM Provider NOT provided"

_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # otherwise its import downloads a list of prices
    "LITELLM_MODE": "PRODUCTION",  # otherwise it reads keys from a file `.env`
}

_ONLY_THIS = {"_skip_mcp_handler": True}
"""Without it, litellm looks in every request with tools for its own servers, with another package."""


class LiteLLM(OpenAIChat):
    """A model behind an API that litellm supports."""

    _litellm: ModuleType | None = None

    def __init__(self, row: ModelRow, endpoint: str | None = None, *, offline: bool = False) -> None:
        """See `RowAdapter`; a row needs no endpoint."""
        super().__init__(row, endpoint or row.endpoint or _ITS_VENDOR, offline=offline)

    @property
    def identity(self) -> Json:
        """Kind and endpoint, which may be None; the provider is in the body's model."""
        return {"kind": self._row.kind, "endpoint": self._row.endpoint}

    def body(self, request: Request) -> Json:
        """The arguments of the completion, without key, endpoint and limits."""
        tools = tuple({**tool, "function": self._described(tool["function"])} for tool in request.tools)
        return super().body(replace(request, tools=tools))

    def open(self, log: Log | None = None) -> None:  # noqa: ARG002  # nothing to say
        """Imports litellm now, so that its import time is not counted as request latency."""
        self._module()

    async def send(self, body: Json) -> Json:
        """Sends one request; returns the raw answer. Raises ModelError of the type that fits."""
        import openai  # base classes of litellm's errors

        litellm = self._module()
        try:
            answer = await litellm.acompletion(
                **body,
                api_key=self._key_argument(),
                api_base=None if self._endpoint == _ITS_VENDOR else self._endpoint,
                timeout=self._row.limits.seconds,
                max_retries=0,
                num_retries=0,
                **_ONLY_THIS,
            )
        except openai.OpenAIError as error:
            raise self._model_error(error, litellm) from None
        content = json.dumps(_without_nulls(answer.model_dump(mode="json", warnings=False))).encode()
        if len(content) > MAX_ANSWER_BYTES:
            raise self._expect.malformed(f"the answer has more than {MAX_ANSWER_BYTES:,} bytes")
        return self._expect.body(content)

    async def close(self) -> None:
        """Closes all connections of litellm."""
        litellm, self._litellm = self._litellm, None
        if litellm is not None:
            await litellm.close_litellm_async_clients()
            litellm.in_memory_llm_clients_cache.flush_cache()  # it would use the closed ones again

    def _module(self) -> ModuleType:
        """litellm, imported when it is first needed."""
        if self._litellm is None:
            host = urlsplit(self._endpoint).hostname or ""
            if is_loopback(host):
                _without_proxy(host)
            self._litellm = _imported()
        return self._litellm

    def _key_argument(self) -> str | None:
        """The key; None if litellm shall find credentials itself, which are only for the vendor."""
        if self._key is None and (self._endpoint == _ITS_VENDOR or self._row.model.startswith(_SIGNED)):
            return None
        return self._key or NO_KEY

    def _described(self, function: Mapping[str, Json]) -> Mapping[str, Json]:
        """`function` in a form that every vendor accepts, without a key for what it returns.

        The release puts that into the description, except for Cohere.
        """
        if self._row.model.startswith(_COHERE):
            return {key: value for key, value in function.items() if key != "response"}
        return response_in_words(function)

    def _model_error(self, error: Exception, litellm: ModuleType) -> ModelError:
        """The ModelError for an error of litellm."""
        target, message = self._expect.target, str(error)
        if self._key is not None:
            message = Redactor([self._key], "[key]").text(message)
        if isinstance(error, litellm.ContextWindowExceededError):
            return ContextOverflow(f"{target}: {message}")
        if isinstance(error, litellm.UnsupportedParamsError):
            return AccessDenied(
                f"{target}: {message} Set unsupported parameters to null in the options of its row, or set "
                "`drop_params: true`."
            )
        if _NO_PROVIDER in message:
            return AccessDenied(
                f"{target}: litellm does not know this provider. `model` in its row has to begin with a "
                "provider of litellm, as in cohere_chat/command-a-03-2025."
            )
        status = getattr(error, "status_code", None)
        headers = getattr(error, "litellm_response_headers", None) or {}
        return status_error(status if isinstance(status, int) else 500, headers, message, target)


def _without_nulls(value: Json) -> Json:
    """`value` without null values: litellm adds keys of its own with null to answers."""
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return value


def _without_proxy(host: str) -> None:
    """Has libraries connect to `host` directly, whatever proxy the environment names."""
    for name in ("no_proxy", "NO_PROXY"):
        os.environ[name] = ",".join(filter(None, (os.environ.get(name), host)))


def _imported() -> ModuleType:
    """litellm, configured to download, print and read nothing by itself."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import litellm

        litellm.ModelResponse()  # its validators are built at first use
    warnings.filterwarnings("ignore", module=r"(litellm|pydantic)\b")  # about code that is not ours
    litellm.suppress_debug_info = True
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    return litellm
