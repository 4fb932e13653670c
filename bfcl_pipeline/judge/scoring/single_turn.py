"""Checks single-turn entries: prepares the expected calls and checks answers.

Covers the choice of the checker by category and the relevance check; `matching` compares the calls, and
`irrelevance` has the check that none is made.
Source: the release's evaluation runner.
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
    Call,
    DecodeFailure,
    Entry,
    FunctionDoc,
    Json,
    Mode,
    NameStyle,
    Rules,
)
from bfcl_pipeline.dialogue.calls import FAILED, decode, is_prose
from bfcl_pipeline.judge.scoring.expected import ExpectedCall, expected_call
from bfcl_pipeline.judge.scoring.findings import Finding, Outcome
from bfcl_pipeline.judge.scoring.irrelevance import (
    Uncalled,
    classify_uncalled,
    judge_called,
    malformed_call,
)
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
            calls = _decoded(plan, result, mode, Rules.OFFICIAL)
        elif plan.check is Check.IRRELEVANCE and _is_prose(plan, result):
            calls = _PROSE  # why a text cannot be decoded does not matter
        for rule_set in rules:
            found = _decoded(plan, result, mode, rule_set) if calls is None else calls
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


def _is_prose(plan: Plan, result: Json) -> bool:
    return plan.prompt_format == DEFAULT_FORMAT and isinstance(result, str) and is_prose(result)


def _decoded(plan: Plan, result: Json, mode: Mode, rules: Rules) -> tuple[Call, ...] | DecodeFailure:
    return decode(
        result,
        mode=mode,
        return_format=plan.prompt_format.return_format,
        tool_call_tag=plan.prompt_format.tool_call_tag,
        rules=rules,
    )


def _check(
    plan: Plan, calls: tuple[Call, ...] | DecodeFailure, style: NameStyle, rules: Rules
) -> Finding | None:
    if plan.check is Check.RELEVANCE:
        return _check_relevance(calls)
    if isinstance(calls, DecodeFailure):
        return Finding(calls.error_type, f"The calls cannot be read: {calls.message}")
    if plan.check is Check.PARALLEL:
        return check_parallel(plan.expected, calls, style, rules)
    checker = f"{plan.check}_function_checker"
    return check_single(plan.expected[0], calls, style, rules, checker)


def _check_relevance(calls: Sequence[Call] | DecodeFailure) -> Finding | None:
    if not isinstance(calls, DecodeFailure) and calls:
        return None
    why = calls.message if isinstance(calls, DecodeFailure) else "The answer holds none."
    return Finding("relevance_error:decoder_failed", f"Expected at least one call. {why}")
