"""Verdicts of single-turn responses.

`Judge` prepares an entry once and judges any number of responses to it; `judge` is the same for one.
Pure: no files, no network, no model code. Source: the release's evaluation runner.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from bfcl_pipeline.benchmark import (
    CATEGORIES,
    DEFAULT_FORMAT,
    Check,
    Language,
    PromptFormat,
    ReturnFormat,
    category_of,
    parse_format,
)
from bfcl_pipeline.calls import FAILED, decode, parse_json
from bfcl_pipeline.errors import MalformedRelease, TableError
from bfcl_pipeline.records import (
    Call,
    DecodeFailure,
    Entry,
    Json,
    Mode,
    NameStyle,
    Response,
    Rules,
    Status,
    Verdict,
)
from bfcl_pipeline.scoring.expected import ExpectedCall, expected_call
from bfcl_pipeline.scoring.findings import Finding
from bfcl_pipeline.scoring.matching import check_parallel, check_single

_FORMATS: dict[Language, PromptFormat] = {
    Language.PYTHON: DEFAULT_FORMAT,
    Language.JAVA: PromptFormat(ReturnFormat.JAVA),
    Language.JAVASCRIPT: PromptFormat(ReturnFormat.JAVASCRIPT),
}

_SUPPORTED = (Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL, Check.IRRELEVANCE, Check.RELEVANCE)

_VALID = Verdict(valid=True)


def judge(entry: Entry, response: Response, rules: Rules = Rules.OFFICIAL) -> Verdict:
    """The verdict on one response to `entry`. Raises TableError if its `result_json` is not JSON."""
    return Judge(entry).verdict(response, rules)


def default_style(mode: Mode) -> NameStyle:
    """How functions are named where a response does not say."""
    return NameStyle.UNDERSCORED if mode is Mode.FC else NameStyle.DOTTED


@dataclass(frozen=True, slots=True)
class Plan:
    """How the responses to one entry are judged."""

    check: Check
    prompt_format: PromptFormat
    expected: tuple[ExpectedCall, ...]


class Judge:
    """Judges responses to one entry."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry
        self._plan = plan_of(entry)

    def verdict(self, response: Response, rules: Rules = Rules.OFFICIAL) -> Verdict:
        """The verdict on one response. Raises TableError if its `result_json` is not JSON."""
        if response.status is not Status.ANSWERED:
            return Verdict(None, None, response.status_detail, response.status)
        return self.answer_verdict(response.result_json, response.mode, response.name_style, rules)

    def answer_verdict(
        self, result_json: str | None, mode: Mode, style: NameStyle | None, rules: Rules
    ) -> Verdict:
        """The verdict on one answer; none without a result, which may be anybody's fault.

        `style`: None stands for that of the mode. Raises TableError if `result_json` is not JSON.
        """
        if result_json is None:
            return Verdict(None, None, "There is no result_json.", Status.NOT_RECORDED)
        plan = self._plan
        if plan is None:
            category = self._entry.category
            return Verdict(None, None, f"{category} is not scored in this version.", Status.UNSUPPORTED)
        try:
            result: Json = parse_json(result_json)
        except json.JSONDecodeError as error:
            raise TableError(
                f"entry {self._entry.entry_id!r}: result_json is not JSON ({error}). "
                "Text must be written as a JSON string."
            ) from None
        except (ValueError, RecursionError) as error:
            calls: tuple[Call, ...] | DecodeFailure = DecodeFailure(
                FAILED, f"The result cannot be read ({error})."
            )
        else:
            calls = decode(
                result,
                mode=mode,
                return_format=plan.prompt_format.return_format,
                tool_call_tag=plan.prompt_format.tool_call_tag,
                rules=rules,
            )
        finding = _check(plan, calls, style or default_style(mode), rules)
        if finding is None:
            return _VALID
        return Verdict(False, finding.error_type, _printable(finding.message))


def answer_format(entry: Entry) -> PromptFormat:
    """The format in which a prompted model is to answer `entry`."""
    if entry.prompt_format is not None:
        return parse_format(entry.prompt_format)
    return _FORMATS[CATEGORIES[entry.category].language]


def plan_of(entry: Entry) -> Plan | None:
    """How responses to `entry` are judged; None if this version has no checker for it."""
    category = CATEGORIES[entry.category]
    if category.check is Check.FORMAT_SENSITIVITY:
        if entry.base_entry_id is None or entry.prompt_format is None:
            raise MalformedRelease(f"{entry.entry_id}: it does not say which entry and format it is of")
        category = CATEGORIES[category_of(entry.base_entry_id)]
    if category.check not in _SUPPORTED:
        return None
    expected = tuple(
        expected_call(entry.functions, name, values, category.language)
        for call in entry.truth or ()
        for name, values in call.items()
    )
    return Plan(category.check, answer_format(entry), expected)


def _check(
    plan: Plan, calls: tuple[Call, ...] | DecodeFailure, style: NameStyle, rules: Rules
) -> Finding | None:
    if plan.check is Check.IRRELEVANCE:
        return _check_irrelevance(calls)
    if plan.check is Check.RELEVANCE:
        return _check_relevance(calls)
    if isinstance(calls, DecodeFailure):
        return Finding(calls.error_type, f"The calls cannot be read: {calls.message}")
    if plan.check is Check.PARALLEL:
        return check_parallel(plan.expected, calls, style, rules)
    checker = f"{plan.check}_function_checker"
    return check_single(plan.expected[0], calls, style, rules, checker)


def _check_irrelevance(calls: Sequence[Call] | DecodeFailure) -> Finding | None:
    """An answer without calls is right, one that cannot be read as calls too."""
    if isinstance(calls, DecodeFailure) or not calls:
        return None
    names = ", ".join(call.name for call in calls[:3])
    return Finding(
        "irrelevance_error:decoder_success", f"No function fits the request, yet {names} is called."
    )


def _check_relevance(calls: Sequence[Call] | DecodeFailure) -> Finding | None:
    if not isinstance(calls, DecodeFailure) and calls:
        return None
    why = calls.message if isinstance(calls, DecodeFailure) else "The answer holds none."
    return Finding("relevance_error:decoder_failed", f"Expected at least one call. {why}")


def _printable(message: str) -> str:
    """`message` without what cannot be written as UTF-8: a model's lone surrogates are escaped."""
    if message.isascii():
        return message
    return message.encode("utf-8", "backslashreplace").decode("utf-8")
