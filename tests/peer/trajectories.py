"""Conversations for every multi-turn entry in the official result form; deterministic.

Covers the choice of conversations, their form in each mode, and texts between or instead of calls;
`trajectory_changes` changes the calls. The first conversation in each mode is the unchanged truth. The same
entries and seed give the same conversations in the same order, with any hash seed and in any process.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bfcl_pipeline.benchmark.records import Call, Entry, Json, Mode, NameStyle
from bfcl_pipeline.dialogue.calls import executed_text
from tests.peer.trajectory_changes import change
from tests.peer.trajectory_draft import Draft, Sources, Turns, draft
from tests.peer.variants import Case

STYLES = {Mode.FC: NameStyle.UNDERSCORED, Mode.PROMPT: NameStyle.DOTTED}

CHAT = (
    "", "Done.", "I have no function for this. Which file do you mean?", "None", "[]", "[[]]", "{}", "5",
    "...", "I will call pwd() now.", "[pwd(]", "[ls(a=)]", "ls", "'ls()'", '[{"ls": "{}"}]',
    "```json\n[]\n```", "<tool_call>ls()</tool_call>", "a.b", "[lambda: ls()]", "[ls() for _ in x]", "É(",
    "\u0000", "\ud800",
)  # fmt: skip
"""Steps without a call that can be read, in either mode; some look like one."""

BROKEN_NATIVE: Sequence[Json] = (
    [], [{}], {}, None, 5, True, [None], [[]], ["ls"], [[{"ls": "{}"}]], [{"ls": "{"}], [{"ls": ""}],
    [{"ls": "[]"}], [{"ls": "null"}], [{"ls": None}], [{"ls": []}], [{"ls": '{"a": 1'}], [{}, {}],
)  # fmt: skip

GARBAGE: Sequence[Json] = (
    "", "Error during inference: the context is too long", "[ls()]", None, 5, True, {}, {"ls": "{}"}, [],
    [[]], [[[]]], [[], [], [], [], [], [], [], [], []],
)  # fmt: skip
"""Results that are not lists of turns, or have another number of turns than the entry."""

ODD_TURNS: Sequence[Json] = (
    "", "Error during inference.", "[ls()]", "5", {}, {"ls": "{}"}, {"[pwd()]": 1, "[ls()]": 2}, None, 5,
)  # fmt: skip
"""Turns that are not lists of steps; the official runner crashes on the last two and iterates over the
others."""


def trajectories(entries: Iterable[Entry], each: int, seed: int = 0) -> Iterator[Case]:
    """`each` conversations for every entry, entry by entry, in both modes in turn."""
    entries = list(entries)
    sources = Sources(entries)
    for entry in entries:
        rng = random.Random(f"{seed}:{entry.entry_id}")
        for number in range(each):
            mode = Mode.FC if number % 2 == 0 else Mode.PROMPT
            yield _case(draft(entry, sources, rng, nests=mode is Mode.PROMPT), mode, plain=number < 2)


def _case(drafted: Draft, mode: Mode, *, plain: bool) -> Case:
    rng, entry = drafted.rng, drafted.entry
    names: list[str] = []
    if not plain:
        names = change(drafted, rng.choices((0, 1, 2, 3), (2, 6, 3, 1))[0])
    result, marks = _written(drafted.turns, mode, rng, plain=plain)
    kind = "truth" if plain else "+".join([*names, *marks]) or "unchanged"
    return Case(entry.entry_id, entry.category, mode, STYLES[mode], json.dumps(result), kind)


def _written(turns: Turns, mode: Mode, rng: random.Random, *, plain: bool) -> tuple[Json, list[str]]:
    """The conversation as JSON, and the names of the changes made while writing it."""
    write = _native if mode is Mode.FC else _prompted
    result: list[Any] = [[write(step, rng, plain) for step in turn] for turn in turns]
    if plain:
        return result, []
    marks = []
    if rng.random() < 0.4:
        marks.append("chat")
        for turn in result:
            if rng.random() < 0.6:
                turn.insert(rng.randint(0, len(turn)), _chat(mode, rng))
    if result and rng.random() < 0.02:
        marks.append("odd_turn")
        result[rng.randrange(len(result))] = rng.choice(ODD_TURNS)
    if rng.random() < 0.03:
        return rng.choice(GARBAGE), [*marks, "garbage"]
    return result, marks


def _chat(mode: Mode, rng: random.Random) -> Json:
    return rng.choice(BROKEN_NATIVE) if mode is Mode.FC and rng.random() < 0.5 else rng.choice(CHAT)


def _native(calls: Sequence[Call], rng: random.Random, plain: bool) -> Json:
    items: list[Json] = [{call.name: json.dumps(call.arguments)} for call in calls]
    if plain or rng.random() < 0.8:
        return items
    match rng.randrange(5):
        case 0:  # arguments that are not text
            return [{call.name: call.arguments} for call in calls]
        case 1 if len({call.name for call in calls}) == len(calls):  # all calls in one item
            return [{name: text for item in items for name, text in item.items()}]
        case 2 if len(calls) == 1:  # no list around the item
            return items[0]
        case 3 if items:  # one item that cannot be read spoils the step
            return [*items, rng.choice(({"ls": "{"}, "ls", None, {"ls": "[1]"}, {}))]
    return [{call.name: json.dumps(call.arguments, ensure_ascii=False, indent=1)} for call in calls]


def _prompted(calls: Sequence[Call], rng: random.Random, plain: bool) -> str:
    text = ", ".join(map(executed_text, calls))
    if plain or rng.random() < 0.7:
        return f"[{text}]"
    match rng.randrange(8):
        case 0:
            return text
        case 1:
            return f"```\n[{text}]\n```"
        case 2:
            return f"  [{text}]\n"
        case 3:
            return f"[{text}"
        case 4:
            return f"Here you are: [{text}]"
        case 5:
            return f"[\n    {text},\n]"
        case 6:
            return f"[{text}, ls(]"
    return f"[{', '.join(_positional(call) for call in calls)}]"


def _positional(call: Call) -> str:
    """The call with its first argument by position, where it is lost."""
    written = executed_text(call)
    first = next(iter(call.arguments), None)
    opening = f"{call.name}({first}="
    return f"{call.name}({written.removeprefix(opening)}" if written.startswith(opening) else written
