"""The answers of a scripted model in a conversation, deterministic: calls of the truth and many variations.

Covers answers with calls (those of the truth, in one step or several; unknown, refused and held-out
functions, wrong arguments, text that names methods), answers without calls (text, empty, undecodable), and
turns with so many steps that the conversation is ended. A script is a list of answers without the ends of
turns: if one side ends a turn elsewhere, all later requests differ, which the comparison detects.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bfcl_pipeline.benchmark.definition import ReturnFormat
from bfcl_pipeline.benchmark.records import Call, Entry, Json, Mode
from bfcl_pipeline.dialogue.calls import write_calls
from bfcl_pipeline.dialogue.prompts import WireFormat
from bfcl_pipeline.judge.scoring.multi_turn import truth_calls

OVERLONG = 0.06
"""The part of the scripts in which one turn has more steps than a conversation may have."""

_TEXTS = (
    "Done.",
    "Which folder do you mean?",
    "Fertig – ça y est ✓",
    "cd(folder='x') did it.",
    'It\'s "so".\n',
)
_UNDECODABLE = (
    "I would call ls().",
    "[ls(",
    "```python\n[pwd()]\n```",
    "[ls(a=1), 'text']",
    "Let me look. [pwd()]",
    "None",
    "[pwd(), ls(a=open)(b=1)",
)
_EMPTY_LISTS = ("[]", "```[ ]```", " [\n] ")
_BROKEN_ARGUMENTS = ("{", "", "[1]", "null", '"x"', "{'a': 1}")
_ODD_VALUES: tuple[Json, ...] = (
    None,
    True,
    -1,
    2.5,
    "",
    "it's",
    [],
    ["a", 1],
    {"a": 1},
    {"a": {"b": [None]}},
)
_REFUSED = ("kill", "exit", "remove", "run", "os.popen")


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the scripted model."""

    text: str | None = None
    calls: tuple[tuple[str, str], ...] | None = None  # names and arguments as JSON text; not in prompt mode


def script(entry: Entry, mode: Mode, wire: WireFormat, seed: int = 0) -> list[Answer]:
    """The answers of one conversation over `entry`, limited to those that `wire` can express."""
    rng = random.Random(f"{seed} {entry.entry_id} {mode} {wire}")
    turns = truth_calls(entry)
    overlong = rng.randrange(len(turns)) if rng.random() < OVERLONG else None
    answers: list[Answer] = []
    for turn, truth in enumerate(turns):
        steps = list(_steps(rng, entry, turn, truth))
        if turn == overlong:
            steps += [_deviation(rng, entry, turn, truth) for _ in range(rng.randint(19, 24) - len(steps))]
        answers += [with_calls(rng, mode, calls) for calls in steps]
        answers.append(without_calls(rng, mode, wire))
    return answers


def _steps(rng: random.Random, entry: Entry, turn: int, truth: Sequence[Call]) -> Iterator[list[Call]]:
    """The calls of the truth in order, in one step or several; here and there a step of others between."""
    left = list(truth)
    while left:
        if rng.random() < 0.3:
            yield _deviation(rng, entry, turn, truth)
        size = rng.choice((1, 1, 2, len(left)))
        yield left[:size]
        left = left[size:]
    if rng.random() < 0.3:
        yield _deviation(rng, entry, turn, truth)


def _deviation(rng: random.Random, entry: Entry, turn: int, truth: Sequence[Call]) -> list[Call]:
    """One to three calls that the truth does not have."""
    return [_deviating_call(rng, entry, turn, truth) for _ in range(rng.choice((1, 1, 2, 3)))]


def _deviating_call(rng: random.Random, entry: Entry, turn: int, truth: Sequence[Call]) -> Call:
    function = rng.choice(entry.functions)
    parameters = list(function["parameters"]["properties"])
    call = rng.choice([*truth, Call(function["name"], dict.fromkeys(parameters, "a"))])
    arguments = dict(call.arguments)
    held_out = [doc["name"] for later, docs in entry.held_out.items() if turn < int(later) for doc in docs]
    if held_out and rng.random() < 0.5:
        return Call(rng.choice(held_out), arguments)
    match rng.randrange(7):
        case 0:
            return Call(rng.choice(("no_such_function", "functions.ls", "Ls")), arguments)
        case 1:
            return Call(rng.choice(_REFUSED), arguments)
        case 2:
            return Call(call.name, {**arguments, "unexpected": rng.choice(_ODD_VALUES)})
        case 3:
            return Call(call.name, dict(list(arguments.items())[1:]))
        case 4:
            return Call(call.name, {name: rng.choice(_ODD_VALUES) for name in arguments})
        case 5:
            told = f"see {function['name']} (1) and that (2)"
            return Call(call.name, dict.fromkeys(arguments, told))
        case _:
            return Call(call.name, {name: Call(function["name"], {"a": 1}) for name in arguments})


def with_calls(rng: random.Random, mode: Mode, calls: Sequence[Call]) -> Answer:
    """An answer that makes `calls`, in the form of `mode`."""
    if mode is Mode.FC:
        named = tuple((call.name, _native_arguments(call)) for call in calls)
        return Answer(rng.choice((None, None, "", "Let me see: é.")), named)
    text = write_calls(calls, ReturnFormat.PYTHON)
    return Answer(rng.choice((text, text, text[1:-1], f"```\n{text}\n```")))


def _native_arguments(call: Call) -> str:
    """The arguments as JSON text, with a mapping in place of each nested call."""
    arguments = {
        name: {value.name: value.arguments} if isinstance(value, Call) else value
        for name, value in call.arguments.items()
    }
    return json.dumps(arguments, ensure_ascii=False)


def without_calls(rng: random.Random, mode: Mode, wire: WireFormat) -> Answer:
    """An answer that ends a turn."""
    kind = rng.random()
    if kind < 0.6:
        return Answer(rng.choice(_TEXTS))
    if kind < 0.75:  # the official Anthropic handler stops with an error if a prompted answer has no text
        said_nothing = wire is not WireFormat.ANTHROPIC or mode is Mode.FC
        return Answer(rng.choice(("", None)) if said_nothing else "")
    if mode is Mode.PROMPT:
        return Answer(rng.choice(_UNDECODABLE + _EMPTY_LISTS))
    if wire not in (WireFormat.OPENAI_CHAT, WireFormat.OPENAI_RESPONSES):
        return Answer(rng.choice(_UNDECODABLE))  # such an API makes no calls that cannot be read
    if wire is WireFormat.OPENAI_CHAT and kind < 0.85:
        return Answer(rng.choice((None, "Done.")), ())  # an empty list of calls, as some servers send
    broken = ("ls", rng.choice(_BROKEN_ARGUMENTS))
    return Answer(None, rng.choice(((broken,), (("ls", "{}"), broken))))
