"""OpenAI Responses.

Covers the body, and answers with calls, text, refusals and encrypted reasoning, also incomplete ones. All
items of an answer are sent back unchanged and in order: the API requires a model's reasoning beside its
calls. Not covered: background answers, and storage at OpenAI (nothing is stored). Source: the release's
handler openai_response; tests/peer/test_wire_seam.py explains the differences.
"""

from typing import Any

from bfcl_pipeline.ask.models.adapters.openai_adapter import OpenAIAdapter
from bfcl_pipeline.ask.models.adapters.response_validator import shorten_json, tokens
from bfcl_pipeline.ask.models.adapters.row_adapter import TEMPERATURE
from bfcl_pipeline.benchmark.records import Exchange, Json, Mode, Request
from bfcl_pipeline.dialogue.prompts import WireFormat, messages_for

_ENDED = ("completed", "incomplete")


class OpenAIResponses(OpenAIAdapter):
    """A model behind Responses."""

    wire = WireFormat.OPENAI_RESPONSES
    path = "/responses"

    def body(self, request: Request) -> Json:
        """The complete body of the request."""
        body: dict[str, Json] = {
            "model": self._row.model,
            "input": list(messages_for(self.wire, request.messages).messages),
            "temperature": TEMPERATURE,
            "store": False,
        }
        if request.tools:
            body["tools"] = [{**tool, **self.strict} for tool in request.tools]
        return self.with_options(body)

    def read(self, request: Request, raw: Json) -> Exchange:
        """The exchange that a raw answer completes. Raises Malformed, or the error that it states."""
        expect, answer = self._expect, self.answer(raw)
        status = expect.text(answer.get("status", "completed"), "`status`")
        if status not in _ENDED:
            raise expect.malformed(
                f"expected an answer that has ended; its status is {shorten_json(status)}"
            )
        items = [
            expect.mapping(item, "an item of `output`")
            for item in expect.items(answer.get("output"), "`output`")
        ]
        if not items and status == "completed":
            raise expect.malformed("expected an answer in `output`; it is empty")
        text = "".join(self._text(item) for item in items if item.get("type") == "message")
        calls = [self._call(item) for item in items if item.get("type") == "function_call"]
        if request.mode is Mode.PROMPT:
            calls = []
        usage = answer.get("usage")
        return Exchange(
            request,
            [{call["name"]: call["arguments"]} for call in calls] or text,
            input_tokens=tokens(usage, "input_tokens"),
            output_tokens=tokens(usage, "output_tokens"),
            reply={"role": "assistant", "content": text, "tool_calls": calls, "raw": items},
            finish_reason=self._finish_reason(answer, status),
        )

    def _text(self, item: dict[str, Any]) -> str:
        """The texts of a message, without refusals."""
        parts = self._expect.items(item.get("content"), "the `content` of a message")
        said = [self._expect.mapping(part, "a part of a message") for part in parts]
        return "".join(
            self._expect.text(part.get("text"), "a text of a message")
            for part in said
            if part.get("type") == "output_text"
        )

    def _call(self, item: dict[str, Any]) -> dict[str, str]:
        return {
            "id": self._expect.text(item.get("call_id"), "the `call_id` of a call"),
            "name": self._expect.text(item.get("name"), "the `name` of a call"),
            "arguments": self._expect.text(item.get("arguments"), "the `arguments` of a call"),
        }

    def _finish_reason(self, answer: dict[str, Any], status: str) -> str:
        """The status, or why the answer is incomplete."""
        details = answer.get("incomplete_details")
        if status == "completed" or details is None:
            return status
        reason = self._expect.mapping(details, "`incomplete_details`").get("reason")
        return self._expect.maybe_text(reason, "the `reason` of an incomplete answer") or status
