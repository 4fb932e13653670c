"""One response as a line of the official tool's results.

Covers the answer in the form of the model's official handler, the names of functions as the official
checker expects them, and tokens and latency of each exchange.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from bfcl_pipeline.ask.results.forms import Restore
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Json, Mode, NameStyle, Response
from bfcl_pipeline.judge.scoring.judge import default_style

_NUMBERS = {
    "input_token_count": "input_tokens",
    "output_token_count": "output_tokens",
    "latency": "latency_seconds",
}
"""The official keys for tokens and latency, and the fields of a step with their values."""


@dataclass(frozen=True, slots=True)
class Target:
    """An official model, under which answers are exported."""

    name: str
    mode: Mode  # of the answers that can be written
    restore: Restore  # writes an answer in the form of its handler
    style: NameStyle  # of the names of functions


def result_line(response: Response, entry: Entry, target: Target) -> str:
    """The line of an answered `response` to `entry`, in ASCII, without line feed."""
    result = json.loads(response.result_json or "null")
    if CATEGORIES[response.category].single_turn:
        stored = target.restore(_renamed(result, response, entry, target.style))
        numbers = _totals(response)
    else:
        stored = _of_steps(result, target.restore)
        numbers = _by_turn(response, len(result) if isinstance(result, list) else 0)
    return json.dumps({"id": response.entry_id, "result": stored, **numbers})


def _of_steps(result: Json, restore: Restore) -> Json:
    """A conversation (turns of steps) in the form of the handler."""
    if not isinstance(result, list):
        return result
    return [[restore(step) for step in turn] if isinstance(turn, list) else turn for turn in result]


def _renamed(result: Json, response: Response, entry: Entry, style: NameStyle) -> Json:
    """Native calls with the functions of the entry named in `style`; text is unchanged.

    Only functions of single-turn entries have dots in their names.
    """
    current = response.name_style or default_style(response.mode)
    if response.mode is not Mode.FC or current is style or not isinstance(result, list):
        return result
    dotted = [str(doc["name"]) for doc in entry.functions]
    pairs = [(name.replace(".", "_"), name) for name in dotted]
    names = dict(pairs if style is NameStyle.DOTTED else [(after, before) for before, after in pairs])
    return [
        {names.get(name, name): arguments for name, arguments in call.items()}
        if isinstance(call, Mapping)
        else call
        for call in result
    ]


def _totals(response: Response) -> dict[str, Json]:
    """Tokens and latency of the exchange; null if unknown."""
    exchange = response.steps[0] if response.steps else response
    return {key: getattr(exchange, field) for key, field in _NUMBERS.items()}


def _by_turn(response: Response, turns: int) -> dict[str, Json]:
    """Tokens and latency of each exchange by turn and step; null if unknown, empty without steps."""
    if not response.steps:
        return {}
    turns = max(turns, response.steps[-1].turn + 1)
    steps = [[step for step in response.steps if step.turn == turn] for turn in range(turns)]
    return {
        key: [[getattr(step, field) for step in turn] for turn in steps] for key, field in _NUMBERS.items()
    }
