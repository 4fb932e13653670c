"""Answers of open weights for every entry, in the forms of their families, right and wrong; deterministic.

Covers the choice of calls and texts, single-turn and conversations; `family_forms` writes the calls. The
same entries and seed give the same answers in the same order, with any hash seed and in any process.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bfcl_pipeline.benchmark.config.families import FamilyRow
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Mode, NameStyle
from bfcl_pipeline.world.tools import Constants, WorldConfig
from tests.peer.family_forms import FORMS, python_list
from tests.peer.trajectories import CHAT, trajectories
from tests.peer.variant_calls import Calls, PlainCall, mutated, right_answer
from tests.peer.variant_text import restyled
from tests.peer.variants import prompted_text

TODAY = WorldConfig(Constants({})).today.isoformat()

OTHER_FORM = 0.05  # share of the answers in the form of another family
ODD_TEXT = 0.04  # share of the answers without calls, or with texts that are meant to harm

_THOUGHTS = (
    "<think>\n{}\n</think>\n\n",
    "<think>{}</think>",
    "{}\n</think>\n\n",
    "<think>\n\n</think>\n\n",
    "<think>{}\n",
    "\n\n<think>\n{}\n</think>\n",
    "{}</think>\n<think>again</think>",
    "<|thought_start|>\n{}\n<|thought_end|>\n",
    "<|thought_start|>{}",
    "</think>",
)

_MARKS = (
    "<tool_call>", "</tool_call>", "<tool_call>\n", "\n</tool_call>", "<|tool_call|>", "<|/tool_call|>",
    "<|tool_call_start|>", "<|tool_call_end|>", "<|python_tag|>", "<function_call>", "<escape>",
    "<start_function_call>", "<end_function_call>", "<think>", "</think>", "```", "```json", "```python",
    ";", "\n", "ASSISTANT:", "[TOOL_CALLS]", "<|im_end|>", "<|eot_id|>", "call:",
)  # fmt: skip

_ODD_TEXTS = (
    "I cannot do that.",
    "",
    " ",
    "\n",
    "No function is called",
    "no_function",
    '{"name": "no_function", "arguments": {}}',
    '<function_call> {"name": "no_function"}',
    "NAME",
    "NAME()",
    "NAME\n",
    "NAME\n{}",
    "NAME\nnull",
    "NAME\n[]",
    "NAME\n{",
    "NAME\n{}\n{}",
    "[]",
    "{}",
    "[{}]",
    "null",
    "5",
    "<tool_call>\n[]\n</tool_call>",
    "<tool_call></tool_call>",
    "<|tool_call|>",
    "<|tool_call|>[]<|/tool_call|>",
    "<start_function_call>call:NAME<end_function_call>",
    "<start_function_call>call:NAME{<end_function_call>",
    "<start_function_call>call:NAME{a:1,a:{b:[1,<escape>x<escape>]}<end_function_call>",
    "<|tool_call_start|>\n```python\n```\n<|tool_call_end|>",
    "<|tool_call_start|>1<|tool_call_end|>",
    # Texts that a reader would have to evaluate. Each is harmless for the reference, which evaluates some.
    '[dict(name="NAME", arguments=dict(a=1))]',
    '[dict(name="NAME", parameters=dict(a=1))]',
    'dict(name="NAME", parameters={})',
    "[{'name': 'NAME', 'parameters': {'a': 1 + 1}}]",
    "[{'name': 'NAME', 'parameters': {'a': len('abc')}}]",
    "{'name': 'NAME', 'parameters': {'a': True}}",
    "({'name': 'NAME', 'parameters': {}},)",
    "[{'name': 'NAME', 'parameters': {}} for _ in (1, 2)]",
    "{'name': 'NAME', 'parameters': {}} if True else []",
    "({'name': 'NAME', 'parameters': {}})",
    "<tool_call>\ndict(name='NAME', arguments={})\n</tool_call>",
    "<tool_call>\n{'name': 'NAME', 'arguments': {}}\n</tool_call>",
    "<tool_call>\n1\n</tool_call>",
    '<tool_call>\n"NAME"\n</tool_call>',
    '<tool_call>\n"1"\n</tool_call>',
    "<|tool_call|>[\"dict(name='NAME', arguments=dict())\"]<|/tool_call|>",
    '<|tool_call|>["exit()"]<|/tool_call|>',
    "<|tool_call|>[\"{'name': 'NAME', 'arguments': {'a': True}}\"]<|/tool_call|>",
    '<|tool_call|>["1/0"]',
    '<tool_call>["len(str())"]',
    "exit()",
    "1/0",
    "raise ValueError",
    "lambda: 0",
    "[x for x in ()]",
    "().__class__",
    # Texts at the bounds of readers.
    '[{"name": "NAME", "arguments": {"a": ' + "[" * 220 + "]" * 220 + "}}]",
    "<tool_call>\n" + "[" * 150 + "]" * 150 + "\n</tool_call>",
    "<tool_call>\n" * 300,
    "<|tool_call|>" * 300,
    "<start_function_call>call:NAME" + "{a:" * 300,
    ";" * 500,
    '[{"name": "NAME", "arguments": {"a": ' + "9" * 4200 + "}}]",
    '[{"name": "NAME", "parameters": {"a": 1e999}}]',
    "\u202e[]",
    "\ud800",
    "\x00",
)
"""Texts with the name of a function in place of NAME."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A family, and an official model of it."""

    row: FamilyRow
    model: str  # its name in the official list
    handler: str  # its official handler


@dataclass(frozen=True, slots=True)
class FamilyCase:
    """One answer and how it was made."""

    asked: Asked
    entry_id: str
    category: str
    answer: Any  # the model's text; of a conversation, a list of turns, each a list of texts
    kind: str  # names of the changes, for a person

    def question(self) -> dict[str, Any]:
        """The case as the reference reads it."""
        return {
            "model": self.asked.model,
            "entry_id": self.entry_id,
            "category": self.category,
            "answer": self.answer,
            "mode": "fc",  # for the loop of the references
            "today": TODAY,
        }


def single_turn_answers(
    entries: Iterable[Entry], families: Sequence[Asked], every: int, seed: int = 0
) -> Iterator[FamilyCase]:
    """An answer of each family to each entry; with `every`, to each of so many entries.

    Of a family, the sampled entries are others than of the next.
    """
    for number, entry in enumerate(entries):
        for place, asked in enumerate(families):
            restated = entry.prompt_format is not None  # asked of prompted models only
            if (number + place) % every == 0 and not (restated and asked.row.mode is Mode.FC):
                rng = random.Random(f"{seed}:{entry.entry_id}:{asked.row.name}")
                text, kind = _answer(entry, asked, rng)
                yield FamilyCase(asked, entry.entry_id, entry.category, text, kind)


def conversations(
    entries: Iterable[Entry], families: Sequence[Asked], every: int, seed: int = 0
) -> Iterator[FamilyCase]:
    """A conversation of each family over each multi-turn entry, or each of so many.

    Most of them are changed truths, a few are the truths.
    """
    for number, drawn in enumerate(_native_trajectories(entries, len(families), seed)):
        asked = families[number % len(families)]
        if (number // len(families) + number % len(families)) % every == 0:
            rng = random.Random(f"{seed}:{drawn.entry_id}:{asked.row.name}")
            turns = json.loads(drawn.result_json)
            if not isinstance(turns, list):
                continue
            answer = [
                [_step(step, asked, rng) for step in turn] if isinstance(turn, list) else [str(turn)]
                for turn in turns
            ]
            yield FamilyCase(asked, drawn.entry_id, drawn.category, answer, drawn.kind)


def recorded_answers(rows: Iterable[Mapping[str, Any]], families: Sequence[Asked]) -> Iterator[FamilyCase]:
    """Texts of single turns that real models wrote, each read by two families, drawn by its place.

    rows: with run, category, entry_id and result_json.
    """
    native = [asked for asked in families if asked.row.mode is Mode.FC]
    for number, row in enumerate(rows):
        text = json.loads(row["result_json"])
        if isinstance(text, list) and CATEGORIES[row["category"]].single_turn:
            calls = [{"name": name, "arguments": json.loads(value)} for name, value in _items(text)]
            text = json.dumps(calls)
        if isinstance(text, str) and CATEGORIES[row["category"]].single_turn:
            for asked in (families[number % len(families)], native[number % len(native)]):
                yield FamilyCase(asked, row["entry_id"], row["category"], text, row["run"])


def _items(calls: Any) -> list[tuple[str, str]]:
    """Names and arguments of calls in the native form; of none if an argument is not JSON."""
    items = [item for call in calls if isinstance(call, dict) for item in call.items()]
    return items if all(isinstance(text, str) and _is_json(text) for _, text in items) else []


def _native_trajectories(entries: Iterable[Entry], each: int, seed: int) -> Iterator[Any]:
    return (case for case in trajectories(entries, 2 * each, seed) if case.mode is Mode.FC)


def final_answers(
    entries: Iterable[Entry], families: Sequence[Asked], every: int, seed: int = 0
) -> Iterator[FamilyCase]:
    """An answer of each family to each memory or web question, or to each of so many: calls, then words."""
    for number, entry in enumerate(entries):
        for place, asked in enumerate(families):
            if (number + place) % every == 0:
                rng = random.Random(f"{seed}:{entry.entry_id}:{asked.row.name}")
                calls = right_answer(_without_truth(entry), rng)
                steps = [_written(calls, asked, rng) for _ in range(rng.randrange(3))]
                answer = rng.choice([*entry.truth, "I do not know"]) if entry.truth else "none"
                last = rng.choice(
                    ("{}", "The answer is {}.", "{{'answer': {!r}}}", "[{}]", '"{}"', "{}()", "{}\n{{}}")
                )
                steps.append(_dressed(last.format(answer), rng)[0])
                if rng.random() < 0.1:
                    steps.append(_written(calls, asked, rng))
                yield FamilyCase(asked, entry.entry_id, entry.category, [steps], "final")


def _without_truth(entry: Entry) -> Entry:
    return replace(entry, truth=None)


def _step(step: Any, asked: Asked, rng: random.Random) -> str:
    """The text of a step in the native form."""
    if not isinstance(step, list) or not all(isinstance(call, dict) and len(call) == 1 for call in step):
        return step if isinstance(step, str) else json.dumps(step)
    calls = [PlainCall(name, _arguments(value)) for call in step for name, value in call.items()]
    text = _written(calls, asked, rng)
    return _dressed(text, rng)[0] if rng.random() < 0.3 else text


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _arguments(value: Any) -> tuple[tuple[str, Any], ...]:
    try:
        read = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return ()
    return tuple(read.items()) if isinstance(read, dict) else ()


def _answer(entry: Entry, asked: Asked, rng: random.Random) -> tuple[str, str]:
    calls = right_answer(entry, rng)
    names: list[str] = []
    if rng.random() < ODD_TEXT:
        name = calls[0].name if calls else "f"
        return rng.choice(_ODD_TEXTS).replace("NAME", name), "odd_text"
    if rng.random() < 0.5:
        calls, names = mutated(calls, entry, rng, rng.choices((1, 2, 3), (5, 2, 1))[0])
    if asked.row.name_style is NameStyle.UNDERSCORED and rng.random() < 0.9:
        calls = [PlainCall(call.name.replace(".", "_"), call.arguments) for call in calls]
    if FORMS[asked.handler] == (python_list,):
        text = prompted_text(calls, entry, rng)
    else:
        text = _written(calls, asked, rng)
    if rng.random() < 0.4:
        text, more = _dressed(text, rng)
        names = [*names, *more]
    return text, "+".join(names)


def _written(calls: Calls, asked: Asked, rng: random.Random) -> str:
    handler = asked.handler if rng.random() >= OTHER_FORM else rng.choice(list(FORMS))
    return rng.choice(FORMS[handler])(calls, rng)


def _dressed(text: str, rng: random.Random) -> tuple[str, list[str]]:
    """`text` after a thought, with marks where they do not belong, restyled or cut."""
    names: list[str] = []
    if rng.random() < 0.35:
        inner = rng.choice((text, "I need to call it.", rng.choice(CHAT)))
        text = rng.choice(_THOUGHTS).replace("{}", inner) + text
        names.append("thought")
    if rng.random() < 0.35:
        at = rng.randrange(len(text) + 1)
        mark = rng.choice(_MARKS)
        text = rng.choice(
            (text[:at] + mark + text[at:], text.replace(mark, "", 1), f"{mark}{text}", f"{text}{mark}")
        )
        names.append("mark")
    text, restyles = restyled(text, rng, rng.choices((0, 1, 2), (3, 4, 1))[0])
    return text, [*names, *restyles]
