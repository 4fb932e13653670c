"""Anthropic Messages.

Covers the body with its cache marks, and answers with calls, text, thinking and refusals, also incomplete
ones. In function-calling mode all blocks of an answer are sent back unchanged: the API requires a model's
signed thinking beside its calls. Not covered: tools that the API runs itself, and turns that it therefore
pauses. Source: the release's handler claude; tests/peer/test_vendor_wire_seam.py explains the differences.
"""

import json
from collections.abc import Mapping, Sequence

from bfcl_pipeline.ask.models.adapters.response_validator import tokens
from bfcl_pipeline.ask.models.adapters.row_adapter import TEMPERATURE, RowAdapter
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Exchange, Json, Mode, Request, total
from bfcl_pipeline.dialogue.prompts import WireFormat, messages_for

API_VERSION = "2023-06-01"
"""The version of the release. The next one, of October 2026, refuses a temperature."""

MOST_TOKENS = 64_000
"""Limit on an answer that all models of the release accept; a row's option `max_tokens` replaces it."""

_BETAS = "betas"  # option of a row: names of beta features, sent in a header

_MARK = {"cache_control": {"type": "ephemeral"}}
_MARKED_MESSAGES = 2  # the user's last ones: the end of the previous request, and of this one

_SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
"""Counts that add up to the tokens of a request: cached tokens are counted separately."""


class Anthropic(RowAdapter):
    """A model behind Messages."""

    def __init__(self, row: ModelRow, endpoint: str | None = None, *, offline: bool = False) -> None:
        """See `RowAdapter`. Raises ConfigError also if the option `betas` is not a list of texts."""
        super().__init__(row, endpoint, offline=offline)
        betas = row.options.get(_BETAS, [])
        if not isinstance(betas, list) or not all(isinstance(beta, str) for beta in betas):
            raise ConfigError(
                f"model {row.name!r}: options: {_BETAS} must be a list of feature names; got {betas!r}."
            )

    wire = WireFormat.ANTHROPIC
    path = "/v1/messages"
    version = API_VERSION

    def body(self, request: Request) -> Json:
        """The complete body of the request, with the option `betas`, which `send` moves to a header."""
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
        return self.with_options(body)

    def headers(self) -> dict[str, str]:
        """The version of the API, and the key if there is one."""
        key = {} if self._key is None else {"X-Api-Key": self._key}
        return {"Anthropic-Version": API_VERSION, **key}

    async def send(self, body: Json) -> Json:
        """Sends one request; returns the raw answer. Raises ModelError of the type that fits."""
        betas = body.get(_BETAS)
        headers = {"Anthropic-Beta": ",".join(betas)} if betas else {}
        sent = {key: value for key, value in body.items() if key != _BETAS}
        return self._expect.body(await self.post(self.path, sent, headers))

    def read(self, request: Request, raw: Json) -> Exchange:
        """The exchange that a raw answer completes. Raises Malformed, or the error that it states."""
        expect, answer = self._expect, self.answer(raw)
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
                "raw": [block for block in blocks if _is_accepted(block)],
            },
            finish_reason=reason,
        )

    def _call(self, block: Mapping[str, Json]) -> dict[str, str]:
        arguments = self._expect.mapping(block.get("input"), "the `input` of a call")
        return {
            "id": self._expect.text(block.get("id"), "the `id` of a call"),
            "name": self._expect.text(block.get("name"), "the `name` of a call"),
            "arguments": json.dumps(arguments),
        }


def _is_accepted(block: Mapping[str, Json]) -> bool:
    """Whether the API accepts `block` in a history: it refuses blank texts."""
    return block.get("type") != "text" or bool(block["text"].strip())


def _marked(messages: Sequence[Json]) -> list[Json]:
    """`messages` with a cache mark at the first block of the user's last messages."""
    marked = list(messages)
    of_user = [place for place, message in enumerate(messages) if message["role"] == "user"]
    for place in of_user[-_MARKED_MESSAGES:]:
        first, *rest = marked[place]["content"]
        marked[place] = {**marked[place], "content": [{**first, **_MARK}, *rest]}
    return marked
