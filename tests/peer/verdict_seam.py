"""Compares our verdicts with the official ones and reports differences.

Covers the comparison, its summary table and the documented exceptions, for the tests of the verdict seam.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check, Language
from bfcl_pipeline.benchmark.records import Entry, Mode, Rules
from bfcl_pipeline.dialogue.calls import limits
from bfcl_pipeline.judge.scoring import Judge
from tests.peer.variants import Case

SHOWN = 20


@dataclass(frozen=True, slots=True)
class ArguedException:
    """Outputs that we may refuse to read although the official code reads them, and why."""

    reason: str  # for a person
    applies: Callable[[Case], bool]  # of the output alone, never of the two verdicts


def _texts(case: Case) -> list[str]:
    """The texts that the decoder reads: the whole text, or the arguments of each native call."""
    result = json.loads(case.result_json)
    if isinstance(result, str):
        return [result]
    items = result if isinstance(result, list) else []
    return [str(value) for item in items if isinstance(item, dict) for value in item.values()]


def _is_deep(case: Case) -> bool:
    return any(_depth(text) > limits.MAX_DEPTH for text in _texts(case))


def _depth(text: str) -> int:
    depth = deepest = 0
    for bracket in re.findall(r"[\[\](){}]", text):
        depth = depth + 1 if bracket in "([{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


def _is_long_grammar_text(case: Case) -> bool:
    if CATEGORIES[case.category].language is Language.PYTHON or case.mode is Mode.FC:
        return False
    return any(len(text) > limits.MAX_GRAMMAR_TEXT for text in _texts(case))


_ARITHMETIC = (
    ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.List, ast.Tuple, ast.expr_context,
)  # fmt: skip


def _needs_evaluation(case: Case) -> bool:
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


EXCEPTIONS: dict[str, ArguedException] = {
    "evaluation": ArguedException(
        "the official decoder hands the operation to the Python interpreter; we never do, and our "
        "arithmetic knows bounded numbers, text, lists and tuples only",
        _needs_evaluation,
    ),
    "depth": ArguedException(
        f"more than {limits.MAX_DEPTH} brackets are open at once, which we refuse to parse", _is_deep
    ),
    "length": ArguedException(
        f"more than {limits.MAX_GRAMMAR_TEXT:,} characters of Java or JavaScript, which we refuse to parse",
        _is_long_grammar_text,
    ),
}
"""Every documented exception, by name."""


@dataclass
class Comparison:
    """Verdicts side by side, counted."""

    counts: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)  # by category and mode
    excepted: Counter[str] = field(default_factory=Counter)  # disagreements by documented exception
    error_types: Counter[str] = field(default_factory=Counter)  # official ones; "valid" and crashes too
    disagreements: list[str] = field(default_factory=list)  # each in full, for a person

    def add(self, case: Case, official: Mapping[str, Any], ours: Mapping[str, Any]) -> None:
        """Counts one output. If the official code crashes, our verdict must only be not valid."""
        counts = self.counts.setdefault((case.category, case.mode), Counter())
        counts["compared"] += 1
        kind = official.get("error_type") or (
            "valid" if official.get("valid") else f"no verdict: {official}"
        )
        self.error_types[kind] += 1
        if "valid" in official:
            agree = official == ours
        else:
            counts["crashes"] += 1
            agree = ours["valid"] is False
        if agree:
            return
        argued = (name for name, exception in EXCEPTIONS.items() if exception.applies(case))
        name = next(argued, None) if refused(case.category, ours) else None
        if name is not None:
            counts["excepted"] += 1
            self.excepted[name] += 1
            return
        counts["disagree"] += 1
        self.disagreements.append(_described(case, official, ours))

    def summary(self) -> str:
        """A table of the number of comparisons, by category and mode."""
        rows = [*self.counts.items(), (("total", ""), sum(self.counts.values(), Counter()))]
        columns = ("compared", "disagree", "excepted", "crashes")
        lines = [f"{'category':<24}{'mode':<8}" + "".join(f"{column:>10}" for column in columns)]
        for (category, mode), counts in rows:
            lines.append(
                f"{category:<24}{mode:<8}" + "".join(f"{counts[column]:>10,}" for column in columns)
            )
        for name, count in self.excepted.items():
            lines.append(f"excepted, {name}: {count:,} ({EXCEPTIONS[name].reason})")
        return "\n".join(["", "verdict seam (crashes: of the official code)", *lines])

    def shown(self) -> str:
        """The first disagreements in full."""
        return "\n\n".join(self.disagreements[:SHOWN])


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
