"""Calls as a JSON list, each of which receives an id. Source: the handler mistral_fc.

JSON of any other form ends an entry with an error in the official tool; here it is text.
"""

import json
import random
import string
from typing import Any

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.calls import parse_json
from bfcl_pipeline.dialogue.families.readers.answers import (
    Answer,
    Reader,
    call_name,
    read_plain_text,
    uniform_rejected,
)


def call_ids(earlier_messages: int, count: int) -> list[str]:
    """Ids of nine letters and digits; the official tool draws them at random, here the place decides."""
    drawn = random.Random(earlier_messages)  # noqa: S311  # no secret
    return ["".join(drawn.choices(string.ascii_letters + string.digits, k=9)) for _ in range(count)]


def _split(text: str, earlier: int) -> Answer:
    try:
        calls: Any = parse_json(text)
        stored = [{call_name(call["name"]): call["arguments"]} for call in calls]
        ids = call_ids(earlier, len(calls))
        identified = [{**call, "id": call_id} for call, call_id in zip(calls, ids, strict=True)]
        content = f"[TOOL_CALLS]{json.dumps(identified or calls)}"
    except (KeyError, RecursionError, TypeError, ValueError):
        return read_plain_text(text, earlier)
    return Answer(stored, {"role": "assistant", "content": content, "tool_call_ids": ids})


def _uniform(stored: Json, runs: bool) -> Json:
    if not isinstance(stored, list) or not all(isinstance(call, dict) for call in stored):
        return uniform_rejected(stored, runs)
    return [
        {
            name: arguments if runs and isinstance(arguments, str) else json.dumps(arguments)
            for name, arguments in call.items()
        }
        for call in stored
    ]


MISTRAL = Reader(_split, _uniform, stores_calls=True)
