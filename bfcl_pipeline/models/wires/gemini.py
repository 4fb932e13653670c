"""Google Gemini, in the form of its REST API.

Covers the body, and answers with calls, text, thoughts, and those that are empty, blocked or cut off. In
function-calling mode the content of an answer goes back as it came: the API wants the signatures of a
model's thoughts beside the calls they led to. Not covered: answers that the API wants to continue in a
further request (it does so past a limit of tokens), which count as cut off. Source: the release's handler
gemini; differences from it are argued in tests/peer/test_vendor_wire_seam.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from bfcl_pipeline.errors import AccessDenied, Malformed, ModelError, RequestRefused
from bfcl_pipeline.models.wires.expecting import tokens
from bfcl_pipeline.models.wires.gemini_form import merged, named_call, rest_contents, rest_tool
from bfcl_pipeline.models.wires.row_terms import TEMPERATURE
from bfcl_pipeline.models.wires.row_wire import RowWire
from bfcl_pipeline.models.wires.status_errors import stated_error
from bfcl_pipeline.models.wires.transport import client_over, own_error
from bfcl_pipeline.prompts import WireFormat, messages_for
from bfcl_pipeline.records import Exchange, Json, Mode, Request, total

if TYPE_CHECKING:
    from google.genai import Client

API_VERSION = "v1beta"
"""That of the release: preview models may be in no other. Newer clients ask for v1 unless they are told."""

SILENCE = "The model did not return any response."
"""What the release takes for an answer without content."""

_FENCE = (("```tool_code\n", ""), ("\n```", ""))
"""What a prompted model puts around its calls, and the release takes away before it reads them."""

_LOSSLESS = "latin-1"
"""The client hands an answer out as text, and would replace bytes that are not UTF-8; so each byte is given
to it as a character."""

_FAILURES: Mapping[str, type[ModelError]] = {
    "MALFORMED_RESPONSE": Malformed,
    "MISSING_THOUGHT_SIGNATURE": RequestRefused,
    "PUP_LIMITED_DISABLED": AccessDenied,
}
"""Reasons for which an answer ends that are not the model's: what there is then is no answer of it."""


class Gemini(RowWire):
    """A model behind generateContent."""

    _client: Client | None = None
    _connection: Any = None  # which the client leaves to whom it got it from

    @property
    def wire(self) -> WireFormat:
        """In which form it is given the functions."""
        return WireFormat.GEMINI

    @property
    def identity(self) -> Json:
        """Who is asked where, in which version of the API."""
        return {**super().identity, "version": API_VERSION}

    def body(self, request: Request) -> Json:
        """The whole body of the request, and the model, which is sent in the path."""
        sent = messages_for(self.wire, request.messages)
        body: dict[str, Json] = {
            "model": self._row.model,
            "contents": rest_contents(sent.messages),
            "generationConfig": {
                "temperature": TEMPERATURE,
                "thinkingConfig": {"includeThoughts": True},
            },
        }
        if sent.system is not None:
            body["systemInstruction"] = {"role": "user", "parts": [{"text": sent.system}]}
        if request.tools:
            body["tools"] = [{"functionDeclarations": [rest_tool(tool) for tool in request.tools]}]
        return merged(body, self._row.options)

    def open(self) -> None:
        """Loads the vendor's client, which takes a moment that no request shall be charged with."""
        self._ready()

    async def send(self, body: Json) -> Json:
        """One attempt: the raw answer. Raises ModelError of the type that fits."""
        from google.genai import errors, types

        client = self._ready()
        sent = {key: value for key, value in body.items() if key != "model"}
        try:
            answer = await client.aio.models.generate_content(
                model=body["model"],
                contents="",  # the client wants some; those of the body take their place
                config=types.GenerateContentConfig(
                    should_return_http_response=True,
                    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
                    http_options=types.HttpOptions(extra_body=sent),
                ),
            )
        except errors.APIError as error:
            raise own_error(error, self._expect.asked) from None
        told = answer.sdk_http_response.body if answer.sdk_http_response else None
        return self._expect.body((told or "").encode(_LOSSLESS))

    def read(self, request: Request, raw: Json) -> Exchange:
        """The exchange that a raw answer completes. Raises Malformed."""
        answer = self._expect.mapping(raw, "the answer")
        if answer.get("error"):
            raise stated_error(answer["error"], self._expect.asked)
        content, reason = self._content(answer)
        parts = self._parts(content)
        texts = [text for part in parts for text in self._said(part)]
        calls = self._calls(parts, request) if request.mode is Mode.FC else []
        named = [{call["name"]: call["arguments"]} for call in calls]
        text = "".join(texts) if parts else SILENCE
        if request.mode is Mode.PROMPT or not parts:
            content = {"parts": [{"text": text}]}
        usage = answer.get("usageMetadata")
        return Exchange(
            request,
            _unfenced(text) if request.mode is Mode.PROMPT else named or texts,
            input_tokens=tokens(usage, "promptTokenCount"),
            output_tokens=total(
                tokens(usage, name) for name in ("candidatesTokenCount", "thoughtsTokenCount")
            ),
            reply={
                "role": "assistant",
                "content": text,
                "tool_calls": calls,
                "raw": {"role": "model", **content},
            },
            finish_reason=reason,
        )

    async def close(self) -> None:
        """Lets go of connections."""
        client, self._client = self._client, None
        if client is not None:
            await self._connection.aclose()
            await client.aio.aclose()
            client.close()

    def _content(self, answer: Mapping[str, Json]) -> tuple[dict[str, Json], str | None]:
        """The content of an answer, empty if it has none, and why the answer ended."""
        expect = self._expect
        candidates = expect.items(answer.get("candidates", []), "`candidates`")
        if not candidates:
            feedback = expect.mapping(answer.get("promptFeedback", {}), "`promptFeedback`")
            reason = expect.maybe_text(feedback.get("blockReason"), "`blockReason`")
            if reason is None:
                raise expect.malformed("expected an answer in `candidates`, or a `blockReason`")
            return {}, reason
        candidate = expect.mapping(candidates[0], "the first of `candidates`")
        reason = expect.maybe_text(candidate.get("finishReason"), "`finishReason`")
        if reason is not None and reason in _FAILURES:
            why = expect.maybe_text(candidate.get("finishMessage"), "`finishMessage`")
            raise _FAILURES[reason](f"{expect.asked}: {reason}{f': {why}' if why else ''}.")
        content = expect.mapping(candidate.get("content", {}), "`content`")
        if reason is None and not content.get("parts"):
            raise expect.malformed("expected an answer in `content`, or a `finishReason`; there is neither")
        return content, reason

    def _parts(self, content: Mapping[str, Json]) -> list[dict[str, Json]]:
        listed = self._expect.items(content.get("parts", []), "`parts`")
        parts = [self._expect.mapping(part, "a part of `content`") for part in listed]
        for part in parts:
            self._expect.mapping(part.get("functionCall", {}), "a `functionCall`")
        return parts

    def _said(self, part: Mapping[str, Json]) -> Iterator[str]:
        """The text of a part, if it has one that the model said and not thought."""
        if "text" in part and not part.get("thought"):
            yield self._expect.text(part["text"], "the `text` of a part")

    def _calls(self, parts: Sequence[Mapping[str, Json]], request: Request) -> list[dict[str, str]]:
        """The calls of an answer as a history has them; those that come without an id get one."""
        expect, calls = self._expect, []
        for place, part in enumerate(part for part in parts if named_call(part)):
            call = part["functionCall"]
            given = expect.maybe_text(call.get("id"), "the `id` of a call")
            arguments = {} if call.get("args") is None else call["args"]
            calls.append(
                {
                    "id": given or f"call_{len(request.messages)}_{place}",
                    "name": expect.text(call["name"], "the `name` of a call"),
                    "arguments": json.dumps(expect.mapping(arguments, "the `args` of a call")),
                }
            )
        return calls

    def _ready(self) -> Client:
        """What sends, loaded and made when it is first wanted."""
        if self._client is None:
            self._client = self._opened()
        return self._client

    def _opened(self) -> Client:
        from google.genai import Client, types

        httpx = import_module("httpx" if find_spec("httpx") else "httpx2")
        self._connection = client_over(httpx.AsyncClient, self._expect.asked, _LOSSLESS)
        return Client(
            api_key=self._key or "none",
            vertexai=False,
            http_options=types.HttpOptions(
                base_url=self._endpoint,
                api_version=API_VERSION,
                httpx_async_client=self._connection,
            ),
        )


def _unfenced(text: str) -> str:
    for fence, instead in _FENCE:
        text = text.replace(fence, instead)
    return text
