"""Completions of plain text: an open-weight model that is sent the prompt of its family.

Covers every OpenAI-compatible `/v1/completions`. The limit on new tokens (`prompt_length`) depends on the
server, so it is not in the body, which is part of the journal's key; it is added when the body is sent, and
noted in the raw answer. Source: the release's base_oss_handler.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from bfcl_pipeline.ask.models.adapters.openai_adapter import OpenAIAdapter
from bfcl_pipeline.ask.models.adapters.prompt_length import PromptLength
from bfcl_pipeline.ask.models.adapters.response_validator import ResponseValidator, tokens
from bfcl_pipeline.ask.models.adapters.row_adapter import TEMPERATURE, json_content
from bfcl_pipeline.ask.models.chat_template import family_asking
from bfcl_pipeline.base.errors import ContextOverflow
from bfcl_pipeline.base.text import Log, valid_unicode
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Exchange, Json, Request
from bfcl_pipeline.dialogue.families import FamilyAsking
from bfcl_pipeline.dialogue.prompts import WireFormat

NOTE = "bfcl_pipeline"
"""Key of a raw answer under which the limit of its request is noted (fields of `Limit`)."""

_VERSION = "/v1"


class Completions(OpenAIAdapter):
    """An open-weight model behind completions."""

    wire = WireFormat.OPENAI_CHAT

    def __init__(
        self, row: ModelRow, endpoint: str | None = None, *, offline: bool = False, note: Path | None = None
    ) -> None:
        """Args: see `models.build_adapter`; `family_asking`. Raises ConfigError for an unknown family."""
        super().__init__(row, endpoint, offline=offline)
        self.family = family_asking(row, note)
        self.asking = self.family
        self._version = self._endpoint.removeprefix(self.base)
        self.path = f"{self._version}/completions"
        self._length = PromptLength(
            self._ask, self._version, row.model, self._expect.target, row.vllm.max_model_len
        )

    @property
    def base(self) -> str:
        """The server's root, where it counts tokens: the endpoint without /v1."""
        return self._endpoint.removesuffix(_VERSION)

    def open(self, log: Log | None = None) -> None:
        """Imports the HTTP library now. log: receives a line if the server does not state its context."""
        super().open()
        self._length.log = log or self._length.log

    def body(self, request: Request) -> Json:
        """The complete body of the request but for the limit on new tokens, unless an option sets it."""
        body = {"model": self._row.model, "prompt": request.prompt, "temperature": TEMPERATURE}
        return self.with_options({**body, **self.family.row.request_options})

    async def send(self, body: Json) -> Json:
        """Sends one request, after its tokens were counted; returns the raw answer with the limit's note.

        Raises ModelError of the type that fits.
        """
        if "max_tokens" in body:
            return await super().send(body)
        limit = await self._length.limit(body["prompt"])
        if limit.max_tokens == 0:
            raise ContextOverflow(
                f"{self._expect.target}: the prompt has {limit.prompt_tokens:,} tokens and leaves no room "
                f"for an answer in the context of {limit.context:,}; it was not sent."
            )
        return {**await super().send({**body, "max_tokens": limit.max_tokens}), NOTE: asdict(limit)}

    def read(self, request: Request, raw: Json) -> Exchange:
        """The exchange that a raw answer completes. Raises Malformed, or the error that it states."""
        answer, choice = self.first_choice(raw)
        return read_completion(self.family, request, choice, answer.get("usage"), self._expect)

    async def _ask(self, method: str, path: str, body: Json) -> bytes:
        content = b"" if body is None else json_content(body)
        return await self._ready().send(method, path, content)


def read_completion(
    family: FamilyAsking,
    request: Request,
    choice: Mapping[str, Json],
    usage: Json,
    expect: ResponseValidator,
) -> Exchange:
    """The exchange that a completion completes. Raises Malformed.

    Args:
        family: how the model is asked.
        request: the request that it answers.
        choice: has `text` and `finish_reason`.
        usage: has `prompt_tokens` and `completion_tokens`.
        expect: checks the values.
    """
    result, parts = family.read(request, valid_unicode(expect.text(choice.get("text"), "`text`")))
    return Exchange(
        request,
        result,
        input_tokens=tokens(usage, "prompt_tokens"),
        output_tokens=tokens(usage, "completion_tokens"),
        reply=parts.reply,
        finish_reason=expect.maybe_text(choice.get("finish_reason"), "`finish_reason`"),
    )
