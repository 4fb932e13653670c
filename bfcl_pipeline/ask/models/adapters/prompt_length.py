"""The limit on new tokens of an answer, from the server's context and its own count of a prompt's tokens.

Covers where servers of open weights state the two: vLLM and SGLang, llama.cpp.
Nothing is tokenized here. A server that does not state them is named in the log once, and the greatest
limit holds. Source of the limit: the release's base_oss_handler, which tokenizes by itself and takes the
context from the model's config.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from bfcl_pipeline.ask.models.adapters.response_validator import tokens
from bfcl_pipeline.base.errors import AccessDenied, Malformed, RequestRefused
from bfcl_pipeline.base.text import Log, loaded_json
from bfcl_pipeline.benchmark.records import Json

MOST_NEW_TOKENS = 4096
"""In one answer."""

NEW_TOKENS_IF_FULL = 1000
"""Requested after a prompt that fills the context: the server refuses it."""

_SPARE = 2  # tokens of the context that are left free

_CONTEXT_KEYS = ("max_model_len", "context_length", "context_window")
"""Of a model in a list of models: vLLM's and SGLang's first, then those of hosts of open weights."""

Ask: TypeAlias = Callable[[str, str, Json], Awaitable[bytes]]
"""Sends one request: method, path below the server's root, body (None: no body). Raises ModelError."""


def new_tokens(context: int, prompt_tokens: int) -> int:
    """The official limit on new tokens.

    Args:
        context: length of the context in tokens.
        prompt_tokens: of the prompt, without tokens that a server adds to it.
    """
    left = context - prompt_tokens - _SPARE
    return NEW_TOKENS_IF_FULL if left < 0 else min(MOST_NEW_TOKENS, left)


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit on new tokens of one request, and what it follows from."""

    max_tokens: int
    context: int | None = None  # in tokens; None: not known
    prompt_tokens: int | None = None  # None: not counted, or the limit does not depend on them


@dataclass(frozen=True, slots=True)
class _CountForm:
    """How a kind of server is asked for the tokens of a prompt."""

    path: str
    body: Callable[[str, str], Json]  # of model and prompt
    count: Callable[[Json], int | None]  # of the answer; None: not an answer of this kind of server


_COUNT_FORMS = (
    # vLLM, SGLang
    _CountForm(
        "/tokenize",
        lambda model, prompt: {"model": model, "prompt": prompt, "add_special_tokens": False},
        lambda answer: tokens(answer, "count"),
    ),
    # llama.cpp's server
    _CountForm(
        "/tokenize",
        lambda _, prompt: {"content": prompt, "add_special": False},
        lambda answer: _length(_at(answer, "tokens")),
    ),
)
"""In the order in which they are tried."""


class PromptLength:
    """The limits on new tokens at one server, asked in one event loop."""

    def __init__(self, ask: Ask, version: str, model: str, target: str, context: int | None) -> None:
        """Args:
        ask: sends a request.
        version: path of the API below the root, for example /v1.
        model: its name at the server.
        target: name and endpoint of the model, for messages.
        context: its length in tokens if it is known; None: the server states it.
        """
        self.log: Log = lambda _line: None  # receives what the server does not state
        self._ask = ask
        self._version = version
        self._model = model
        self._target = target
        self._context = context
        self._form: _CountForm | None = None
        self._is_known = False
        self._finding = asyncio.Lock()  # many requests start together; one asks

    async def limit(self, prompt: str) -> Limit:
        """The limit for `prompt`. Raises ModelError of the type that fits."""
        async with self._finding:
            if not self._is_known:
                await self._find(prompt)
                self._is_known = True
        context = self._context
        if context is None or self._form is None:
            return Limit(MOST_NEW_TOKENS, context)
        if prompt.isascii() and new_tokens(context, len(prompt) + 1) == MOST_NEW_TOKENS:
            # No tokenizer makes more tokens of ASCII than it has characters, and one for its beginning.
            return Limit(MOST_NEW_TOKENS, context)
        content = await self._ask("POST", self._form.path, self._form.body(self._model, prompt))
        count = self._form.count(loaded_json(content))
        if count is None:
            raise Malformed(f"{self._target}: expected the number of tokens from {self._form.path}.")
        return Limit(new_tokens(context, count), context, count)

    async def _find(self, prompt: str) -> None:
        """Finds the form of counts and the context; says in the log what the server does not state."""
        counted: Json = None
        for form in _COUNT_FORMS:
            counted = await self._stated("POST", form.path, form.body(self._model, prompt))
            if form.count(counted) is not None:
                self._form = form
                break
        if self._context is None:
            self._context = await self._stated_context(counted)
        if self._context is None:
            missing = "its context length: set `vllm: {max_model_len: N}` in the model's row"
        elif self._form is None:
            missing = "how many tokens a prompt has (/tokenize)"
        else:
            return
        self.log(
            f"{self._target}: the server does not state {missing}. Until then every answer may have "
            f"{MOST_NEW_TOKENS:,} new tokens, also where the prompt leaves fewer in the context."
        )

    async def _stated_context(self, counted: Json) -> int | None:
        """The context that the server states; None if it states none. counted: an answer to a count."""
        models = _at(await self._stated("GET", f"{self._version}/models"), "data")
        listed = models if isinstance(models, list) else []
        for model in (
            listed if len(listed) == 1 else [one for one in listed if _at(one, "id") == self._model]
        ):
            for key in _CONTEXT_KEYS:
                if context := tokens(model, key):
                    return context
        if context := tokens(counted, "max_model_len"):
            return context
        properties = await self._stated("GET", "/props")  # llama.cpp
        return tokens(_at(properties, "default_generation_settings"), "n_ctx") or None

    async def _stated(self, method: str, path: str, body: Json = None) -> Json:
        """What the server answers; None if it refuses the request or does not answer in JSON."""
        try:
            return loaded_json(await self._ask(method, path, body))
        except (AccessDenied, RequestRefused, Malformed):
            return None


def _at(value: Json, key: str) -> Json:
    return value.get(key) if isinstance(value, Mapping) else None


def _length(value: Json) -> int | None:
    """The number of items of a list; None for other values and for an empty list."""
    return len(value) if isinstance(value, list) and value else None
