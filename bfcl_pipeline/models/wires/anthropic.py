"""Anthropic Messages.

Covers the body with its marks for the API's cache, and answers with calls, text, thoughts, refusals, and
those that were cut off. In function-calling mode all blocks of an answer go back as they came: the API
wants a model's thoughts, which it has signed, beside the calls they led to. Not covered: tools that the API
runs itself, and so turns that it pauses. Source: the release's handler claude; differences from it are
argued in tests/peer/test_vendor_wire_seam.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.models.wires.expecting import tokens
from bfcl_pipeline.models.wires.row_terms import (
    TEMPERATURE,
    with_options,
)
from bfcl_pipeline.models.wires.row_wire import RowWire
from bfcl_pipeline.models.wires.status_errors import stated_error
from bfcl_pipeline.models.wires.transport import client_over, own_error
from bfcl_pipeline.prompts import WireFormat, messages_for
from bfcl_pipeline.records import Exchange, Json, Mode, Request, total

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

API_VERSION = "2023-06-01"
"""The one that the release was written for. The next one, of October 2026, refuses a temperature, and is
what newer clients ask for unless they are told."""

MOST_TOKENS = 64_000
"""That an answer may have, as all models of the release can; `max_tokens` in the row of one that cannot."""

_PATH = "/v1/messages"

_BETAS = "betas"  # among the options of a row: features to be asked for by name, in a header

_MARK = {"cache_control": {"type": "ephemeral"}}
_MARKED_MESSAGES = 2  # the last ones of the user: up to where the last request went, and this one

_SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
"""What adds up to the tokens of a request: those that went through the cache are counted apart."""


class Anthropic(RowWire):
    """A model behind Messages."""

    def __init__(self, row: ModelRow, endpoint: str | None = None, *, offline: bool = False) -> None:
        """As of any adapter. Raises ConfigError if the row names features other than in a list."""
        super().__init__(row, endpoint, offline=offline)
        betas = row.options.get(_BETAS, [])
        if not isinstance(betas, list) or not all(isinstance(beta, str) for beta in betas):
            raise ConfigError(
                f"model {row.name!r}: options: {_BETAS} must be a list of names of features; got {betas!r}."
            )
        self._client: AsyncAnthropic | None = None

    @property
    def wire(self) -> WireFormat:
        """In which form it is given the functions."""
        return WireFormat.ANTHROPIC

    @property
    def identity(self) -> Json:
        """Who is asked where, in which version of the API."""
        return {**super().identity, "version": API_VERSION}

    def body(self, request: Request) -> Json:
        """The whole body of the request; an option `betas` is in it too, and is sent as a header."""
        sent = messages_for(self.wire, request.messages)
        # The API refuses a message without content anywhere but at the end.
        messages = [message for message in sent.messages if message["content"]]
        system, tools = sent.system, list(request.tools)
        if request.goes_on:
            system = system and [{**system[0], **_MARK}]
            tools[-1:] = [{**tool, **_MARK} for tool in tools[-1:]]
            messages = _marked(messages)
        body: dict[str, Json] = {
            "model": self._row.model,
            "max_tokens": MOST_TOKENS,
            "temperature": TEMPERATURE,
            "messages": messages,
        }
        if system is not None:
            body["system"] = system
        if request.mode is Mode.FC:
            body["tools"] = tools
        return with_options(body, self._row.options)

    def open(self) -> None:
        """Loads the vendor's client, which takes a moment that no request shall be charged with."""
        self._ready()

    async def send(self, body: Json) -> Json:
        """One attempt: the raw answer. Raises ModelError of the type that fits."""
        import anthropic

        client = self._ready()
        betas = body.get(_BETAS, ())
        options: Any = {"headers": {"anthropic-beta": ",".join(betas)}} if betas else {}
        sent = {key: value for key, value in body.items() if key != _BETAS}
        try:
            content = await client.post(_PATH, body=sent, cast_to=bytes, options=options)
        except anthropic.APIError as error:
            raise own_error(error, self._expect.asked) from None
        return self._expect.body(content)

    def read(self, request: Request, raw: Json) -> Exchange:
        """The exchange that a raw answer completes. Raises Malformed."""
        expect = self._expect
        answer = expect.mapping(raw, "the answer")
        if answer.get("error"):
            raise stated_error(answer["error"], expect.asked)
        listed = expect.items(answer.get("content"), "`content`")
        blocks = [expect.mapping(block, "a block of `content`") for block in listed]
        reason = expect.maybe_text(answer.get("stop_reason"), "`stop_reason`")
        if not blocks and reason is None:
            raise expect.malformed("expected an answer in `content`, or a `stop_reason`; there is neither")
        texts = [
            expect.text(block.get("text"), "the `text` of a block")
            for block in blocks
            if block.get("type") == "text"
        ]
        text = "".join(texts)
        calls = [self._call(block) for block in blocks if block.get("type") == "tool_use"]
        if request.mode is Mode.PROMPT:
            calls, blocks = [], [{"type": "text", "text": text}]
        named = [{call["name"]: call["arguments"]} for call in calls]
        usage = answer.get("usage")
        return Exchange(
            request,
            text if request.mode is Mode.PROMPT else named or texts,
            input_tokens=total(tokens(usage, name) for name in _SENT),
            output_tokens=tokens(usage, "output_tokens"),
            reply={
                "role": "assistant",
                "content": text,
                "tool_calls": calls,
                "raw": [block for block in blocks if _says_something(block)],
            },
            finish_reason=reason,
        )

    async def close(self) -> None:
        """Lets go of connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _call(self, block: Mapping[str, Json]) -> dict[str, str]:
        arguments = self._expect.mapping(block.get("input"), "the `input` of a call")
        return {
            "id": self._expect.text(block.get("id"), "the `id` of a call"),
            "name": self._expect.text(block.get("name"), "the `name` of a call"),
            "arguments": json.dumps(arguments),
        }

    def _ready(self) -> AsyncAnthropic:
        """What sends, loaded and made when it is first wanted."""
        if self._client is None:
            self._client = self._opened()
        return self._client

    def _opened(self) -> AsyncAnthropic:
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient, Omit

        # One header for the key, whatever the client's version makes of it; no other from the environment.
        headers: Any = {"X-Api-Key": self._key or Omit(), "Authorization": Omit()}
        return AsyncAnthropic(
            api_key=self._key or "none",
            base_url=self._endpoint,
            timeout=None,
            max_retries=0,
            default_headers={"anthropic-version": API_VERSION, **headers},
            http_client=client_over(DefaultAsyncHttpxClient, self._expect.asked),
        )


def _says_something(block: Mapping[str, Json]) -> bool:
    """Whether the API takes `block` back: it refuses texts without a word."""
    return block.get("type") != "text" or bool(block["text"].strip())


def _marked(messages: Sequence[Json]) -> list[Json]:
    """`messages`, the last ones of the user with a mark at their first block."""
    marked = list(messages)
    said = [place for place, message in enumerate(messages) if message["role"] == "user"]
    for place in said[-_MARKED_MESSAGES:]:
        first, *rest = marked[place]["content"]
        marked[place] = {**marked[place], "content": [{**first, **_MARK}, *rest]}
    return marked
