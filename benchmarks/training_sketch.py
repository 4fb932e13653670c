"""What the tiny policy of `training.py` reads of a request with one function, and the call that it writes.

A request is read as a sketch: the types of the function's required parameters, and, in the order of the
question, its numbers, names, lists, small words and the words that a parameter is named by. Each number,
name and list has a token of its own kind, which an answer repeats: one for each parameter. Optional
parameters are never given, so that sketches allow the right call for some entries only (`best`).
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.benchmark.records import Call, Json
from bfcl_pipeline.environments import ChatRequest, Episode

MOST = 6  # numbers, names, lists and parameters that have a token each
PAD, END, ASK, OTHER = "<pad>", "<end>", "=>", "?"
TYPES = ("integer", "number", "string", "boolean", "array", "object")
SMALL_WORDS = ("and", "from", "to", "of", "in", "with", "for", "at", "by", "between", "on", "is")
FLAGS: dict[str, Json] = {"true": True, "false": False}
NUMBERS, NAMES, LISTS, PARAMETERS = ([f"{kind}{place}" for place in range(MOST)] for kind in "nslp")
VOCABULARY = (PAD, END, ASK, OTHER, *TYPES, *SMALL_WORDS, *FLAGS, *NUMBERS, *NAMES, *LISTS, *PARAMETERS)

PIECES = re.compile(
    r"(?P<list>\[[-\d., ]+\])"
    r"|(?P<name>'[^']+'|\"[^\"]+\"|(?<![.?!] )(?<!^)[A-Z]\w*(?:,? [A-Z]\w*)*)"
    r"|(?P<number>-?\d[\d,]*(?:\.\d+)?%?)|(?P<word>\w+)"
)
FITTING = {"integer": "n", "number": "n", "string": "s", "boolean": "tf", "array": "l"}
"""By type, the first letters of the tokens whose values fit."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """A request as the policy reads it, and what the tokens of its answers stand for."""

    tokens: tuple[str, ...]
    function: str
    parameters: tuple[tuple[str, str], ...]  # the required ones: name and type
    values: Mapping[str, Json]  # by token of an answer

    def calls(self, answer: Sequence[str]) -> list[Call]:
        """The call that an answer stands for; none if it does not have one value for each parameter."""
        if len(answer) != len(self.parameters) or not set(answer) <= self.values.keys():
            return []
        pairs = zip(self.parameters, answer, strict=True)
        return [Call(self.function, {name: self.values[token] for (name, _), token in pairs})]

    def fitting(self) -> list[list[str]]:
        """For each parameter the tokens that fit its type; all if none does."""
        every = list(self.values)
        return [
            [token for token in every if token[0] in FITTING.get(kind, "nsl")] or every
            for _, kind in self.parameters
        ]


def sketch(request: ChatRequest) -> Sketch:
    """The sketch of a single-turn request with one function."""
    (tool,) = request.tools
    schema = tool["function"]["parameters"]
    required = [(name, schema["properties"][name]["type"]) for name in schema.get("required", ())]
    named = {part: place for place, (name, _) in enumerate(required) for part in name.lower().split("_")}
    tokens = [kind for _, kind in required[:MOST]]
    values = dict(FLAGS)
    for piece in PIECES.finditer(str(request.messages[-1]["content"])):
        text, kinds = piece.group(), {"list": LISTS, "name": NAMES, "number": NUMBERS}
        free = [token for token in kinds.get(piece.lastgroup or "", ()) if token not in values]
        if free:
            values[free[0]] = _value(text, piece.lastgroup)
            tokens.append(free[0])
        elif text.lower() in SMALL_WORDS:
            tokens.append(text.lower())
        elif named.get(text.lower(), MOST) < MOST:
            tokens.append(PARAMETERS[named[text.lower()]])
    known = [token if token in VOCABULARY else OTHER for token in tokens]
    return Sketch((*known, ASK), tool["function"]["name"], tuple(required), values)


def _value(text: str, kind: str | None) -> Json:
    """The value of a piece; a percentage as a share."""
    if kind == "list":
        return json.loads(text)
    if kind == "name":
        return text.strip("'\"")
    plain = text.replace(",", "")
    if plain.endswith("%"):
        return round(float(plain[:-1]) / 100, 9)
    return float(plain) if "." in plain else int(plain)


def earned(entry_id: str, answer: Sequence[str], data: Path) -> float:
    """The reward of an answer's tokens to an entry."""
    episode = Episode(entry_id, data=data)
    assert episode.request is not None
    episode.answer(sketch(episode.request).calls(answer) or "No call.")
    assert episode.reward is not None
    return episode.reward


def in_order(entry_id: str, drawn: Sketch, data: Path) -> float:
    """The reward of a rule: each parameter takes the next value that fits its type."""
    answer: list[str] = []
    for fitting in drawn.fitting():
        answer.append(next((token for token in fitting if token not in answer), fitting[0]))
    return earned(entry_id, answer, data)


def best(entry_id: str, drawn: Sketch, data: Path) -> float:
    """1 if values that fit their types can earn 1, else 0."""
    answers = itertools.islice(itertools.product(*drawn.fitting()), 2000)
    return max(earned(entry_id, answer, data) for answer in answers)
