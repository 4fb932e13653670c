"""Our verdicts and the official ones: documented exceptions and the comparison of the verdict seam."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check, Language
from bfcl_pipeline.benchmark.records import Entry, Mode, Rules
from bfcl_pipeline.dialogue.calls import limits
from bfcl_pipeline.judge.scoring import Judge
from tests.peer.comparison import Argued, Comparison
from tests.peer.variants import Case


def _texts(case: Case) -> list[str]:
    """The texts that the decoder reads: the whole text, or the arguments of each native call."""
    result = json.loads(case.result_json)
    if isinstance(result, str):
        return [result]
    items = result if isinstance(result, list) else []
    return [str(value) for item in items if isinstance(item, dict) for value in item.values()]


def is_deep(case: Case) -> bool:
    return any(_depth(text) > limits.MAX_DEPTH for text in _texts(case))


def _depth(text: str) -> int:
    depth = deepest = 0
    for bracket in re.findall(r"[\[\](){}]", text):
        depth = depth + 1 if bracket in "([{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


def is_long_grammar_text(case: Case) -> bool:
    if CATEGORIES[case.category].language is Language.PYTHON or case.mode is Mode.FC:
        return False
    return any(len(text) > limits.MAX_GRAMMAR_TEXT for text in _texts(case))


_ARITHMETIC = (
    ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.List, ast.Tuple, ast.expr_context,
)  # fmt: skip


def needs_evaluation(case: Case) -> bool:
    """An operation on more than numbers, text, lists and tuples, which only an interpreter can do."""
    if case.mode is Mode.FC:
        return False
    return any(_goes_beyond(operation) for text in _texts(case) for operation in _operations(text))


def _operations(text: str) -> list[ast.BinOp]:
    text = text.rpartition("</think>")[2].strip("`\n ")
    tagged = re.search(r"<TOOLCALL>(.*?)</TOOLCALL>", text, re.DOTALL)
    text = (tagged[1] if tagged else text).strip().strip("'")
    text = text if text.startswith("[") else f"[{text}"
    try:
        tree = ast.parse(text if text.endswith("]") else f"{text}]", mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.BinOp)]


def _goes_beyond(operation: ast.BinOp) -> bool:
    match operation:
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str())):
            return True
        case ast.BinOp(
            op=ast.Pow(), left=ast.Constant(value=int(base)), right=ast.Constant(value=int(power))
        ):
            return base.bit_length() * power > limits.MAX_BITS
    nodes = list(ast.walk(operation))
    has_bytes = any(isinstance(node, ast.Constant) and isinstance(node.value, bytes) for node in nodes)
    return has_bytes or not all(isinstance(node, _ARITHMETIC) for node in nodes)


EXCEPTIONS: Mapping[str, Argued] = {
    "evaluation": Argued(
        "the official decoder hands the operation to the Python interpreter; we never do, and our "
        "arithmetic knows bounded numbers, text, lists and tuples only",
        lambda case, ours: refused(case.category, ours) and needs_evaluation(case),
    ),
    "depth": Argued(
        f"more than {limits.MAX_DEPTH} brackets are open at once, which we refuse to parse",
        lambda case, ours: refused(case.category, ours) and is_deep(case),
    ),
    "length": Argued(
        f"more than {limits.MAX_GRAMMAR_TEXT:,} characters of Java or JavaScript, which we refuse to parse",
        lambda case, ours: refused(case.category, ours) and is_long_grammar_text(case),
    ),
}
"""Outputs that we refuse to read although the official code reads them: every documented exception."""


def compared(
    title: str,
    cases: Iterable[Case],
    official: Iterable[Mapping[str, Any]],
    ours: Iterable[Mapping[str, Any]],
) -> Comparison[str]:
    """The verdicts on outputs, by category and mode.

    Where the official code crashes, our verdict must only be not valid.
    """
    comparison = Comparison[str](title, EXCEPTIONS)
    for case, theirs, own in zip(cases, official, ours, strict=True):
        kind = theirs.get("error_type") or ("valid" if theirs.get("valid") else "no verdict: crash")
        agree = theirs == own if "valid" in theirs else own["valid"] is False
        told = None if agree else _described(case, theirs, own)
        comparison.add(f"{case.category} {case.mode}", kind, told, case, own)
    return comparison


def refused(category: str, ours: Mapping[str, Any]) -> bool:
    """Whether our verdict is that of an output that cannot be read."""
    if CATEGORIES[category].check is Check.IRRELEVANCE:
        return ours["valid"] is True
    return ours["error_type"] in ("ast_decoder:decoder_failed", "relevance_error:decoder_failed")


def _described(case: Case, official: Mapping[str, Any], ours: Mapping[str, Any]) -> str:
    return (
        f"{case.entry_id} {case.mode} {case.name_style} ({case.kind})\n"
        f"  official {dict(official)}\n  ours     {dict(ours)}\n  {case.result_json[:2000]}"
    )


def our_verdicts(entries: Iterable[Entry], cases: Iterable[Case]) -> list[dict[str, Any]]:
    """Our verdicts on `cases` under the official rules, in the official form."""
    judges = {entry.entry_id: Judge(entry) for entry in entries}
    verdicts = (judges[case.entry_id].verdict(case.response(), Rules.OFFICIAL) for case in cases)
    return [{"valid": verdict.valid, "error_type": verdict.error_type} for verdict in verdicts]
