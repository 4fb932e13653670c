"""Google Gemini, in the form of its REST API.

Covers the body, and answers with calls, text and thoughts, also empty, blocked and incomplete ones. In
function-calling mode the content of an answer is sent back unchanged: the API requires the signatures of a
model's thoughts beside its calls. Not covered: answers that the API would continue in a further request
(past a token limit), which count as incomplete. Source: the release's handler gemini;
tests/peer/test_vendor_wire_seam.py explains the differences.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from bfcl_pipeline.ask.models.adapters.response_validator import tokens
from bfcl_pipeline.ask.models.adapters.row_adapter import TEMPERATURE, RowAdapter
from bfcl_pipeline.base.errors import AccessDenied, Malformed, ModelError, RequestRefused
from bfcl_pipeline.base.text import line_of
from bfcl_pipeline.benchmark.records import Exchange, Json, Mode, Request, total
from bfcl_pipeline.dialogue.prompts import WireFormat, messages_for

API_VERSION = "v1beta"
"""The version of the release: preview models may be in no other."""

SILENCE = "The model did not return any response."
"""The text that the release uses for an answer without content."""

_FENCE = (("```tool_code\n", ""), ("\n```", ""))
"""What a prompted model writes around its calls; the release replaces it before it reads them."""

_PARTS = {"function_call": "functionCall", "function_response": "functionResponse"}
"""Keys of parts in the messages of `prompts.wire`, and in the REST API."""

_SHOWN = 400  # characters of the API's text in an error message

_COLLECTIONS = ("models/", "tunedModels/")
"""Prefixes of a model's full name; a short name is in the first one."""

_FAILURES: Mapping[str, type[ModelError]] = {
    "MALFORMED_RESPONSE": Malformed,
    "MISSING_THOUGHT_SIGNATURE": RequestRefused,
    "PUP_LIMITED_DISABLED": AccessDenied,
}
"""Finish reasons that are failures of the machinery: the content is not the model's answer."""


class Gemini(RowAdapter):
    """A model behind generateContent."""

    wire = WireFormat.GEMINI
    version = API_VERSION

    def body(self, request: Request) -> Json:
        """The complete body of the request, with the model, which `send` moves to the path."""
        sent = messages_for(self.wire, request.messages)
        body: dict[str, Json] = {
            "model": self._row.model,
            "contents": _contents(sent.messages),
            "generationConfig": {
                "temperature": TEMPERATURE,
                "thinkingConfig": {"includeThoughts": True},
            },
        }
        if sent.system is not None:
            body["systemInstruction"] = {"role": "user", "parts": [{"text": sent.system}]}
        if request.tools:
            body["tools"] = [{"functionDeclarations": [_tool(tool) for tool in request.tools]}]
        return _merged(body, self._row.options)

    def headers(self) -> dict[str, str]:
        """The key if there is one."""
        return {} if self._key is None else {"X-Goog-Api-Key": self._key}

    async def send(self, body: Json) -> Json:
        """Sends one request; returns the raw answer. Raises ModelError of the type that fits."""
        model: str = body["model"]
        path = model if model.startswith(_COLLECTIONS) else f"models/{model}"
        sent = {key: value for key, value in body.items() if key != "model"}
        return self._expect.body(await self.post(f"/{API_VERSION}/{path}:generateContent", sent))

    def read(self, request: Request, raw: Json) -> Exchange:
        """The exchange that a raw answer completes. Raises Malformed, or the error that it states."""
        answer = self.answer(raw)
        content, reason = self._content_of(answer)
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

    def _content_of(self, answer: Mapping[str, Json]) -> tuple[dict[str, Json], str | None]:
        """The content of an answer, which may be empty, and the finish reason."""
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
            raise _FAILURES[reason](
                f"{expect.target}: {reason}{f': {line_of(why[:_SHOWN])}' if why else ''}."
            )
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
        """The text of a part, unless it is a thought."""
        if "text" in part and not part.get("thought"):
            yield self._expect.text(part["text"], "the `text` of a part")

    def _calls(self, parts: Sequence[Mapping[str, Json]], request: Request) -> list[dict[str, str]]:
        """The calls of an answer in the form of a history; a call without an id is given one."""
        expect, calls = self._expect, []
        for place, part in enumerate(part for part in parts if _is_call(part)):
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


def _unfenced(text: str) -> str:
    for fence, instead in _FENCE:
        text = text.replace(fence, instead)
    return text


def _contents(contents: Sequence[Mapping[str, Json]]) -> list[Json]:
    """`contents` in the form of the REST API; the result of a call with an id has that id too."""
    converted: list[Json] = []
    called: list[Mapping[str, Json]] = []
    for content in contents:
        parts = [{_PARTS.get(key, key): value for key, value in part.items()} for part in content["parts"]]
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        for call, result in zip(called, results, strict=False):
            if call.get("id"):
                result["id"] = call["id"]
        called = [part["functionCall"] for part in parts if _is_call(part)]
        converted.append({"role": content["role"], "parts": parts})
    return converted


def _is_call(part: Mapping[str, Json]) -> bool:
    """Whether a part is a call; one without a name is not."""
    return bool(part.get("functionCall", {}).get("name"))


def _tool(function: Mapping[str, Json]) -> dict[str, Json]:
    """A function declaration of the REST API."""
    return {**function, "parameters": _schema(function["parameters"])}


def _merged(body: Mapping[str, Json], options: Mapping[str, Json]) -> dict[str, Json]:
    """`body` with the options of a row, which win, also inside mappings; null removes a key."""
    both = dict(body)
    for key, value in options.items():
        if isinstance(value, Mapping) and isinstance(both.get(key), Mapping):
            both[key] = _merged(both[key], value)
        else:
            both[key] = value
    return {key: value for key, value in both.items() if value is not None or key not in options}


def _schema(schema: Mapping[str, Json]) -> dict[str, Json]:
    """A schema in Google's dialect: types in capital letters, and no null values."""
    converted = {key: value for key, value in schema.items() if value is not None}
    if "type" in schema:
        converted["type"] = schema["type"].upper()
    if "properties" in schema:
        converted["properties"] = {name: _schema(inner) for name, inner in schema["properties"].items()}
    if "items" in schema:
        converted["items"] = _schema(schema["items"])
    return converted
