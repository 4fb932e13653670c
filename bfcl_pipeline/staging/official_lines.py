"""One response as a line of the official tool's results.

Covers the answer in the form that the official handler of its model reads, functions named as the official
checker takes them to be, and what each exchange took.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.records import Entry, Json, Mode, NameStyle, Response
from bfcl_pipeline.scoring.judge import default_style
from bfcl_pipeline.staging.official_forms import AnswerForm

_NUMBERS = {
    "input_token_count": "input_tokens",
    "output_token_count": "output_tokens",
    "latency": "latency_seconds",
}
"""The official keys of what an answer took, and the fields of a step that they come from."""


@dataclass(frozen=True, slots=True)
class Target:
    """The model as the official tool knows it."""

    name: str
    form: AnswerForm  # in which its handler stores calls
    style: NameStyle  # how functions are named in them


def result_line(response: Response, entry: Entry, target: Target) -> str:
    """The line of an answered `response` to `entry`, in ASCII, without its end."""
    result = json.loads(response.result_json or "null")
    if CATEGORIES[response.category].single_turn:
        stored = target.form.restore(_renamed(result, response, entry, target.style))
        taken = _of_one_turn(response)
    else:
        stored = _of_steps(result, target.form)
        taken = _by_turn(response, len(result) if isinstance(result, list) else 0)
    return json.dumps({"id": response.entry_id, "result": stored, **taken})


def _of_steps(result: Json, form: AnswerForm) -> Json:
    """A conversation of turns of steps, each step restored."""
    if not isinstance(result, list):
        return result
    return [[form.restore(step) for step in turn] if isinstance(turn, list) else turn for turn in result]


def _renamed(result: Json, response: Response, entry: Entry, style: NameStyle) -> Json:
    """Native calls with the functions of the entry named in `style`; text stays.

    Only functions of single-turn entries have dots in their names.
    """
    given = response.name_style or default_style(response.mode)
    if response.mode is not Mode.FC or given is style or not isinstance(result, list):
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


def _of_one_turn(response: Response) -> dict[str, Json]:
    """What the one exchange took; null where it is not told."""
    taken = response.steps[0] if response.steps else response
    return {key: getattr(taken, field) for key, field in _NUMBERS.items()}


def _by_turn(response: Response, turns: int) -> dict[str, Json]:
    """What each exchange took, by turn and step; null where it is not told. Nothing of unknown steps."""
    if not response.steps:
        return {}
    turns = max(turns, response.steps[-1].turn + 1)
    steps = [[step for step in response.steps if step.turn == turn] for turn in range(turns)]
    return {
        key: [[getattr(step, field) for step in turn] for turn in steps] for key, field in _NUMBERS.items()
    }
