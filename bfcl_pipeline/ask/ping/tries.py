"""What is tried: the entries of tries.yaml, the world that runs their calls, and when answers are right."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.yaml_reader import read_yaml_file
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Mode, NameStyle, Rules
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.world.tools import World
from bfcl_pipeline.world.tools.api import reads


class _Weather:
    state = None

    @reads
    def get_weather(self, city: str) -> dict[str, Any]:
        return {"city": city, "celsius": -7, "sky": "snow"}


def new_world() -> World:
    """The simulated world of one try."""
    return World({"Weather": _Weather()}, "ping")  # type: ignore[dict-item]  # nothing loads it


@dataclass(frozen=True, slots=True)
class Try:
    """One try."""

    name: str
    asked: str  # what is asked for, in words
    entry: Entry

    def problem(self, answers: Sequence[Exchange], mode: Mode, style: NameStyle | None) -> str:
        """What is wrong with the answers to its requests; empty if nothing is."""
        judged = self.entry
        if len(self.entry.turns) > 1:
            judged = replace(self.entry, category="simple_python")
            if not has_calls(answers[0], mode):
                return "Nothing was called, so there was no result to go on from."
            if answers[-1].request.turn == 0:
                return "It calls again although it was sent the result of its call."
        result = json.dumps(answers[-1].result)
        (verdict,) = Judge(judged).answer_verdicts(result, mode, style, (Rules.OFFICIAL,))
        return "" if verdict.valid else str(verdict.error_message)


def has_calls(answer: Exchange, mode: Mode) -> bool:
    """Whether calls were read of an answer."""
    calls = decode_step(answer.result, mode)
    return isinstance(calls, tuple) and bool(calls)


def named_calls(answer: Exchange) -> list[tuple[str, Json]]:
    """The names and arguments of native calls in an answer, readable or not; some APIs list texts, too."""
    items = answer.result if isinstance(answer.result, list) else []
    return [call for item in items if isinstance(item, Mapping) for call in item.items()]


def text_of(answer: Exchange) -> str:
    """The text of an answer, also beside its calls."""
    found = [answer.result, (answer.reply or {}).get("content")]
    found = [part for one in found for part in (one if isinstance(one, list) else [one])]
    return next((part for part in found if isinstance(part, str) and part), "")


@cache
def all_tries() -> tuple[Try, ...]:
    """The tries, in the order in which they are made."""
    data = read_yaml_file(Path(__file__).with_name("tries.yaml"))
    tries = []
    for row in data["tries"]:
        turns = tuple(({"role": "user", "content": text},) for text in row["turns"])
        functions = (data["functions"][row["function"]],)
        entry = Entry(f"ping_{row['category']}", row["category"], turns, functions, row["truth"])
        tries.append(Try(row["name"], row["asked"], entry))
    return tuple(tries)
