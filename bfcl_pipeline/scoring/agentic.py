"""The check of agentic entries: the answer is looked for in the last message that calls nothing.

Official rules want an acceptable answer anywhere in that message, between word boundaries. Corrected
rules want the `answer` field of the asked form to be exactly an acceptable answer, as the benchmark's own
posts on V4 say; both after the same normalisation. Source: the release's agentic checker and its
evaluation runner, and the posts on web search and memory.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from bfcl_pipeline.calls import decode_step
from bfcl_pipeline.errors import MalformedRelease
from bfcl_pipeline.records import DecodeFailure, Entry, Json, Mode, NameStyle, Rules
from bfcl_pipeline.scoring.findings import Finding, shown, shown_options

_IGNORED = re.compile(r"[,./\-_*^()]")
_ANSWER = re.compile(
    r"""['"]answer['"]\s*:\s*(?P<value>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^,}]*)""", re.DOTALL
)
_LONGEST = 100_000  # characters of a last message that are looked at for an answer field

_NO_TURN = Finding("agentic:inference_error", "Expected the steps of the one turn, in a list.")
_NO_MESSAGE = Finding("agentic:no_last_message", "Every message holds calls: there is no final answer.")


class AgenticChecker:
    """Checks the answers to one memory or web-search question."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

    @cached_property
    def acceptable(self) -> tuple[str, ...]:
        """The acceptable answers, normalised. Raises MalformedRelease if the entry has none."""
        truth = self._entry.truth
        if not isinstance(truth, list) or not all(isinstance(answer, str) for answer in truth):
            raise MalformedRelease(
                f"{self._entry.entry_id}: truth: expected a list of texts, got {truth!r:.80}. "
                "Stage the release again (bfcl-pipeline stage)."
            )
        return tuple(map(normalised, truth))

    def check(
        self,
        result: Json | DecodeFailure,
        mode: Mode,
        style: NameStyle,  # noqa: ARG002  # no function of an agentic API has a dot in its name
        rules: Sequence[Rules],
    ) -> list[Finding | None]:
        """What is wrong with one answer by each of `rules`: the results of the one turn's steps."""
        if not isinstance(result, list) or len(result) != 1:
            return [_NO_TURN] * len(rules)
        message = last_message(result[0], mode)
        if message is None:
            return [_NO_MESSAGE] * len(rules)
        return [self._check(message, one) for one in rules]

    def _check(self, message: str, rules: Rules) -> Finding | None:
        wanted = shown_options(self._entry.truth)
        if rules is Rules.OFFICIAL:
            found = normalised(message)
            if any(re.search(rf"\b{re.escape(answer)}\b", found) for answer in self.acceptable):
                return None
            return Finding(
                "agentic:answer_not_found", f"Expected {wanted} in the final message {shown(message)}."
            )
        return exact_answer(message, self.acceptable, wanted)


def exact_answer(message: str, acceptable: Sequence[str], wanted: str) -> Finding | None:
    """Rule `exact-answer`: official accepts an answer that is mentioned anywhere in the final message.

    Corrected takes the `answer` field of that message and wants it to be exactly an acceptable answer.
    """
    given = answer_field(message)
    if given is not None and normalised(given) in acceptable:
        return None
    got = "no `answer` field" if given is None else f"the answer {shown(given)}"
    return Finding("agentic:answer_not_found", f"Expected exactly {wanted}, got {got}.")


def last_message(steps: Json, mode: Mode) -> str | None:
    """The last message of a turn that holds no call; None if there is none, or if it is empty."""
    last: Any = None
    for step in steps if isinstance(steps, list) else ():
        calls = decode_step(step, mode)
        if isinstance(calls, DecodeFailure) or not calls:
            last = step
    if not last:
        return None
    if isinstance(last, list):
        last = last[0]
    return last if isinstance(last, str) else str(last)


def normalised(text: str) -> str:
    """`text` in lower case, without `,./-_*^()`, all quotes double."""
    return _IGNORED.sub("", text).lower().replace("'", '"')


def answer_field(message: str) -> str | None:
    """The `answer` of a message in the asked form, or None if it is in none.

    Read as JSON or as a Python literal where it is one; else up to where the field seems to end.
    """
    message = message[:_LONGEST]
    start, end = message.find("{"), message.rfind("}")
    if 0 <= start < end:
        for read in (json.loads, ast.literal_eval):
            try:
                fields = read(message[start : end + 1])
            except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
                continue
            if isinstance(fields, Mapping) and "answer" in fields:
                return str(fields["answer"])
    match = _ANSWER.search(message)
    if match is None:
        return None
    value = match["value"].strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
