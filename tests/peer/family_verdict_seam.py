"""Compares what is read from answers of open weights, and the verdicts on it, with the official ones.

Covers our side, the comparison, its summary and the closed list of argued differences, for the tests of the
verdict seam of families.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Json, Mode, Response, Rules
from bfcl_pipeline.dialogue.calls import decode_step, executed_text
from bfcl_pipeline.dialogue.families import READERS
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.world.tools import Constants
from tests.peer.comparison import Argued, Comparison
from tests.peer.family_answers import FamilyCase
from tests.peer.variants import Case
from tests.peer.verdict_seam import is_deep, is_long_grammar_text, needs_evaluation, refused

EVALUATING = ("ArchHandler", "Granite3FCHandler", "LlamaHandler_3_1", "MiniCPMFCHandler", "PhiFCHandler")
"""Official handlers that evaluate a text, or a part of it, as Python while they read it."""


def _texts(case: FamilyCase) -> list[str]:
    return (
        [case.answer] if isinstance(case.answer, str) else [text for turn in case.answer for text in turn]
    )


def _has_operations(case: FamilyCase, _official: Mapping[str, Any], _ours: Mapping[str, Any]) -> bool:
    """Operations in a prompted text that only an interpreter can do."""
    if case.asked.row.mode is Mode.FC:
        return False
    return any(needs_evaluation(as_prompted(case, text)) for text in _texts(case))


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
        lambda case, official, _ours: "unread" in official and not isinstance(case.answer, str),
        1200,
    ),
    "words that run": Argued(
        "the official handler runs parts that are not JSON as Python, sentences too; here such a part is "
        "the name of a function that does not exist",
        _runs_words,
        1500,
    ),
    "operations": Argued(
        "the official decoder of prompted answers hands an operation in it to the Python interpreter, as "
        "in the other seam of verdicts; nothing is evaluated here",
        _has_operations,
        160,
    ),
    "evaluated answers": Argued(
        "the official handler hands its answer, or a part of it, to the Python interpreter; nothing is "
        "evaluated here",
        _is_evaluated,
        60,
    ),
    "values of Python": Argued(
        "the official handler keeps tuples and other values that JSON lacks, which are text here; neither "
        "is right",
        _has_python_values,
        40,
    ),
    "bounds": Argued(
        "a text is nested deeper or longer than we read",
        lambda case, _official, _ours: any(
            is_deep(prompted) or is_long_grammar_text(prompted)
            for prompted in (as_prompted(case, text) for text in _texts(case))
        ),
        30,
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


def compared(
    cases: Iterable[FamilyCase],
    official: Iterable[Mapping[str, Any]],
    ours: Iterable[Mapping[str, Any]],
) -> Comparison[str]:
    """What both sides made of answers, by official handler."""
    comparison = Comparison[str]("verdict seam of families", ARGUED)
    for case, theirs, own in zip(cases, official, ours, strict=True):
        kind = theirs.get("error_type") or ("valid" if theirs.get("valid") else "no verdict: crash")
        differs = list(_differences(theirs, own))
        told = _described(case, differs, theirs, own) if differs else None
        comparison.add(case.asked.handler, kind, told, case, theirs, own)
    return comparison


def _differences(official: Mapping[str, Any], ours: Mapping[str, Any]) -> Iterator[str]:
    if "valid" not in official:
        if ours["valid"]:
            yield "no verdict"
        return
    if (official["valid"], official["error_type"]) != (ours["valid"], ours["error_type"]):
        yield "verdict"
    if "unread" in official:
        return
    if official["stored"] != ours["stored"]:
        yield "stored"
    steps = zip(official.get("executed", ()), ours.get("executed", ()), strict=True)
    if not all(same_calls(theirs, own) for theirs, own in steps):
        yield "calls"


def _described(
    case: FamilyCase, differs: Sequence[str], official: Mapping[str, Any], ours: Mapping[str, Any]
) -> str:
    return (
        f"{case.asked.handler} {case.entry_id} ({case.kind}): {', '.join(differs)}\n"
        f"  official {dict(official)}\n  ours     {dict(ours)}\n  {json.dumps(case.answer)[:2000]}"
    )
