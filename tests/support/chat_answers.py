"""The answers of the scripted chat model, computed only from the request, so that they are the same in all
runs.

In a turn it calls one of the offered functions, usually once or twice and sometimes two in parallel, and
then ends the turn with a text. Without tools it calls a function that the system prompt documents, in
Python syntax. Details that differ between the requests of two harnesses (ids of calls, additional keys) do
not change the answer.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_DOCUMENTED = re.compile(r"""["']name["']: *["']([A-Za-z_][\w.]*)["']""")
_RESULTS = "[{'role': 'tool'"  # prefix of the message with the results of a prompted model's calls
_MOST_STEPS = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in the API's format, without the answer's number in its id."""

    before: bytes
    after: bytes

    def numbered(self, number: int) -> bytes:
        """The whole answer, with a unique id: `chatcmpl-<digest of the request>-<number>`."""
        return b"%s%d%s" % (self.before, number, self.after)


def digest_of(body: bytes) -> str:
    """The request's digest, used in counts and ids."""
    return hashlib.blake2b(_counted(body), digest_size=12).hexdigest()


def _counted(body: bytes) -> bytes:
    """A request without what vLLM is asked for besides, on which its answer does not depend."""
    return body.replace(b'"return_token_ids":true,', b"")


def answer_to(body: bytes, digest: str, thought: int = 0, voice: str = "") -> Answer:
    """The answer to a request for a chat completion.

    thought: approximate length of the reasoning in the answer, in characters. voice: of the model; another
    one makes other calls and says something else.
    """
    asked = json.loads(body)
    message, reason = _message(asked["messages"], asked.get("tools") or (), digest, voice)
    if thought:
        message["reasoning_content"] = _thought(asked["messages"], thought, digest)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
    said = json.dumps(choice)
    sent, received = len(_counted(body)) // 4, len(said) // 4
    rest = {
        "object": "chat.completion",
        "created": 1_750_000_000,
        "model": asked["model"],
        "usage": {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received},
    }
    after = f'", {json.dumps(rest)[1:-1]}, "choices": [{said}]}}'
    return Answer(f'{{"id": "chatcmpl-{digest}-'.encode("ascii"), after.encode("ascii"))


def _message(
    messages: Sequence[Any], tools: Sequence[Any], digest: str, voice: str
) -> tuple[dict[str, Any], str]:
    turn = max((place for place, message in enumerate(messages) if message["role"] == "user"), default=0)
    step = sum(message["role"] == "assistant" for message in messages[turn:])
    question = json.dumps(messages[turn]["content"])
    rng = random.Random(f"{step} {question}{voice}")
    if tools:
        if step < random.Random(question).randint(1, _MOST_STEPS):
            chosen = rng.choices(tools, k=1 + (rng.random() < 0.2))
            return _calling([tool["function"] for tool in chosen], rng, digest), "tool_calls"
        return {"role": "assistant", "content": f"Done, after {step} steps.{voice}"}, "stop"
    documented = _DOCUMENTED.findall(str(messages[0]["content"]))
    if not documented or messages[turn]["content"].startswith(_RESULTS):
        return {"role": "assistant", "content": "Done."}, "stop"
    return {"role": "assistant", "content": f"[{rng.choice(documented)}()]"}, "stop"


def _thought(messages: Sequence[Any], about: int, digest: str) -> str:
    """Words of the request, from half as many characters as `about` to half as many more."""
    rng = random.Random(digest)
    words = " ".join(str(message["content"]) for message in messages).split()
    text = " ".join(rng.choices(words, k=about // 2))
    return text[: rng.randint(about // 2, about + about // 2)]


def _calling(functions: Sequence[Mapping[str, Any]], rng: random.Random, digest: str) -> dict[str, Any]:
    calls = [
        {
            "id": f"call_{digest}_{place}",
            "type": "function",
            "function": {
                "name": function["name"],
                "arguments": json.dumps(_arguments(function["parameters"], rng)),
            },
        }
        for place, function in enumerate(functions)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _arguments(parameters: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    properties = parameters.get("properties", {})
    required = parameters.get("required", list(properties))
    return {name: _value(name, properties[name], rng) for name in required if name in properties}


def _value(name: str, schema: Mapping[str, Any], rng: random.Random) -> Any:
    if schema.get("enum"):
        return rng.choice(schema["enum"])
    match schema.get("type"):
        case "integer":
            return rng.randint(1, 9)
        case "number" | "float":
            return rng.randint(1, 99) / 4
        case "boolean":
            return rng.random() < 0.5
        case "array":
            return [_value(name, schema.get("items", {}), rng)]
        case "object":
            return _arguments(schema, rng)
    return f"{name}_{rng.choice('abcdefgh')}"
