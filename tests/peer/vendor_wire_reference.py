"""The reference side of the wire seam of Anthropic and Google: the bodies that the official handlers send.

Runs under the Python of .venv-peer only, shares no code with the pipeline. Each handler uses its vendor's
client; only the connection under it is replaced, by one that records requests and returns the next scripted
API answer. So a body is exactly what reaches the API, including all changes by the handler and the client.

    python -m tests.peer.vendor_wire_reference QUESTIONS ANSWERS

A question is `wire`, `model`, `mode`, `category`, `entry_id`, `answers` (of the API; the last is repeated)
and `full`. An answer is `requests`, a digest of each body (the body itself if `full`),
`urls`, `result`, and `input_tokens` and `output_tokens`, the sums over the conversation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from hashlib import blake2b
from typing import Any

import httpx2
from anthropic import Anthropic, DefaultHttpxClient
from bfcl_eval.model_handler.api_inference.claude import ClaudeHandler
from bfcl_eval.model_handler.api_inference.gemini import GeminiHandler
from google.genai import Client
from google.genai.types import HttpOptions

from tests.peer.conversation_reference import TODAY, entries
from tests.peer.reference_process import answer_questions
from tests.peer.scripted_api import Api
from tests.peer.world_reference import Shared, refresh

TEMPERATURE = 0.001  # that of the official command line

Body = dict[str, Any]


def claude(model: str, is_fc: bool, api: Api) -> ClaudeHandler:
    """The official handler over `api`.

    It was written for clients that still name a temperature among their arguments; newer ones send one
    that is given as a further key of the body.
    """
    handler = ClaudeHandler(model, TEMPERATURE, model, is_fc)
    connection = DefaultHttpxClient(transport=httpx2.MockTransport(api.serve))
    handler.client = Anthropic(api_key="unused", max_retries=0, http_client=connection)
    create = handler.client.messages.create

    def created(temperature: float, **named: Any) -> Any:
        return create(**named, extra_body={"temperature": temperature})

    handler.client.messages.create = created
    return handler


def gemini(model: str, is_fc: bool, api: Api) -> GeminiHandler:
    """The official handler over `api`."""
    handler = GeminiHandler(model, TEMPERATURE, model, is_fc)
    connection = httpx2.Client(transport=httpx2.MockTransport(api.serve))
    handler.client = Client(api_key="unused", http_options=HttpOptions(httpx_client=connection))
    return handler


HANDLERS = {"anthropic": claude, "gemini": gemini}


@cache
def handler(wire: str, model: str, mode: str) -> tuple[Any, Api]:
    api = Api()
    return HANDLERS[wire](model, mode == "fc", api), api


def in_blocks(body: Body) -> Body:
    """Anthropic: texts converted to text blocks; the handler sends either."""
    messages = [
        {**message, "content": [{"type": "text", "text": message["content"]}]}
        if isinstance(message["content"], str)
        else message
        for message in body["messages"]
    ]
    return {**body, "messages": messages}


def without_silence(body: Body) -> Body:
    """Removes blank texts, and messages without content except the last, because Anthropic rejects them.

    The official handler sends them, and the conversation ends with the API's error as the answer.
    """
    messages = [
        {**message, "content": [block for block in message["content"] if not blank(block)]}
        for message in body["messages"]
    ]
    return {**body, "messages": [message for message in messages if message["content"]]}


def blank(block: Body) -> bool:
    return block["type"] == "text" and not block["text"].strip()


def in_camel_case(body: Body) -> Body:
    """Gemini: its client writes a few keys with an underscore; the API accepts both spellings."""
    parts = {key: spelt(body[key]) for key in ("generationConfig", "tools") if key in body}
    return {**body, **parts}


def spelt(value: Any) -> Any:
    if isinstance(value, dict):
        return {SPELLINGS.get(key, key): spelt(item) for key, item in value.items()}
    return [spelt(item) for item in value] if isinstance(value, list) else value


SPELLINGS = {
    "include_thoughts": "includeThoughts",
    "min_items": "minItems",
    "max_items": "maxItems",
}

ARGUED: Mapping[str, tuple[Callable[[Body], Body], ...]] = {
    "anthropic": (in_blocks, without_silence),
    "gemini": (in_camel_case,),
}
"""Intentional differences: the changes that convert an official body to ours."""


def text_of(wire: str, body: Body) -> str:
    """A body as text; the order of keys counts in Anthropic's tools, as models see it."""
    ordered = wire == "anthropic"
    tools = json.dumps(body.get("tools"), sort_keys=not ordered)
    return json.dumps({**body, "tools": None}, sort_keys=True) + "\n" + tools


def uniform(row: dict[str, Any], result: Any) -> Any:
    """An official result converted to our form: Gemini's arguments as JSON text, its texts without a fence.

    The official handler removes the fence when it decodes, in prompt mode only.
    """
    if row["wire"] != "gemini":
        return result
    if isinstance(result, list):
        return [uniform(row, item) for item in result]
    if isinstance(result, dict):
        return {name: json.dumps(arguments) for name, arguments in result.items()}
    if row["mode"] == "fc":
        return result
    return result.replace("```tool_code\n", "").replace("\n```", "")


def amounts(value: Any) -> Iterator[int]:
    """All counts of tokens in the lists of a conversation's turns and steps."""
    if isinstance(value, list):
        for item in value:
            yield from amounts(item)
    else:
        yield value


def answer(row: dict[str, Any], shared: Shared) -> dict[str, Any]:
    """The requests of the official package in the conversation of one script, and its result."""
    refresh(shared, TODAY)  # no instances of an earlier conversation are left
    model, api = handler(row["wire"], row["model"], row["mode"])
    api.requests, api.answers = [], row["answers"]
    entry = deepcopy(entries(row["category"])[row["entry_id"]])
    result, metadata = model.inference(entry, include_input_log=False, exclude_state_log=True)
    texts = []
    for _, body in api.requests:
        for change in ARGUED[row["wire"]]:
            body = change(body)
        texts.append(text_of(row["wire"], body))
    if not row["full"]:
        texts = [blake2b(text.encode(), digest_size=8).hexdigest() for text in texts]
    return {
        "requests": texts,
        "urls": sorted({url for url, _ in api.requests}),
        "result": uniform(row, result),
        "input_tokens": sum(amounts(metadata["input_token_count"])),
        "output_tokens": sum(amounts(metadata["output_token_count"])),
    }


if __name__ == "__main__":
    shared = Shared()
    answer_questions(lambda row: answer(row, shared))
