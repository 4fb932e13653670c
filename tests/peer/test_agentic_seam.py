"""The verdict seam, agentic: our verdicts on memory and web answers equal the official ones, one by one."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import DecodeFailure, Entry, Json, Mode
from bfcl_pipeline.dialogue.calls import decode_step
from tests.peer.peer import require_peer
from tests.peer.recorded import Seam
from tests.peer.variants import Case
from tests.peer.verdict_seam import compared, our_verdicts

EACH = "BFCL_AGENTIC_EACH"
"""Environment variable with the number of answers to each entry; default: 12."""

AGENTIC = tuple(name for name, category in CATEGORIES.items() if category.group == "agentic")
KINDS = ("valid", "agentic:answer_not_found", "agentic:inference_error", "agentic:no_last_message")

_AROUND = (
    "{}",
    "{{'answer': {0!r}, 'context': 'as told'}}",
    '{{"answer": "{0}", "context": null}}',
    "I think it is {}.",
    "not{}",
    "{}s",
    "({})",
    "-{}-",
    "x {} y",
    "{}{}",
    "first\n{}\nlast",
    "'{}'",
    "_{}_",
    "[{}]",
    "f(x={0!r})",
)


def _changed(answer: str, draw: random.Random) -> str:
    """The answer in other words: case, punctuation, spaces, cut, doubled, letters swapped."""
    match draw.randrange(9):
        case 0:
            return answer.upper()
        case 1:
            return answer.replace(" ", "-").replace("'", '"')
        case 2:
            return "".join(f"{letter}{draw.choice(['', '', '', '.', ',', '*'])}" for letter in answer)
        case 3:
            return answer[: draw.randrange(len(answer) + 1)]
        case 4:
            return answer.replace(" ", "  ")
        case 5:
            return answer + draw.choice([" ", "é", "1", "_", "'s", "\u2019s", "%"])
        case 6:
            return answer[::-1]
    return answer


def _message(entry: Entry, draw: random.Random) -> str:
    return draw.choice(_AROUND).format(*[_changed(draw.choice(entry.truth), draw)] * 2)


def _step(entry: Entry, mode: Mode, draw: random.Random) -> Json:
    name = draw.choice(entry.functions)["name"]
    if draw.random() < 0.5:
        return [{name: '{"query": "x"}'}] if mode is Mode.FC else f"[{name}(query='x')]"
    return draw.choice(["", "text", [], _message(entry, draw), [{name: "{"}], [_message(entry, draw)]])


def _results(entry: Entry, mode: Mode, draw: random.Random, each: int) -> Iterator[Json]:
    yield [[_message(entry, draw)]]
    for _ in range(each - 1):
        steps = [_step(entry, mode, draw) for _ in range(draw.randrange(4))]
        steps.append(_message(entry, draw) if draw.random() < 0.7 else _step(entry, mode, draw))
        if mode is Mode.PROMPT:
            steps = [step if isinstance(step, str) else json.dumps(step) for step in steps]
        odd = draw.randrange(25)
        yield {0: [], 1: [steps, steps], 2: "Error during inference", 3: [[]]}.get(odd, [steps])


def _cases(asked: list[Entry], each: int) -> Iterator[Case]:
    for entry in asked:
        for mode in Mode:
            draw = random.Random(f"{entry.entry_id} {mode} 0")
            for result in _results(entry, mode, draw, each):
                yield Case(entry.entry_id, entry.category, mode, None, json.dumps(result), "answer")


def test_verdicts_on_agentic_answers_equal_the_official_ones(
    entries: Callable[[str], list[Entry]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For answers derived from every question's truth, in both modes, valid and error_type equal the
    official ones."""
    require_peer()
    asked = [entry for name in AGENTIC for entry in entries(name) if not entry.prerequisite]
    generated = list(_cases(asked, int(os.environ.get(EACH, "12"))))
    ours = our_verdicts(asked, generated)
    official = Seam("agentic_verdicts", "agentic_reference").answers(
        [_row(case) for case in generated], ours, tmp_path
    )
    comparison = compared("verdict seam, agentic", generated, official, ours)
    with capsys.disabled():
        print(comparison.summary())
    comparison.check()
    assert len(generated) >= 12_000
    assert all(comparison.kinds[kind] >= 100 for kind in KINDS)


def test_prompted_calls_are_not_messages() -> None:
    """Text that the seam writes as a call is decoded as a call, not as a message."""
    assert not isinstance(decode_step("[f(query='x')]", Mode.PROMPT), DecodeFailure)


def _row(case: Case) -> dict[str, Any]:
    return {
        "entry_id": case.entry_id,
        "category": case.category,
        "mode": case.mode.value,
        "result_json": case.result_json,
    }
