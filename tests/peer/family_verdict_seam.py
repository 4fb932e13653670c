"""Compares what is read from answers of open weights, and the verdicts on it, with the official ones.

Covers our side, the comparison, its summary and the closed list of argued differences, for the tests of the
verdict seam of families.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Json, Mode, Response, Rules
from bfcl_pipeline.dialogue.calls import decode_step, executed_text
from bfcl_pipeline.dialogue.families import READERS
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.world.tools import Constants
from tests.peer.family_answers import FamilyCase
from tests.peer.variants import Case
from tests.peer.verdict_seam import EXCEPTIONS, refused

SHOWN = 20

EVALUATING = ("ArchHandler", "Granite3FCHandler", "LlamaHandler_3_1", "MiniCPMFCHandler", "PhiFCHandler")
"""Official handlers that evaluate a text, or a part of it, as Python while they read it."""


@dataclass(frozen=True, slots=True)
class Argued:
    """A kind of differences, and why they are right."""

    reason: str  # for a person
    most: int  # of all answers, with every one compared
    applies: Callable[[FamilyCase, Mapping[str, Any], Mapping[str, Any]], bool]  # to case, official, ours


def _texts(case: FamilyCase) -> list[str]:
    return (
        [case.answer] if isinstance(case.answer, str) else [text for turn in case.answer for text in turn]
    )


def _has_operations(case: FamilyCase, _official: Mapping[str, Any], _ours: Mapping[str, Any]) -> bool:
    """Operations in a prompted text that only an interpreter can do."""
    if case.asked.row.mode is Mode.FC:
        return False
    return any(EXCEPTIONS["evaluation"].applies(as_prompted(case, text)) for text in _texts(case))


def _is_evaluated(case: FamilyCase, official: Mapping[str, Any], ours: Mapping[str, Any]) -> bool:
    """A text of a handler that evaluates it, of which we read nothing."""
    return case.asked.handler in EVALUATING and ("executed" in official or refused(case.category, ours))


def _runs_words(case: FamilyCase, official: Mapping[str, Any], ours: Mapping[str, Any]) -> bool:
    """Parts that are not JSON, of the handler that runs them; all other calls are the same."""
    if case.asked.handler != "GraniteFunctionCallingHandler" or "executed" not in official:
        return False
    steps = zip(official["executed"], ours["executed"], strict=True)
    return all(same_calls(_named_words(theirs, own), own) for theirs, own in steps)


def _named_words(official: Sequence[str] | None, ours: Sequence[str] | None) -> list[str]:
    """The official calls with words as names of functions, as ours have them."""
    words = set(ours or ())
    return [f"{call}()" if f"{call}()" in words else call for call in official or ()]


def _has_python_values(case: FamilyCase, _official: Mapping[str, Any], ours: Mapping[str, Any]) -> bool:
    """Values of Python that JSON lacks, of the handler that keeps them."""
    if case.asked.handler != "MiniCPMFCHandler" or ours["valid"]:
        return False
    return any(map(_without_json, _texts(case)))


def _without_json(text: str) -> bool:
    block = text.partition("<|tool_call_start|>")[2].rpartition("<|tool_call_end|>")[0]
    try:
        tree = ast.parse(block.strip().strip("`").removeprefix("python").strip())
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return any(
        isinstance(node, ast.Tuple | ast.Set | ast.BinOp)
        or (isinstance(node, ast.Constant) and isinstance(node.value, bytes | complex))
        or (
            isinstance(node, ast.Dict)
            and not all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in node.keys)
        )
        for node in ast.walk(tree)
    )


def as_prompted(case: FamilyCase, text: str) -> Case:
    """A text as a case of the seam of prompted answers."""
    row = case.asked.row
    return Case(case.entry_id, case.category, row.mode, row.name_style, json.dumps(text), case.kind)


ARGUED: Mapping[str, Argued] = {
    "the entry ended": Argued(
        "the official handler raises while it takes an answer apart, and the tool stores an error for the "
        "whole conversation; here the text is an answer without calls",
        1200,
        lambda case, official, _ours: "unread" in official and not isinstance(case.answer, str),
    ),
    "words that run": Argued(
        "the official handler runs parts that are not JSON as Python, sentences too; here such a part is "
        "the name of a function that does not exist",
        1500,
        _runs_words,
    ),
    "operations": Argued(
        "the official decoder of prompted answers hands an operation in it to the Python interpreter, as "
        "in the other seam of verdicts; nothing is evaluated here",
        160,
        _has_operations,
    ),
    "evaluated answers": Argued(
        "the official handler hands its answer, or a part of it, to the Python interpreter; nothing is "
        "evaluated here",
        60,
        _is_evaluated,
    ),
    "values of Python": Argued(
        "the official handler keeps tuples and other values that JSON lacks, which are text here; neither "
        "is right",
        40,
        _has_python_values,
    ),
    "bounds": Argued(
        "a text is nested deeper or longer than we read",
        30,
        lambda case, _official, _ours: any(
            EXCEPTIONS[name].applies(as_prompted(case, text))
            for name in ("depth", "length")
            for text in _texts(case)
        ),
    ),
}
"""Every kind of differences; any other is a failure."""


def our_answers(
    entries: Iterable[Entry], constants: Constants, cases: Iterable[FamilyCase]
) -> Iterator[dict[str, Any]]:
    """What we make of `cases`, in the form of the reference."""
    judges = {entry.entry_id: Judge(entry, constants) for entry in entries}
    for case in cases:
        yield _our_answer(case, judges[case.entry_id])


def _our_answer(case: FamilyCase, judge: Judge) -> dict[str, Any]:
    row = case.asked.row
    reader = READERS[row.reader]
    runs = not isinstance(case.answer, str)
    turns = case.answer if runs else [[case.answer]]
    stored = [[reader.split(text, 1).stored for text in turn] for turn in turns]
    results = [[reader.uniform(each, runs) for each in turn] for turn in stored]
    response = Response(
        entry_id=case.entry_id,
        category=case.category,
        mode=row.mode,
        result_json=json.dumps(results if runs else results[0][0]),
        name_style=row.name_style,
    )
    verdict = judge.verdict(response, Rules.OFFICIAL)
    found: dict[str, Any] = {"stored": [_digest(each) for turn in stored for each in turn]}
    if runs:
        found["executed"] = [_executed(each, row.mode) for turn in results for each in turn]
    return {**found, "valid": verdict.valid, "error_type": verdict.error_type}


def _digest(value: Json) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def _executed(result: Json, mode: Mode) -> list[str] | None:
    calls = decode_step(result, mode)
    if isinstance(calls, DecodeFailure):
        return None
    return [executed_text(call) if mode is Mode.PROMPT else _native_text(call) for call in calls]


def _native_text(call: Call) -> str:
    """The text that official handlers of native calls write of one."""
    return f"{call.name}({','.join(f'{name}={value!r}' for name, value in call.arguments.items())})"


def same_calls(official: Sequence[str] | None, ours: Sequence[str] | None) -> bool:
    """Whether two steps run the same calls; a step that cannot be decoded runs none."""
    if not official or official == [""]:
        return not ours
    return ours is not None and list(map(_normal, official)) == list(map(_normal, ours))


def in_one_spelling(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer of either side in which the same calls have the same text."""
    if "executed" not in answer:
        return answer
    steps = [None if step in (None, [], [""]) else list(map(_normal, step)) for step in answer["executed"]]
    return {**answer, "executed": steps}


def _normal(call: str) -> str:
    """One spelling of the text of a call."""
    try:
        return ast.unparse(ast.parse(call, mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return call.replace(", ", ",")


@dataclass
class FamilyComparison:
    """What both made of answers, side by side, counted."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)  # by official handler
    error_types: Counter[str] = field(default_factory=Counter)  # official ones, and "valid"
    argued: Counter[str] = field(default_factory=Counter)  # by kind
    disagreements: list[str] = field(default_factory=list)  # each in full, for a person

    def add(self, case: FamilyCase, official: Mapping[str, Any], ours: Mapping[str, Any]) -> None:
        """Counts one answer."""
        counts = self.counts.setdefault(case.asked.handler, Counter())
        counts["compared"] += 1
        self.error_types[
            official.get("error_type")
            or ("valid" if official.get("valid") else "no verdict: the official code crashes")
        ] += 1
        differs = self._differences(official, ours)
        if not differs:
            counts["equal"] += 1
            return
        kind = next((name for name, each in ARGUED.items() if each.applies(case, official, ours)), None)
        counts["argued" if kind else "differ"] += 1
        if kind:
            self.argued[kind] += 1
        else:
            self.disagreements.append(_described(case, differs, official, ours))

    @staticmethod
    def _differences(official: Mapping[str, Any], ours: Mapping[str, Any]) -> list[str]:
        differs = []
        if "valid" not in official:
            return [] if not ours["valid"] else ["no verdict"]
        if official["valid"] != ours["valid"] or official["error_type"] != ours["error_type"]:
            differs.append("verdict")
        if "unread" in official:
            return differs
        if official["stored"] != ours["stored"]:
            differs.append("stored")
        steps = zip(official.get("executed", ()), ours.get("executed", ()), strict=True)
        if not all(same_calls(theirs, own) for theirs, own in steps):
            differs.append("calls")
        return differs

    def check(self) -> None:
        """Fails at a difference that is not argued, or if there are more of a kind than ever were."""
        assert not self.disagreements, self.shown()
        for kind, count in self.argued.items():
            assert count <= ARGUED[kind].most, f"{kind}: {count:,}"

    def summary(self) -> str:
        """A table of the number of comparisons, by official handler."""
        rows = [*sorted(self.counts.items()), ("total", sum(self.counts.values(), Counter()))]
        columns = ("compared", "equal", "argued", "differ")
        lines = [f"{'handler':<32}" + "".join(f"{column:>10}" for column in columns)]
        lines += [f"{name:<32}" + "".join(f"{counts[c]:>10,}" for c in columns) for name, counts in rows]
        lines += [
            f"argued, {name}: {count:,} ({ARGUED[name].reason})"
            for name, count in self.argued.most_common()
        ]
        lines += [f"{count:>10,}  {kind}" for kind, count in self.error_types.most_common()]
        return "\n".join(["", "verdict seam of families", *lines])

    def shown(self) -> str:
        """The first differences in full."""
        return "\n\n".join(self.disagreements[:SHOWN])


def _described(
    case: FamilyCase, differs: Sequence[str], official: Mapping[str, Any], ours: Mapping[str, Any]
) -> str:
    return (
        f"{case.asked.handler} {case.entry_id} ({case.kind}): {', '.join(differs)}\n"
        f"  official {dict(official)}\n  ours     {dict(ours)}\n  {json.dumps(case.answer)[:2000]}"
    )
