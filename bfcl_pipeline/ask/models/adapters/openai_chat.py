"""OpenAI chat completions, and every server that imitates them (vLLM, DeepSeek, xAI, Mistral, ...).

Covers the body, and answers with calls, text, refusals and reasoning; streams, which some servers need for
long reasoning, are read to their end. Reasoning is kept in the raw answer and not sent back: most of these
servers refuse it. Not covered: the deprecated `function_call`, which only answers requests with
`functions`. Source: the release's handler openai_completion; tests/peer/test_wire_seam.py explains the
differences.
"""

from collections.abc import Iterator, Sequence

from bfcl_pipeline.ask.models.adapters.openai_adapter import OpenAIAdapter
from bfcl_pipeline.ask.models.adapters.response_validator import ResponseValidator, shorten_json, tokens
from bfcl_pipeline.ask.models.adapters.row_adapter import TEMPERATURE
from bfcl_pipeline.benchmark.records import Exchange, Json, Message, Mode, Request
from bfcl_pipeline.dialogue.prompts import WireFormat, messages_for

_DATA = b"data:"
_DONE = b"[DONE]"

_PIECED = ("content", "reasoning_content", "reasoning", "refusal", "arguments")
"""Keys whose texts are sent in pieces."""

ORDER_OF_CALLS = "order_of_calls"
"""The key of a stream whose calls do not begin in the order 0, 1, ...: their indexes as they came."""


def fold_events(content: bytes, expect: ResponseValidator) -> dict[str, Json]:
    """The events of `content`, a whole stream, joined; of anything else the last. Raises Malformed.

    The pieces of a call are joined by its index, as clients do, and the calls are in the order of these.
    """
    if not content.lstrip().startswith((_DATA, b":", b"event:")):
        return expect.body(content)  # an error, or a server without streams
    answer: dict[str, Json] = {}
    choice: dict[str, Json] = {"index": 0, "message": {"role": "assistant"}, "finish_reason": None}
    calls: dict[int, dict[str, Json]] = {}  # by index, in the order in which they begin
    has_choice = False
    for event in _events(content, expect):
        answer.update(
            (key, value) for key, value in event.items() if value is not None and key != "choices"
        )
        for piece in expect.items(event.get("choices") or [], "`choices`"):
            has_choice = True
            _add(choice, calls, expect.mapping(piece, "an item of `choices`"), expect)
    if "error" in answer:
        return {**answer, "choices": []}
    if has_choice and choice["finish_reason"] is None:
        raise expect.malformed("the stream ends before the answer does")
    if calls:
        choice["message"]["tool_calls"] = [calls[index] for index in sorted(calls)]
    if [*calls] != [*range(len(calls))]:
        answer[ORDER_OF_CALLS] = [*calls]
    return {**answer, "choices": [choice] if has_choice else []}


def _events(content: bytes, expect: ResponseValidator) -> Iterator[dict[str, Json]]:
    for line in content.splitlines():
        data = line.removeprefix(_DATA).strip()
        if line.startswith(_DATA) and data and data != _DONE:
            yield expect.body(data)


def _add(
    choice: dict[str, Json],
    calls: dict[int, dict[str, Json]],
    piece: dict[str, Json],
    expect: ResponseValidator,
) -> None:
    """Adds one piece to the choice and its calls."""
    if piece.get("finish_reason") is not None:
        choice["finish_reason"] = piece["finish_reason"]
    if piece.get("error"):
        choice["error"] = piece["error"]
    if piece.get("token_ids"):
        choice.setdefault("token_ids", []).extend(expect.items(piece["token_ids"], "`token_ids`"))
    delta = expect.mapping(piece.get("delta") or {}, "a `delta`")
    of_calls = expect.items(delta.get("tool_calls") or [], "`tool_calls`")
    _join(choice["message"], {key: value for key, value in delta.items() if key != "tool_calls"}, expect)
    for of_call in of_calls:
        named = expect.mapping(of_call, "a tool call")
        index = named.get("index", max(calls, default=-1) + 1)
        if type(index) is not int or index < 0:
            raise expect.malformed(f"expected the index of a call; got {shorten_json(index)}")
        call = calls.setdefault(index, {"type": "function", "function": {"arguments": ""}})
        function = expect.mapping(named.get("function") or {}, "the `function` of a tool call")
        _join(call["function"], function, expect)
        _join(call, {k: v for k, v in named.items() if k not in ("index", "function")}, expect)


def _join(whole: dict[str, Json], piece: dict[str, Json], expect: ResponseValidator) -> None:
    for key, value in piece.items():
        if value is None or (value == "" and key in whole):
            continue
        if key in _PIECED:
            whole[key] = whole.get(key, "") + expect.text(value, f"`{key}`")
        else:
            whole[key] = value


_TOKENS = "return_token_ids"
"""What vLLM is asked besides: to state the tokens that the model wrote. Answers do not depend on it."""

_REASONING = ("reasoning", "reasoning_content", "reasoning_details")
"""Keys of a message in which servers put a model's reasoning."""


class OpenAIChat(OpenAIAdapter):
    """A model behind chat completions."""

    wire = WireFormat.OPENAI_CHAT
    path = "/chat/completions"

    def body(self, request: Request) -> Json:
        """The complete body of the request."""
        body: dict[str, Json] = {
            "model": self._row.model,
            "messages": list(messages_for(self.wire, request.messages).messages),
            "temperature": TEMPERATURE,
        }
        if self.at_openai:
            body["store"] = False  # other servers may refuse this key
        if self._row.options.get("stream"):
            body["stream_options"] = {"include_usage": True}  # else a stream states no tokens
        if request.tools:
            body["tools"] = [
                {**tool, "function": {**tool["function"], **self.strict}} for tool in request.tools
            ]
        return self.with_options(body)

    async def send(self, body: Json) -> Json:
        """Sends one request; returns the raw answer. Raises ModelError of the type that fits.

        vLLM is asked for the tokens that the model wrote, too: not by the body, which is part of the
        journal's key. Those of the prompt, which it states with them, are left out: they are many.
        """
        at_vllm = self._row.kind == "vllm" or (self.server is not None and self.server.kind == "vllm")
        content = await self.post(self.path, {_TOKENS: True, **body} if at_vllm else body)
        raw = fold_events(content, self._expect) if body.get("stream") else self._expect.body(content)
        return {key: value for key, value in raw.items() if key != "prompt_token_ids"}

    def read(self, request: Request, raw: Json) -> Exchange:
        """The exchange that a raw answer completes. Raises Malformed, or the error that it states."""
        expect = self._expect
        answer, choice = self.first_choice(raw)
        message = expect.mapping(choice.get("message"), "`message`")
        text = self._text(message.get("content"))
        calls = self._calls(message, request) if request.mode is Mode.FC else []
        usage = answer.get("usage")
        return Exchange(
            request,
            [{call["name"]: call["arguments"]} for call in calls] or text,
            input_tokens=tokens(usage, "prompt_tokens"),
            output_tokens=tokens(usage, "completion_tokens"),
            reply=_reply(message, text, calls),
            finish_reason=expect.maybe_text(choice.get("finish_reason"), "`finish_reason`"),
        )

    def _text(self, content: Json) -> str | None:
        """The text of a message; if it has parts (Mistral, with reasoning), the parts of type text."""
        if not isinstance(content, list):
            return self._expect.maybe_text(content, "`content`")
        parts = [self._expect.mapping(part, "a part of `content`") for part in content]
        return "".join(
            self._expect.text(part.get("text"), "a text of `content`")
            for part in parts
            if part.get("type") == "text"
        )

    def _calls(self, message: dict[str, Json], request: Request) -> list[dict[str, str]]:
        """The calls of a message in the form of a history; a call without an id is given one."""
        expect, calls = self._expect, []
        listed = message.get("tool_calls")
        for place, listed_call in enumerate([] if listed is None else expect.items(listed, "`tool_calls`")):
            call = expect.mapping(listed_call, "a tool call")
            function = expect.mapping(call.get("function"), "the `function` of a tool call")
            given = expect.maybe_text(call.get("id"), "the `id` of a tool call")
            calls.append(
                {
                    "id": given or f"call_{len(request.messages)}_{place}",
                    "name": expect.text(function.get("name"), "the `name` of a function"),
                    "arguments": expect.text(function.get("arguments"), "the `arguments` of a function"),
                }
            )
        return calls


def _reply(message: dict[str, Json], text: str | None, calls: Sequence[dict[str, str]]) -> Message:
    """The message for the history: `message` without reasoning and without empty values.

    Servers that check requests refuse an empty list of calls, and a message without text, calls and
    refusal; such a message has an empty text.
    """
    raw = {key: value for key, value in message.items() if value and key not in _REASONING}
    raw["role"] = "assistant"
    raw["content"] = text if calls or raw.get("refusal") else text or ""
    raw.pop("tool_calls", None)
    if calls:
        raw["tool_calls"] = [
            {"type": "function", **listed, "id": call["id"]}
            for listed, call in zip(message["tool_calls"], calls, strict=True)
        ]
    return {"role": "assistant", "content": text, "tool_calls": calls, "raw": raw}
