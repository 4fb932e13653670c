"""Completions of plain text: an open-weight model that is sent the prompt of its family.

Covers every OpenAI-compatible `/v1/completions`. The limit on new tokens is the official one: what the
context leaves after the prompt, at most 4,096; the server counts the prompt's tokens. It is noted in the
raw answer, since the body, which is part of the journal's key, does not depend on a server.
Source: the release's base_oss_handler.
"""

from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.models.adapters.openai_adapter import OpenAIAdapter
from bfcl_pipeline.models.adapters.response_validator import tokens
from bfcl_pipeline.models.adapters.row_adapter import TEMPERATURE
from bfcl_pipeline.models.adapters.status_errors import stated_error
from bfcl_pipeline.models.chat_template import family_asking
from bfcl_pipeline.prompts import WireFormat
from bfcl_pipeline.records import Exchange, Json, Request

MOST_NEW_TOKENS = 4096
"""In one answer."""

_PATH = "/completions"


class Completions(OpenAIAdapter):
    """An open-weight model behind completions."""

    wire = WireFormat.OPENAI_CHAT

    def __init__(self, row: ModelRow, endpoint: str | None = None, *, offline: bool = False) -> None:
        """Args: see `models.build_adapter`. Raises ConfigError if the family is not known."""
        super().__init__(row, endpoint, offline=offline)
        self.family = family_asking(row)
        self.asking = self.family

    def body(self, request: Request) -> Json:
        """The complete body of the request but for the limit on new tokens."""
        family = self.family.row
        body: dict[str, Json] = {
            "model": self._row.model,
            "prompt": request.prompt,
            "temperature": TEMPERATURE,
        }
        if family.stop_token_ids:
            body["stop_token_ids"] = list(family.stop_token_ids)
        if family.skip_special_tokens is not None:
            body["skip_special_tokens"] = family.skip_special_tokens
        return self.with_options(body)

    async def send(self, body: Json) -> Json:
        """Sends one request; returns the raw answer. Raises ModelError of the type that fits."""
        content = await self.post(_PATH, {"max_tokens": MOST_NEW_TOKENS, **body})
        return self._expect.body(content)

    def read(self, request: Request, raw: Json) -> Exchange:
        """The exchange that a raw answer completes. Raises Malformed, or the error that it states."""
        expect = self._expect
        answer = expect.mapping(raw, "the answer")
        error = answer if answer.get("object") == "error" else answer.get("error")
        if error and not answer.get("choices"):
            raise stated_error(error, expect.target)
        choices = expect.items(answer.get("choices"), "`choices`")
        if not choices:
            raise expect.malformed("expected an answer in `choices`; it is empty")
        choice = expect.mapping(choices[0], "the first of `choices`")
        text = expect.text(choice.get("text"), "`text`")
        result, parts = self.family.read(request, text)
        usage = answer.get("usage")
        return Exchange(
            request,
            result,
            input_tokens=tokens(usage, "prompt_tokens"),
            output_tokens=tokens(usage, "completion_tokens"),
            reply=parts.reply,
            finish_reason=expect.maybe_text(choice.get("finish_reason"), "`finish_reason`"),
        )
