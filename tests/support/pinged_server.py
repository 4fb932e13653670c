"""A server on loopback for `bfcl-pipeline ping`, whose answers a function of the request's body gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from bfcl_pipeline.benchmark.records import Json
from tests.support.api_server import NOT_FOUND, Plan, Scripted, answer, serve

ORDER = {
    "items": [{"drink": "tea", "count": 2}, {"drink": "coffee", "count": 3}],
    "address": {"street": "5 Elm Street", "city": "Oslo"},
}


def chat(body: Any, calls: Sequence[Any], text: str | None = None, **more: Any) -> Json:
    """A chat completion. calls: pairs of name and arguments, a mapping or text."""
    listed = [
        {
            "id": f"call_{place}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for place, (name, given) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": text, "tool_calls": listed, **more.pop("message", {})}
    choice = {"finish_reason": "tool_calls" if calls else "stop", "message": message}
    sent = len(json.dumps([body["messages"], body.get("tools")]))
    usage = {"prompt_tokens": sent, "completion_tokens": 20}
    return {"model": body["model"], "choices": [{**choice, **more}], "usage": usage}


def wanted(body: Any) -> list[Any]:
    """The calls that the last message of a request asks for."""
    last = body["messages"][-1]
    if last["role"] == "tool":
        return []
    if "teas" in last["content"]:
        return [("place_order", ORDER)]
    return [("get_weather", {"city": city}) for city in ("Oslo", "Lima") if city in last["content"]]


def good(body: Any) -> Json:
    """What a model does that can all that is asked for."""
    calls = wanted(body)
    return chat(body, calls, None if calls else "It is 9.")


COUNT = answer({"count": 9, "max_model_len": 4096})


def server_of(
    given: Plan, models: Plan = NOT_FOUND, count: Plan = COUNT
) -> AbstractContextManager[Scripted]:
    """A running server: what it answers to requests to the model, and its list of models and counts."""
    return serve(given, at={"/models": models, "/tokenize": count})
