"""Scores responses: `Judge` prepares an entry once for any number of responses, `judge` scores one.

Pure: no files, no network, and nothing that a model wrote is executed. Source: the release's evaluation
runner.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Protocol

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.errata import LeftOut, verified_entry
from bfcl_pipeline.benchmark.records import (
    AnswerClass,
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
from bfcl_pipeline.dialogue.calls import FAILED, parse_json
from bfcl_pipeline.judge.scoring.agentic import AgenticChecker
from bfcl_pipeline.judge.scoring.executable import executable_checker
from bfcl_pipeline.judge.scoring.findings import Outcome, bound_message
from bfcl_pipeline.judge.scoring.multi_turn import MultiTurnChecker
from bfcl_pipeline.judge.scoring.single_turn import SingleTurnChecker, plan_of
from bfcl_pipeline.judge.scoring.unread_calls import has_unread_call, offered_names
from bfcl_pipeline.world.executables import Apis, NoApis
from bfcl_pipeline.world.tools import Constants

_VALID = {name: Verdict(valid=True, answer_class=name) for name in (None, *AnswerClass)}

NO_CONSTANTS = Constants({})
"""Sufficient for entries without a simulated world."""

NO_APIS = NoApis()
"""Sufficient for entries whose calls use no network."""

MAX_RESULT = 20_000_000
"""Characters of `result_json` that are read."""


def judge(
    entry: Entry,
    response: Response,
    rules: Rules = Rules.OFFICIAL,
    constants: Constants = NO_CONSTANTS,
    apis: Apis = NO_APIS,
) -> Verdict:
    """The verdict on one response to `entry`. Raises TableError if its `result_json` is not JSON."""
    return Judge(entry, constants, apis).verdict(response, rules)


def default_style(mode: Mode) -> NameStyle:
    """The name style of a response that does not specify one."""
    return NameStyle.UNDERSCORED if mode is Mode.FC else NameStyle.DOTTED


class Checker(Protocol):
    """Checks answers to one entry."""

    def check(
        self, result: Json | DecodeFailure, mode: Mode, style: NameStyle, rules: Sequence[Rules]
    ) -> Sequence[Outcome]:
        """The outcome of one answer by each of `rules`.

        result: the answer in the official result form, or why it could not be decoded.
        """


class Judge:
    """Scores responses to one entry: simulated worlds use `constants`, executed calls `apis`."""

    def __init__(self, entry: Entry, constants: Constants = NO_CONSTANTS, apis: Apis = NO_APIS) -> None:
        self._entry = entry
        self._checker = _checker(entry, constants, apis)
        self._verified: Checker | LeftOut | None = self._checker  # of the rules `verified`
        found = verified_entry(entry)
        if isinstance(found, LeftOut):
            self._verified = found
        elif found is not entry:
            self._verified = _checker(found, constants, apis)

    def verdict(self, response: Response, rules: Rules = Rules.OFFICIAL) -> Verdict:
        """The verdict on one response. Raises TableError if its `result_json` is not JSON."""
        if response.status is not Status.ANSWERED:
            return self.unanswered(response.status, response.status_detail, (rules,))[0]
        return self.answer_verdicts(response.result_json, response.mode, response.name_style, (rules,))[0]

    def unanswered(self, status: Status, detail: str | None, rules: Sequence[Rules]) -> list[Verdict]:
        """The verdicts on a response without an answer, by each of `rules`."""
        verdicts = dict.fromkeys(Rules, Verdict(None, None, detail, status))
        if isinstance(self._verified, LeftOut):
            verdicts[Rules.VERIFIED] = _left_out(self._entry, self._verified)
        return [verdicts[name] for name in rules]

    def answer_verdicts(
        self, result_json: str | None, mode: Mode, style: NameStyle | None, rules: Sequence[Rules]
    ) -> list[Verdict]:
        """The verdicts on one answer, by each of `rules`.

        Without a `result_json` the status is `not_recorded`, since the cause is unknown. `style`: None is
        the default style of the mode. Raises TableError if `result_json` is not JSON.
        """
        if result_json is None:
            return self.unanswered(Status.NOT_RECORDED, "There is no result_json.", rules)
        if self._checker is None:
            detail = f"{self._entry.entry_id} is a session before the questions and is not scored."
            return [Verdict(None, None, detail, Status.UNSUPPORTED)] * len(rules)
        try:
            result = _read(result_json)
        except json.JSONDecodeError as error:
            raise TableError(
                f"entry {self._entry.entry_id!r}: result_json is not JSON ({error}). "
                "Text must be written as a JSON string."
            ) from None
        style = style or default_style(mode)
        plain: list[Rules] = [name for name in Rules if name in rules and name is not Rules.VERIFIED]
        if Rules.VERIFIED in rules and Rules.CORRECTED not in plain and self._verified is self._checker:
            plain.append(Rules.CORRECTED)
        outcomes = self._checker.check(result, mode, style, plain) if plain else []
        verdicts: dict[Rules, Verdict] = dict(zip(plain, map(_verdict, outcomes), strict=True))
        if Rules.VERIFIED in rules:
            verdicts[Rules.VERIFIED] = self._verified_verdict(result, mode, style, verdicts)
        if mode is Mode.FC and has_unread_call(result, self._names):
            return [_unread(verdicts[name]) for name in rules]
        return [verdicts[name] for name in rules]

    @cached_property
    def _names(self) -> list[str]:
        return offered_names(self._entry)

    def _verified_verdict(
        self,
        result: Json | DecodeFailure,
        mode: Mode,
        style: NameStyle,
        verdicts: Mapping[Rules, Verdict],
    ) -> Verdict:
        """The verdict under the rules `verified`.

        verdicts: those by the other rules; of an entry that is neither mended nor left out, the corrected
        one is among them.
        """
        if isinstance(self._verified, LeftOut):
            return _left_out(self._entry, self._verified)
        if self._verified is None or self._verified is self._checker:
            return verdicts[Rules.CORRECTED]
        return _verdict(self._verified.check(result, mode, style, (Rules.CORRECTED,))[0])


def _left_out(entry: Entry, found: LeftOut) -> Verdict:
    """The verdict on every response to an entry that the rules `verified` leave out."""
    detail = f"{entry.entry_id} is left out: {found.erratum.what}"
    return Verdict(None, None, detail, Status.LEFT_OUT)


def _read(result_json: str) -> Json | DecodeFailure:
    """The result, or why it cannot be read. Raises JSONDecodeError if it is not JSON."""
    if len(result_json) > MAX_RESULT:
        return DecodeFailure(FAILED, f"The result has more than {MAX_RESULT:,} characters.")
    try:
        return parse_json(result_json)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        return DecodeFailure(FAILED, f"The result cannot be read ({error}).")


def _checker(entry: Entry, constants: Constants, apis: Apis) -> Checker | None:
    """The checker for `entry`; None if it is never scored."""
    check = CATEGORIES[entry.category].check
    if entry.prerequisite:
        return None
    if check is Check.MULTI_TURN:
        return MultiTurnChecker(entry, constants)
    if check in (Check.MEMORY, Check.WEB_SEARCH):
        return AgenticChecker(entry)
    if CATEGORIES[entry.category].executes:
        return executable_checker(entry, apis)
    plan = plan_of(entry)
    return None if plan is None else SingleTurnChecker(plan)


def _verdict(outcome: Outcome) -> Verdict:
    finding = outcome.finding
    if outcome.not_recorded is not None:
        return Verdict(None, None, _printable(bound_message(outcome.not_recorded)), Status.NOT_RECORDED)
    if finding is None:
        return _VALID[outcome.answer_class]
    message = _printable(bound_message(finding.message))
    return Verdict(False, finding.error_type, message, answer_class=outcome.answer_class)


def _unread(verdict: Verdict) -> Verdict:
    """The verdict on an answer with a call that was not read."""
    return replace(verdict, unread_call=verdict.status is Status.ANSWERED)


def _printable(message: str) -> str:
    """`message` with lone surrogates escaped, which UTF-8 cannot encode."""
    if message.isascii():
        return message
    return message.encode("utf-8", "backslashreplace").decode("utf-8")
