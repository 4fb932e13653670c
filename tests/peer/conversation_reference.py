"""The reference side of the request seam, conversations: what the official package sends, step by step.

Runs under the Python of .venv-peer only, shares no code with the pipeline and runs the conversation with
the official handlers; only their API request is replaced, by the next answer of a script. Memories are
stored by the official code, as snapshot files in a separate folder; the web is a table, which replaces the
libraries that the official web tools call.

    python -m tests.peer.conversation_reference QUESTIONS ANSWERS

A question is a chain of conversations, each of which starts from the memory that the earlier ones left:
`wire`, `mode`, `category`, `full`, `conversations` (`entry_id`, and `answers`: [text, calls] pairs, calls
as [name, arguments as JSON text] pairs or null) and `web`: `searches` (an outcome by keywords and region)
and `pages` (an outcome by URL). An answer has, for each conversation, `requests`, a digest for each (the
request itself if `full`), `result`, and `snapshot`: the file that a session wrote, as JSON; else null.
Requests are plain JSON without cache marks and without the ids and statuses of output items; a text of the
assistant has one form per wire format, regardless of whether the handler sent it as text, block or item
(Anthropic: none if it is empty).
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from datetime import date
from functools import cache
from hashlib import blake2b
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import requests
import sentence_transformers
from anthropic.types import TextBlock, ToolUseBlock
from bfcl_eval.eval_checker.multi_turn_eval.func_source_code import web_search
from bfcl_eval.model_handler.api_inference.claude import ClaudeHandler
from bfcl_eval.model_handler.api_inference.gemini import GeminiHandler
from bfcl_eval.model_handler.api_inference.openai_completion import OpenAICompletionsHandler
from bfcl_eval.model_handler.api_inference.openai_response import OpenAIResponsesHandler
from bfcl_eval.utils import (
    get_directory_structure_by_id,
    load_dataset_entry,
    populate_initial_settings_for_memory_test_cases,
    populate_initial_settings_for_web_search_test_cases,
)
from google.genai.types import Content, FunctionCall, Part
from openai.types.chat import ChatCompletionMessage
from openai.types.responses import Response, ResponseFunctionToolCall, ResponseOutputMessage

from tests.peer.memory_reference import StandIn
from tests.peer.reference_process import answer_questions
from tests.peer.world_reference import Shared, refresh

MODEL = "model"
TODAY = date(2026, 3, 23)

Calls = list[tuple[str, str, str]]
"""(id, name, arguments as JSON text) of each call."""


@dataclass(frozen=True)
class Wire:
    """One official handler: what its API answers, and its history as plain JSON."""

    handler: type
    response: Callable[[str | None, Calls | None], Any]  # of a text and calls
    plain: Callable[[Any], Any]  # one message or item of its history


def chat_response(text: str | None, calls: Calls | None) -> Any:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls is not None:
        message["tool_calls"] = [
            {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
            for id_, name, arguments in calls
        ]
    usage = SimpleNamespace(prompt_tokens=1, completion_tokens=1)
    choice = SimpleNamespace(message=ChatCompletionMessage.model_validate(message))
    return SimpleNamespace(choices=[choice], usage=usage)


def plain_chat(message: Any) -> Any:
    return message if isinstance(message, dict) else message.model_dump(mode="json", exclude_unset=True)


def responses_response(text: str | None, calls: Calls | None) -> Any:
    output: list[Any] = []
    if text:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        message = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
        output.append(ResponseOutputMessage.model_validate(message))
    for id_, name, arguments in calls or ():
        call = {"id": "f", "type": "function_call", "call_id": id_, "name": name, "arguments": arguments}
        output.append(ResponseFunctionToolCall.model_validate(call))
    usage = SimpleNamespace(input_tokens=1, output_tokens=1)
    return Response.model_construct(output=output, usage=usage)


def plain_item(item: Any) -> Any:
    if isinstance(item, dict):
        return item
    if isinstance(item, ResponseOutputMessage):
        return {"role": item.role, "content": "".join(part.text for part in item.content)}
    return item.model_dump(mode="json", exclude_unset=True, exclude={"id", "status"})


def anthropic_response(text: str | None, calls: Calls | None) -> Any:
    content: list[Any] = []
    if text or (text is not None and not calls):
        content.append(TextBlock(type="text", text=text))
    for id_, name, arguments in calls or ():
        content.append(ToolUseBlock(type="tool_use", id=id_, name=name, input=json.loads(arguments)))
    return SimpleNamespace(content=content, usage=SimpleNamespace(input_tokens=1, output_tokens=1))


def plain_anthropic(message: Any) -> Any:
    content = message["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    blocks = [
        block if isinstance(block, dict) else block.model_dump(mode="json", exclude_unset=True)
        for block in content
    ]
    blocks = [unmarked(block) for block in blocks if block.get("text") != ""]
    return {**message, "content": blocks}


def unmarked(block: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key != "cache_control"}


def gemini_response(text: str | None, calls: Calls | None) -> Any:
    parts = [] if text is None else [Part(text=text)]
    for _, name, arguments in calls or ():
        parts.append(Part(function_call=FunctionCall(name=name, args=json.loads(arguments))))
    content = Content(role="model", parts=parts) if parts else None
    usage = SimpleNamespace(prompt_token_count=1, candidates_token_count=1)
    return SimpleNamespace(candidates=[SimpleNamespace(content=content)], usage_metadata=usage)


def plain_gemini(content: Any) -> Any:
    return content.model_dump(mode="json", exclude_none=True)


WIRES = {
    "openai_chat": Wire(OpenAICompletionsHandler, chat_response, plain_chat),
    "openai_responses": Wire(OpenAIResponsesHandler, responses_response, plain_item),
    "anthropic": Wire(ClaudeHandler, anthropic_response, plain_anthropic),
    "gemini": Wire(GeminiHandler, gemini_response, plain_gemini),
}


class Scripted:
    """Replaces the API of a handler: records each request and answers from the script."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.requests: list[Any] = []
        self._wire = WIRES[row["wire"]]
        self._full = row["full"]
        self._answers: Iterator[Any] = iter(row["answers"])
        self._ids = count()

    def query(self, data: dict[str, Any]) -> tuple[Any, float]:
        request = {
            "system": plain_system(data.get("system_prompt")),
            "messages": [self._wire.plain(message) for message in data["message"]],
        }
        messages = json.dumps(request, sort_keys=True)
        tools = json.dumps([unmarked(tool) for tool in data.get("tools", ())])
        self.requests.append(f"{messages}\n{tools}" if self._full else digest(messages, tools))
        text, calls = next(self._answers, ("Done.", None))
        named = None if calls is None else [(f"call_{next(self._ids)}", *call) for call in calls]
        return self._wire.response(text, named), 0.0


def plain_system(system: Any) -> Any:
    return [unmarked(block) for block in system] if isinstance(system, list) else system


def digest(messages: str, tools: str) -> str:
    """A digest of a request, 16 characters; the order of keys counts in tools, because models see it."""
    return blake2b(f"{messages}\n{tools}".encode(), digest_size=8).hexdigest()


@cache
def entries(category: str) -> dict[str, Any]:
    return {entry["id"]: entry for entry in load_dataset_entry(category)}


@cache
def handler(wire: str, mode: str) -> Any:
    return WIRES[wire].handler(MODEL, 0, MODEL, mode == "fc")


class Engine:
    """Replaces the search engine's client."""

    searches: ClassVar[dict[str, Any]] = {}  # of the chain that is held

    def __init__(self, parameters: dict[str, Any]) -> None:
        self._keywords, self._region = parameters["q"], parameters["kl"]

    def get_dict(self) -> Any:
        if self._keywords is None or not str(self._keywords).strip():
            return {"error": "Missing query `q` parameter."}
        region = "wt-wt" if self._region is None else self._region
        outcome = self.searches[json.dumps([str(self._keywords), str(region)])]
        if "failure" in outcome:
            raise requests.exceptions.ConnectionError(outcome["failure"])
        return outcome


class Internet:
    """Replaces the HTTP client."""

    def __init__(self) -> None:
        self.pages: dict[str, Any] = {}  # of the chain that is held

    def get(self, url: str, **options: Any) -> requests.Response:
        outcome = self.pages[url]
        if "failure" in outcome:
            raise requests.exceptions.ConnectionError(outcome["failure"])
        response = requests.Response()
        response.url = url
        response.status_code, response.reason = outcome["status"], outcome["reason"]
        response._content = outcome["text"].encode("utf-8")
        response.encoding = "utf-8"
        return response


INTERNET = Internet()


def converse(row: dict[str, Any], asked: dict[str, Any], shared: Shared, folder: Path) -> dict[str, Any]:
    """The requests, the result and the snapshot of one conversation."""
    entry = deepcopy(entries(row["category"])[asked["entry_id"]])
    populate_initial_settings_for_memory_test_cases([entry], folder)
    populate_initial_settings_for_web_search_test_cases([entry])
    refresh(shared, TODAY)  # no instances of an earlier conversation are left
    scripted = Scripted({**row, **asked})
    model = handler(row["wire"], row["mode"])
    model._query_FC = model._query_prompting = scripted.query
    result, _ = model.inference(entry, include_input_log=False, exclude_state_log=True)
    return {"requests": scripted.requests, "result": result, "snapshot": snapshot_of(entry, folder)}


def snapshot_of(entry: dict[str, Any], folder: Path) -> str | None:
    """The file that a session wrote, as JSON; None for a question."""
    if "prereq" not in entry["id"]:
        return None
    kept = folder / get_directory_structure_by_id(entry["id"]) / "memory_snapshot"
    latest = (kept / f"{entry['scenario']}_final.json").read_text(encoding="utf-8")
    assert latest == (kept / "prereq_checkpoints" / f"{entry['id']}.json").read_text(encoding="utf-8")
    return json.dumps(json.loads(latest))


def answer_chains(
    converse: Callable[[dict[str, Any], dict[str, Any], Shared, Path], dict[str, Any]],
) -> None:
    """Answers questions that are chains of conversations, in which `converse` holds each."""
    sentence_transformers.SentenceTransformer = StandIn
    web_search.GoogleSearch = Engine
    web_search.requests = SimpleNamespace(get=INTERNET.get)
    shared = Shared()

    def answer(row: dict[str, Any]) -> dict[str, Any]:
        Engine.searches, INTERNET.pages = row["web"]["searches"], row["web"]["pages"]
        with tempfile.TemporaryDirectory() as folder:
            held = [converse(row, asked, shared, Path(folder)) for asked in row["conversations"]]
        return {"conversations": held}

    answer_questions(answer)


if __name__ == "__main__":
    answer_chains(converse)
