"""Checks single-turn entries: prepares the expected calls and checks answers.

Covers the choice of the checker by category, the relevance check, and the check of answers to requests that
no offered function fits. Such an answer abstains in words, is empty, attempts a call that cannot be
decoded, or calls. Official rules accept all but the last; `calls.attempts` has the marks of an attempted
call. `matching` compares the calls.
Source: the release's evaluation runner, and thread 1362 of its repository.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.definition import (
    CATEGORIES,
    DEFAULT_FORMAT,
    Check,
    Language,
    PromptFormat,
    ReturnFormat,
    category_of,
    parse_format,
)
from bfcl_pipeline.benchmark.records import (
    AnswerClass,
    Call,
    DecodeFailure,
    Entry,
    FunctionDoc,
    Json,
    Mode,
    NameStyle,
    Rules,
)
from bfcl_pipeline.dialogue.calls import FAILED, attempted_call, decode, has_words, is_prose
from bfcl_pipeline.judge.scoring.expected import ExpectedCall, expected_call
from bfcl_pipeline.judge.scoring.findings import Finding, Outcome, shorten
from bfcl_pipeline.judge.scoring.matching import check_parallel, check_single

_FORMATS: dict[Language, PromptFormat] = {
    Language.PYTHON: DEFAULT_FORMAT,
    Language.JAVA: PromptFormat(ReturnFormat.JAVA),
    Language.JAVASCRIPT: PromptFormat(ReturnFormat.JAVASCRIPT),
}

_PROSE = DecodeFailure(FAILED, "The text begins with words, not with calls.")

_VALID = Outcome()

_SUPPORTED = (Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL, Check.IRRELEVANCE, Check.RELEVANCE)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is needed to check answers to one entry."""

    check: Check
    prompt_format: PromptFormat
    expected: tuple[ExpectedCall, ...]
    functions: tuple[FunctionDoc, ...]  # offered


class SingleTurnChecker:
    """Checks the answers to one entry."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def check(
        self, result: Json | DecodeFailure, mode: Mode, style: NameStyle, rules: Sequence[Rules]
    ) -> list[Outcome]:
        """The outcome of one answer by each of `rules`. `result`: an official result, or a failure."""
        plan, outcomes = self._plan, list[Outcome]()
        without_call: Uncalled | None = None
        calls: tuple[Call, ...] | DecodeFailure | None = None
        if isinstance(result, DecodeFailure):
            calls = result
        elif mode is Mode.FC:  # is decoded alike by all rules
            calls = _decoded(plan.prompt_format, result, mode, Rules.OFFICIAL)
        elif (
            plan.check is Check.IRRELEVANCE
            and plan.prompt_format == DEFAULT_FORMAT
            and isinstance(result, str)
            and is_prose(result)
        ):
            calls = _PROSE  # why a text cannot be decoded does not matter
        for rule_set in rules:
            found = _decoded(plan.prompt_format, result, mode, rule_set) if calls is None else calls
            if plan.check is not Check.IRRELEVANCE:
                finding = _check(plan, found, style, rule_set)
                outcomes.append(_VALID if finding is None else Outcome(finding))
            elif found and not isinstance(found, DecodeFailure):
                outcomes.append(judge_called(found))
            else:
                without_call = without_call or classify_uncalled(result, plan.functions)
                outcomes.append(malformed_call(without_call, rule_set))
        return outcomes


def answer_format(entry: Entry) -> PromptFormat:
    """The format in which a prompted model answers `entry`."""
    if entry.prompt_format is not None:
        return parse_format(entry.prompt_format)
    return _FORMATS[CATEGORIES[entry.category].language]


def answer_calls(
    entry: Entry, result: Json, mode: Mode, rules: Rules = Rules.OFFICIAL
) -> tuple[Call, ...] | DecodeFailure:
    """The calls in an answer to a single-turn entry; none in a text in native mode."""
    if mode is Mode.FC and isinstance(result, str):
        return ()
    return _decoded(answer_format(entry), result, mode, rules)


def plan_of(entry: Entry) -> Plan | None:
    """The plan for checking answers to `entry`; None if it is not a single-turn entry."""
    category = CATEGORIES[entry.category]
    if category.check is Check.FORMAT_SENSITIVITY:
        if entry.base_entry_id is None or entry.prompt_format is None:
            raise MalformedRelease(f"{entry.entry_id}: the restated entry or the prompt format is missing")
        category = CATEGORIES[category_of(entry.base_entry_id)]
    if category.check not in _SUPPORTED:
        return None
    expected = tuple(
        expected_call(entry.functions, name, values, category.language)
        for call in entry.truth or ()
        for name, values in call.items()
    )
    return Plan(category.check, answer_format(entry), expected, entry.functions)


def _decoded(
    expected: PromptFormat, result: Json, mode: Mode, rules: Rules
) -> tuple[Call, ...] | DecodeFailure:
    return decode(
        result,
        mode=mode,
        return_format=expected.return_format,
        tool_call_tag=expected.tool_call_tag,
        rules=rules,
    )


def _check(
    plan: Plan, calls: tuple[Call, ...] | DecodeFailure, style: NameStyle, rules: Rules
) -> Finding | None:
    if plan.check is Check.RELEVANCE:
        if calls and not isinstance(calls, DecodeFailure):
            return None
        why = calls.message if isinstance(calls, DecodeFailure) else "The answer holds none."
        return Finding("relevance_error:decoder_failed", f"Expected at least one call. {why}")
    if isinstance(calls, DecodeFailure):
        return Finding(calls.error_type, f"The calls cannot be read: {calls.message}")
    if plan.check is Check.PARALLEL:
        return check_parallel(plan.expected, calls, style, rules)
    checker = f"{plan.check}_function_checker"
    return check_single(plan.expected[0], calls, style, rules, checker)


@dataclass(frozen=True, slots=True)
class Uncalled:
    """What an answer without a decodable call is."""

    answer_class: AnswerClass
    mark: str | None = None  # the mark of the attempted call, for a message


_ACCEPTED = {name: Outcome(None, name) for name in AnswerClass}
_EMPTY = Uncalled(AnswerClass.EMPTY)
_WORDS = Uncalled(AnswerClass.ABSTAINED_IN_WORDS)


def judge_called(calls: Sequence[Call]) -> Outcome:
    """The outcome of an answer with calls."""
    names = ", ".join(call.name for call in calls[:3])
    message = f"No function fits the request, yet {names} is called."
    return Outcome(Finding("irrelevance_error:decoder_success", message), AnswerClass.CALLED)


def classify_uncalled(result: Json | DecodeFailure, functions: Sequence[FunctionDoc]) -> Uncalled:
    """The class of an answer without a decodable call.

    result: an official result. In function-calling mode its text is in place of a list of calls, or is an
    item of the list.
    """
    if isinstance(result, DecodeFailure):
        return Uncalled(AnswerClass.MALFORMED_CALL, result.message)
    if not result:
        return _EMPTY
    items = result if isinstance(result, list) else [result]
    native = next((item for item in items if item and isinstance(item, dict | list)), None)
    if native is not None:
        return Uncalled(AnswerClass.MALFORMED_CALL, shorten(native))
    text = result if isinstance(result, str) else "\n".join(str(item) for item in items if item)
    mark = attempted_call(text, [function["name"] for function in functions])
    if mark is not None:
        return Uncalled(AnswerClass.MALFORMED_CALL, shorten(mark))
    return _WORDS if has_words(text) else _EMPTY


def malformed_call(answer: Uncalled, rules: Rules) -> Outcome:
    """Rule `malformed-call`: official accepts every answer that cannot be decoded as calls.

    Corrected accepts it unless a call was attempted.
    """
    if rules is Rules.OFFICIAL or answer.mark is None:
        return _ACCEPTED[answer.answer_class]
    message = f"No function fits the request, yet a call that cannot be decoded is attempted: {answer.mark}"
    return Outcome(Finding("irrelevance_error:malformed_call", message), answer.answer_class)
