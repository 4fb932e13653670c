"""Checks agentic entries by the last message without calls.

Official rules accept an acceptable answer anywhere in that message, between word boundaries. Corrected
rules look at the `answer` field: on the web it has to equal an acceptable answer, as the post on web search
asks, after the same normalisation and without spaces; for a memory it has to hold one (`memory_answers`).
The field is read as models and people write it (JSON, a Python literal, neither, a line `answer: 70`),
without evaluating anything and in time linear in the text; the last object outside reasoning counts.
Source: the release's agentic checker and its evaluation runner, and the posts on web search and memory.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import AnswerClass, DecodeFailure, Entry, Json, Mode, NameStyle, Rules
from bfcl_pipeline.dialogue.calls import Work, after_reasoning, decode_step, read_literal_value
from bfcl_pipeline.judge.scoring.abstentions import abstains
from bfcl_pipeline.judge.scoring.findings import Finding, Outcome, shorten, shown_options
from bfcl_pipeline.judge.scoring.memory_answers import MemoryQuestion

LONGEST = 100_000
"""Characters at the end of a message that are read."""

_QUOTES = "\"'`\u2018\u2019\u201a\u201c\u201d\u201e"
_FAMILIES = ('"\u201c\u201d\u201e', "'\u2018\u2019\u201a", "`")

_BRACES = re.compile(r"[{}]")
_NAME = rf"[{_QUOTES}*]{{0,3}}%s[{_QUOTES}*]{{0,3}}\s{{0,20}}[:=\uff1a]\s{{0,20}}[*]{{0,2}}\s{{0,20}}"
_IN_OBJECT = re.compile(rf"(?:^|[{{,;\n])\s{{0,20}}{_NAME % 'answer'}", re.IGNORECASE)
_ON_A_LINE = re.compile(
    rf"^[^\w\n{{}}]{{0,20}}(?:(?:the|my|short|final)\s{{1,3}}){{0,2}}{_NAME % 'answer'}",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_NAME = _NAME % r"[^\W\d][\w ]{0,30}"
_NEXT = rf"(?:\s{{0,20}}[,;]|\n)\s{{0,20}}{_ANY_NAME}"
_FIELD_OR_END = rf"(?:{_NEXT}|\s{{0,20}}\}}|\s{{1,20}}[{_QUOTES}]\w{{1,30}}[{_QUOTES}]\s{{0,20}}:)"
_ENDS_OF_QUOTED = {
    family: tuple(
        re.compile(rf"(?<!\\)[{family}](?={following})")
        for following in (_FIELD_OR_END, r"\s{0,20}[,}]", r"\s{0,20}(?:\n|$)", "")
    )
    for family in _FAMILIES
}
"""Where a value in quotes of each family may end, best first."""
_END_OF_BARE = re.compile(rf"{_NEXT}|\s{{0,20}}(?:\}}|$)")
_END_OF_LINE = re.compile(rf"{_NEXT}|\s{{0,20}}(?:\}}|\n|$)")


def answer_field(message: str) -> str | None:
    """The `answer` field of the last object that has one, or of the last line `answer: ...`; else None.

    A list is its items with semicolons between them. A number is as written.
    """
    text = after_reasoning(message)[-LONGEST:]
    for span in reversed(list(_objects(text))):
        found = _value_of_object(span) if "answer" in span.casefold() else None
        if found is not None:
            return found
    matches = [match for pattern in (_ON_A_LINE, _IN_OBJECT) for match in pattern.finditer(text)]
    if not matches:
        return None
    last = max(matches, key=re.Match.end)
    return _written(text[last.end() :], _END_OF_BARE if "{" in text[: last.end()] else _END_OF_LINE)


def _objects(text: str) -> Iterator[str]:
    """The texts between outermost braces, in order. Quotation marks are not looked at."""
    depth = start = 0
    for brace in _BRACES.finditer(text):
        if brace[0] == "{":
            start = start if depth else brace.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield text[start : brace.end()]


def _value_of_object(text: str) -> str | None:
    for read in (_json, read_literal_value):
        try:
            fields = read(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(fields, Mapping):
            named = {str(key).strip().casefold(): value for key, value in fields.items()}
            return _text(named["answer"]) if "answer" in named else None
    match = _IN_OBJECT.search(text)
    return None if match is None else _written(text[match.end() :], _END_OF_BARE)


def _json(text: str) -> Any:
    return json.loads(text, parse_int=str, parse_float=str, strict=False)


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "; ".join(map(_text, value))
    try:
        return str(value)
    except ValueError:  # an integer of more digits than Python prints
        return hex(value)


def _written(text: str, end_of_bare: re.Pattern[str]) -> str:
    """The value that `text` begins with: in quotes, in brackets, or bare up to the next field or end."""
    family = next((family for family in _FAMILIES if text[:1] and text[0] in family), None)
    if family is not None:
        for ending in _ENDS_OF_QUOTED[family]:
            end = ending.search(text, 1)
            if end is not None:
                return text[1 : end.start()].strip()
        text = text[1:]
    elif text[:1] == "[" and "]" in text:
        items = text[1 : text.index("]")].split(",")
        return "; ".join(item.strip().strip(_QUOTES) for item in items)
    end = end_of_bare.search(text)
    return text[: end.start() if end else len(text)].strip().strip("*").strip()


_IGNORED = re.compile(r"[,./\-_*^()]")
_SPACES = re.compile(
    "[\\s\N{SOFT HYPHEN}\N{ZERO WIDTH SPACE}-\N{ZERO WIDTH JOINER}\N{WORD JOINER}"
    "\N{ZERO WIDTH NO-BREAK SPACE}\N{HYPHEN}-\N{HORIZONTAL BAR}\N{MINUS SIGN}"
    "\N{SMALL EM DASH}\N{SMALL HYPHEN-MINUS}\N{FULLWIDTH HYPHEN-MINUS}]+"
)
"""White space, also of no width, and the dashes that the release's normalisation does not know."""

_NO_ANSWERS = ("", "none", "null")

_GOT = {
    AnswerClass.WRONG: "the answer",
    AnswerClass.HEDGE: "candidates without a choice:",
    AnswerClass.ABSTAINED: "the abstention",
    AnswerClass.NO_ANSWER_FORM: "the empty answer",
}

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
        return tuple(map(normalise, truth))

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
        invalid = self._class_of_invalid(message) if any(findings) else AnswerClass.WRONG
        return [Outcome(finding, invalid if finding else AnswerClass.RIGHT) for finding in findings]

    def _check(self, message: str, rules: Rules) -> Finding | None:
        wanted = shown_options(self._entry.truth)
        if rules is Rules.OFFICIAL:
            text = normalise(message)
            if any(re.search(rf"\b{re.escape(answer)}\b", text) for answer in self.acceptable):
                return None
            return Finding(
                "agentic:answer_not_found",
                f"Expected {wanted} in the final message {shorten(message)}.",
            )
        if self._is_memory:
            return memory_answer(message, self._memory_question, wanted)
        return exact_answer(message, self.acceptable, wanted)

    @property
    def _is_memory(self) -> bool:
        return CATEGORIES[self._entry.category].backend is not None

    @cached_property
    def _memory_question(self) -> MemoryQuestion:
        entry = self._entry
        content = str(entry.turns[-1][-1]["content"]) if entry.turns and entry.turns[-1] else ""
        return MemoryQuestion(tuple(entry.truth), content, str(entry.source or ""))

    def _class_of_invalid(self, message: str) -> AnswerClass:
        if not self._is_memory:
            return class_of_invalid(message)
        found = self._memory_question.class_of(given_answer(message))
        is_form = answer_field(message) is not None
        if found in (AnswerClass.RIGHT, AnswerClass.WRONG):
            return AnswerClass.WRONG if is_form else AnswerClass.NO_ANSWER_FORM
        return found


def memory_answer(message: str, question: MemoryQuestion, wanted: str) -> Finding | None:
    """Rule `answer-words`: official accepts a memory answer that occurs anywhere in the final message.

    Corrected requires an acceptable answer as whole words of the `answer` field, or of the whole message if
    it has no such field, and accepts neither abstentions nor lists of candidates.
    """
    given = given_answer(message)
    found = question.class_of(given)
    if found is AnswerClass.RIGHT:
        return None
    return Finding("agentic:answer_not_found", f"Expected {wanted}, got {_GOT[found]} {shorten(given)}.")


def given_answer(message: str) -> str:
    """The `answer` field of a message, or all of it, without reasoning, if it has no such field."""
    field = answer_field(message)
    return after_reasoning(message)[-LONGEST:] if field is None else field


def exact_answer(message: str, acceptable: Sequence[str], wanted: str) -> Finding | None:
    """Rule `exact-answer`: official accepts an answer that occurs anywhere in the final message.

    Corrected requires the `answer` field of that message to equal an acceptable answer.
    """
    given = answer_field(message)
    if given is not None and any(equal_without_spaces(given, answer) for answer in acceptable):
        return None
    got = "no `answer` field" if given is None else f"the answer {shorten(given)}"
    return Finding("agentic:answer_not_found", f"Expected exactly {wanted}, got {got}.")


def equal_without_spaces(given: str, answer: str) -> bool:
    """Rule `answer-spaces`: official keeps spaces, so "Eiffel Tower" differs from "eiffel-tower".

    Corrected compares without white space and dashes, as the release's own description of its normalisation
    and its post on web search have it. `answer` is normalised.
    """
    return _SPACES.sub("", normalise(given)) == _SPACES.sub("", answer)


def class_of_invalid(message: str) -> AnswerClass:
    """What an invalid answer to a web question is: whether it abstains, is wrong, or has no form."""
    field = answer_field(message)
    if abstains(given_answer(message)):
        return AnswerClass.ABSTAINED
    has_form = field is not None and field.strip().lower() not in _NO_ANSWERS
    return AnswerClass.WRONG if has_form else AnswerClass.NO_ANSWER_FORM


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


def normalise(text: str) -> str:
    """`text` in lower case, without `,./-_*^()`, with double quotes for single ones."""
    return _IGNORED.sub("", text).lower().replace("'", '"')
