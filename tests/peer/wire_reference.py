"""The reference side of the wire seam: the bodies that the official handlers of APIs send.

Runs under the Python of .venv-peer only, shares no code with the pipeline. Each handler uses its vendor's
client; only the connection under it is replaced, by one that records requests and returns the next scripted
API answer. So a body is exactly what reaches the API, including all changes by the handler and the client.

    python -m tests.peer.wire_reference QUESTIONS ANSWERS

A question is `handler`, `model`, `mode`, `category`, `entry_id`, `answers` (of the API, as JSON or as the
text of a stream; the last is repeated), `argued` (names of `ARGUED`) and `full`. An answer is
`requests`, a digest of each body (the body itself if `full`), `urls`, `result` and `tokens`, sent and
received.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from hashlib import blake2b
from importlib import import_module
from typing import Any

import anthropic
import httpx
import httpx2
from google.genai import Client
from google.genai.types import HttpOptions
from mistralai import Mistral
from openai import DefaultHttpxClient, OpenAI

from tests.peer.conversation_reference import TODAY, entries
from tests.peer.reference_process import answer_questions
from tests.peer.scripted_api import Api
from tests.peer.world_reference import Shared, refresh

HANDLERS = {
    "OpenAICompletionsHandler": "openai_completion",
    "OpenAIResponsesHandler": "openai_response",
    "ClaudeHandler": "claude",
    "DeepSeekAPIHandler": "deepseek",
    "FunctionaryHandler": "functionary",
    "GeminiHandler": "gemini",
    "GLMAPIHandler": "glm",
    "GoGoAgentHandler": "gogoagent",
    "GrokHandler": "grok",
    "KimiHandler": "kimi",
    "LingAPIHandler": "ling",
    "MistralHandler": "mistral",
    "NanbeigeAPIHandler": "nanbeige",
    "NovitaHandler": "novita",
    "NvidiaHandler": "nvidia",
    "QwenAPIHandler": "qwen",
}
"""The module of each."""

TEMPERATURE = 0.001  # that of the official command line

Body = dict[str, Any]


@cache
def handler(name: str, model: str, mode: str) -> tuple[Any, Api]:
    module = import_module(f"bfcl_eval.model_handler.api_inference.{HANDLERS[name]}")
    made = getattr(module, name)(model, TEMPERATURE, model, mode == "fc")
    api = Api()
    made.client = CLIENTS.get(name, openai_client)(api, made.client)
    return made, api


def openai_client(api: Api, given: Any) -> OpenAI:
    transports: Any = import_module(DefaultHttpxClient.__mro__[1].__module__.partition(".")[0])
    connection = DefaultHttpxClient(transport=transports.MockTransport(api.serve))
    return OpenAI(api_key="unused", base_url=given.base_url, http_client=connection, max_retries=0)


def mistral_client(api: Api, given: Any) -> Mistral:
    return Mistral(api_key="unused", client=httpx.Client(transport=httpx.MockTransport(api.serve)))


def anthropic_client(api: Api, given: Any) -> Any:
    """A client whose `create` takes a temperature.

    The handler was written for clients that still name it among their arguments; newer ones send one that
    is given as a further key of the body.
    """
    connection = anthropic.DefaultHttpxClient(transport=httpx2.MockTransport(api.serve))
    client: Any = anthropic.Anthropic(api_key="unused", max_retries=0, http_client=connection)
    create = client.messages.create

    def created(temperature: float, **named: Any) -> Any:
        return create(**named, extra_body={"temperature": temperature})

    client.messages.create = created
    return client


def gemini_client(api: Api, given: Any) -> Client:
    connection = httpx2.Client(transport=httpx2.MockTransport(api.serve))
    return Client(api_key="unused", http_options=HttpOptions(httpx_client=connection))


CLIENTS: Mapping[str, Callable[[Api, Any], Any]] = {
    "MistralHandler": mistral_client,
    "ClaudeHandler": anthropic_client,
    "GeminiHandler": gemini_client,
}
"""The vendor's client over a scripted API, in place of a handler's; default: OpenAI's."""


def says_something(message: Body) -> Body:
    """Null and empty keys of an answer have no meaning in a history, and strict servers reject them.

    The documentation rejects a message without content, so its text has to be empty.
    """
    if message.get("role") != "assistant":
        return message
    kept = {key: value for key, value in message.items() if value or key in ("role", "content")}
    kept.setdefault("content", None)
    if kept["content"] is None and not kept.get("tool_calls") and not kept.get("refusal"):
        kept["content"] = ""
    return kept


def without_thoughts(message: Body) -> Body:
    """Removes a model's thoughts from the history, which some handlers do and others do not.

    It differs by handler, not by API: DeepSeek, for example, rejects what the OpenAI handler would send it.
    """
    return {key: value for key, value in message.items() if key != "reasoning_content"}


def _in_messages(change: Callable[[Body], Body]) -> Callable[[Body], Body]:
    return lambda body: {**body, "messages": [change(message) for message in body["messages"]]}


def without_client(body: Body) -> Body:
    """Removes defaults that Mistral's client states explicitly, and the key order of tools, which it
    changes."""
    said = {key: value for key, value in body.items() if key != "stream" and value != []}
    if "tools" in said:
        said["tools"] = [
            {"type": tool["type"], "function": {key: tool["function"][key] for key in _ORDER}}
            for tool in body["tools"]
        ]
    return said


_ORDER = ("name", "description", "parameters")


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

ARGUED: Mapping[str, Callable[[Body], Body]] = {
    "says something": _in_messages(says_something),
    "thoughts": _in_messages(without_thoughts),
    "client": without_client,
    "text blocks": in_blocks,
    "silence": without_silence,
    "spelling": in_camel_case,
}
"""Intentional differences: the changes that convert an official body to ours."""


def text_of(body: Body) -> str:
    """A body as text; the order of keys counts in tools, as models see it, but not in Gemini's."""
    tools = json.dumps(body.get("tools"), sort_keys="contents" in body)
    return json.dumps({**body, "tools": None}, sort_keys=True) + "\n" + tools


def uniform(row: dict[str, Any], result: Any) -> Any:
    """An official result converted to our form: Gemini's arguments as JSON text, its texts without a fence.

    The official handler removes the fence when it decodes, in prompt mode only.
    """
    if row["handler"] != "GeminiHandler":
        return result
    if isinstance(result, list):
        return [uniform(row, item) for item in result]
    if isinstance(result, dict):
        return {name: json.dumps(arguments) for name, arguments in result.items()}
    if row["mode"] == "fc":
        return result
    return result.replace("```tool_code\n", "").replace("\n```", "")


def answer(row: dict[str, Any], shared: Shared) -> dict[str, Any]:
    """The requests of the official package in the conversation of one script, and its result."""
    refresh(shared, TODAY)  # no instances of an earlier conversation are left
    model, api = handler(row["handler"], row["model"], row["mode"])
    api.requests, api.answers = [], row["answers"]
    entry = deepcopy(entries(row["category"])[row["entry_id"]])
    result, told = model.inference(entry, include_input_log=False, exclude_state_log=True)
    texts = []
    for _, body in api.requests:
        for name in row["argued"]:
            body = ARGUED[name](body)
        texts.append(text_of(body))
    if not row["full"]:
        texts = [blake2b(text.encode(), digest_size=8).hexdigest() for text in texts]
    return {
        "requests": texts,
        "urls": sorted({url for url, _ in api.requests}),
        "result": uniform(row, result),
        "tokens": [total(told["input_token_count"]), total(told["output_token_count"])],
    }


def total(counts: Any) -> float:
    """The sum of counts that are given once, or for every step of every turn."""
    return sum(map(total, counts)) if isinstance(counts, list) else counts


if __name__ == "__main__":
    shared = Shared()
    answer_questions(lambda row: answer(row, shared))
