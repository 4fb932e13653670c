"""Policies that play episodes in tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.environments import Episode, oracle_answers


def played_by_oracle(entry_id: str, data: Path, **settings: Any) -> Episode:
    """An episode over the entry, played to its end by the oracle."""
    episode = Episode(entry_id, data=data, **settings)
    for answer in oracle_answers(episode):
        episode.answer(answer)
    return episode


def recorded_answers(result: Json) -> Iterator[Json]:
    """The answers in the result of a conversation, one for each request."""
    turns = result if isinstance(result, list) else [[result]]
    for turn in turns:
        yield from turn if isinstance(turn, list) else [turn]


def chat_message(result: Json, number: int = 0) -> dict[str, Json]:
    """An answer in the official form as an API for chat completions returns it."""
    if not isinstance(result, list):
        return {"role": "assistant", "content": result}
    calls = [
        {"id": f"c{number}_{place}", "type": "function", "function": {"name": name, "arguments": text}}
        for place, (name, text) in enumerate(item for named in result for item in named.items())
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def as_bytes(episode: Episode) -> bytes:
    """All that an episode has to tell, for comparisons."""
    request = episode.request
    told = [
        episode.verdict
        and [episode.verdict.valid, episode.verdict.error_type, episode.verdict.error_message],
        episode.turn_rewards,
        None if request is None else [request.messages, request.tools],
        [answered.answer for answered in episode.answered],
    ]
    return json.dumps(told).encode()
