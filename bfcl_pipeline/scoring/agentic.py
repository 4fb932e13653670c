"""Checks agentic entries by the last message without calls.

Official rules accept an acceptable answer anywhere in that message, between word boundaries. Corrected
rules require the `answer` field of the requested form to equal an acceptable answer, as the benchmark's
posts on V4 describe. Both compare after the same normalisation, corrected rules without spaces as well.
Source: the release's agentic checker and its evaluation runner, and the posts on web search and memory.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from bfcl_pipeline.calls import Work, decode_step, read_literal_value
from bfcl_pipeline.errors import MalformedRelease
from bfcl_pipeline.records import AnswerClass, DecodeFailure, Entry, Json, Mode, NameStyle, Rules
from bfcl_pipeline.scoring.findings import Finding, Outcome, shown, shown_options

_IGNORED = re.compile(r"[,./\-_*^()]")
_SPACES = re.compile(
    "[\\s\N{SOFT HYPHEN}\N{ZERO WIDTH SPACE}-\N{ZERO WIDTH JOINER}\N{WORD JOINER}"
    "\N{ZERO WIDTH NO-BREAK SPACE}\N{HYPHEN}-\N{HORIZONTAL BAR}\N{MINUS SIGN}"
    "\N{SMALL EM DASH}\N{SMALL HYPHEN-MINUS}\N{FULLWIDTH HYPHEN-MINUS}]+"
)
"""White space, also of no width, and the dashes that the release's normalisation does not know."""

_ANSWER = re.compile(
    r"""['"]answer['"]\s*:\s*(?P<value>"""
    r""""(?:[^"\\]|\\.|"(?!\s*[,}]))*"(?=\s*[,}])|'(?:[^'\\]|\\.|'(?!\s*[,}]))*'(?=\s*[,}])"""
    r"""|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^,}]*)""",
    re.DOTALL,
)
"""The field, whose value may have quotation marks of its own: the one before `,` or `}` ends it."""

_WORD = re.compile(r"\w+")
_SHORT_FORMS = {"dont": "do not", "cant": "cannot"}
_LONGEST = 100_000  # characters of a last message in which an answer field is searched

_ABSTENTIONS = ("i do not know", "i cannot answer")
"""How the answers that the prompt asks for begin, by `_plain_words`."""

_APOLOGY = re.compile(r"(?:(?:i am|i m) )?(?:sorry|apologies|unfortunately)(?: but| that)? ")
_NO_ANSWERS = ("", "none", "null")

_NO_TURN = Outcome(
    Finding("agentic:inference_error", "Expected the steps of the one turn, in a list."),
    AnswerClass.NO_ANSWER_FORM,
)
_NO_MESSAGE = Outcome(
    Finding("agentic:no_last_message", "Every message holds calls: there is no final answer."),
    AnswerClass.NO_ANSWER_FORM,
)


class AgenticChecker:
    """Checks the answers to one memory or web-search question."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

    @cached_property
    def acceptable(self) -> tuple[str, ...]:
        """The acceptable answers, normalised. Raises MalformedRelease if they are not a list of texts."""
        truth = self._entry.truth
        if not isinstance(truth, list) or not all(isinstance(answer, str) for answer in truth):
            place = f"{self._entry.entry_id}: truth"
            raise MalformedRelease.at(place, "a list of texts", f"{truth!r:.80}")
        return tuple(map(normalised, truth))

    def check(
        self,
        result: Json | DecodeFailure,
        mode: Mode,
        style: NameStyle,  # noqa: ARG002  # no function of an agentic API has a dot in its name
        rules: Sequence[Rules],
    ) -> list[Outcome]:
        """The outcome of one answer by each of `rules`. `result`: the steps of the only turn, in a list."""
        if not isinstance(result, list) or len(result) != 1:
            return [_NO_TURN] * len(rules)
        message = last_message(result[0], mode)
        if message is None:
            return [_NO_MESSAGE] * len(rules)
        findings = [self._check(message, rule_set) for rule_set in rules]
        invalid = class_of_invalid(message) if any(findings) else AnswerClass.WRONG
        return [Outcome(finding, invalid if finding else AnswerClass.RIGHT) for finding in findings]

    def _check(self, message: str, rules: Rules) -> Finding | None:
        wanted = shown_options(self._entry.truth)
        if rules is Rules.OFFICIAL:
            text = normalised(message)
            if any(re.search(rf"\b{re.escape(answer)}\b", text) for answer in self.acceptable):
                return None
            return Finding(
                "agentic:answer_not_found", f"Expected {wanted} in the final message {shown(message)}."
            )
        return exact_answer(message, self.acceptable, wanted)


def exact_answer(message: str, acceptable: Sequence[str], wanted: str) -> Finding | None:
    """Rule `exact-answer`: official accepts an answer that occurs anywhere in the final message.

    Corrected requires the `answer` field of that message to equal an acceptable answer.
    """
    given = answer_field(message)
    if given is not None and any(equal(given, answer) for answer in acceptable):
        return None
    got = "no `answer` field" if given is None else f"the answer {shown(given)}"
    return Finding("agentic:answer_not_found", f"Expected exactly {wanted}, got {got}.")


def equal(given: str, answer: str) -> bool:
    """Rule `answer-spaces`: official keeps spaces, so "Eiffel Tower" differs from "eiffel-tower".

    Corrected compares without white space and dashes, as the release's own description of its normalisation
    and its post on web search have it. `answer` is normalised.
    """
    return _SPACES.sub("", normalised(given)) == _SPACES.sub("", answer)


def class_of_invalid(message: str) -> AnswerClass:
    """What an answer is that is not valid: whether it abstains, is wrong, or has no `answer` field.

    It abstains with one of the two sentences that the prompt asks for, in the field or, without a field,
    anywhere in the message.
    """
    given = answer_field(message)
    if given is None:
        words = f" {_plain_words(message[:_LONGEST])}"
        abstains = any(f" {abstention}" in words for abstention in _ABSTENTIONS)
        return AnswerClass.ABSTAINED if abstains else AnswerClass.NO_ANSWER_FORM
    words = _plain_words(given[:_LONGEST])
    apology = _APOLOGY.match(words)
    if words.startswith(_ABSTENTIONS, apology.end() if apology else 0):
        return AnswerClass.ABSTAINED
    return AnswerClass.NO_ANSWER_FORM if words in _NO_ANSWERS else AnswerClass.WRONG


def _plain_words(text: str) -> str:
    """`text` as words in lower case without punctuation, with `do not` for `don't`."""
    text = text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    text = text.replace("can't", "cannot").replace("n't", " not")
    words = (_SHORT_FORMS.get(word, word) for word in _WORD.findall(text))
    return " ".join(words).replace("can not", "cannot")


def last_message(steps: Json, mode: Mode) -> str | None:
    """The last message of a turn without a call; None if there is none, or if it is empty."""
    last: Any = None
    work = Work()
    for step in steps if isinstance(steps, list) else ():
        calls = () if work.is_done else decode_step(step, mode, work)
        if isinstance(calls, DecodeFailure) or not calls:
            last = step
    if not last:
        return None
    if isinstance(last, list):
        last = last[0]
    return last if isinstance(last, str) else str(last)


def normalised(text: str) -> str:
    """`text` in lower case, without `,./-_*^()`, with double quotes for single ones."""
    return _IGNORED.sub("", text).lower().replace("'", '"')


def answer_field(message: str) -> str | None:
    """The `answer` field of a message in the requested form; None if it has no such field.

    The message is read as JSON or as a Python literal; if it is neither, the field is found by a pattern.
    """
    message = message[:_LONGEST]
    start, end = message.find("{"), message.rfind("}")
    if 0 <= start < end:
        for read in (json.loads, read_literal_value):
            try:
                fields = read(message[start : end + 1])
                if isinstance(fields, Mapping) and "answer" in fields:
                    return str(fields["answer"])
            except (ValueError, RecursionError):
                continue
    match = _ANSWER.search(message)
    if match is None:
        return None
    value = match["value"].strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
