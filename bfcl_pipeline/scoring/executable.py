"""Checks answers whose calls are executed: their values are compared with those of the expected calls.

Covers decoding, the count, the three ways to compare values, and the choice of a call for each expected
one. Values come from `executables`. Source: the official checker until it was retired (gorilla, commit
4d05b53f).
"""

from collections.abc import Sequence

from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.calls import decode_step
from bfcl_pipeline.executables import Apis, Evaluator
from bfcl_pipeline.records import Call, DecodeFailure, Entry, Json, Mode, NameStyle, Rules
from bfcl_pipeline.scoring.findings import Finding, Outcome


class ExecutableChecker:
    """Checks the answers to one entry whose calls are functions."""

    def __init__(self, entry: Entry, apis: Apis) -> None:
        self._entry = entry
        self._evaluator = Evaluator(apis)

    def check(
        self,
        result: Json | DecodeFailure,
        mode: Mode,
        style: NameStyle,  # noqa: ARG002  # names without dots
        rules: Sequence[Rules],
    ) -> list[Outcome]:
        """The outcome of one answer by each of `rules`. Raises NotRecorded and WebError as `Apis.get`."""
        calls = result if isinstance(result, DecodeFailure) else decode_step(result, mode)
        return [self.check_calls(calls, rule_set) for rule_set in rules]

    def check_calls(self, calls: Sequence[Call] | DecodeFailure, rules: Rules) -> Outcome:
        """The outcome of decoded calls."""
        if isinstance(calls, DecodeFailure):
            return Outcome(Finding("executable_decoder:decoder_failed", calls.message))
        del rules
        return Outcome(Finding("executable_checker:not_written", f"{self._entry.entry_id}"))


class RestChecker:
    """Checks the answers to one entry of the category rest."""

    def __init__(self, entry: Entry, apis: Apis) -> None:
        self._entry = entry
        self._apis = apis

    def check(
        self,
        result: Json | DecodeFailure,
        mode: Mode,
        style: NameStyle,  # noqa: ARG002  # both spellings of requests.get are read
        rules: Sequence[Rules],
    ) -> list[Outcome]:
        """The outcome of one answer by each of `rules`. Raises NotRecorded and WebError as `Apis.get`."""
        calls = result if isinstance(result, DecodeFailure) else decode_step(result, mode)
        return [self.check_calls(calls, rule_set) for rule_set in rules]

    def check_calls(self, calls: Sequence[Call] | DecodeFailure, rules: Rules) -> Outcome:
        """The outcome of decoded calls."""
        if isinstance(calls, DecodeFailure):
            return Outcome(Finding("executable_decoder:decoder_failed", calls.message))
        del rules
        return Outcome(Finding("executable_checker_rest:not_written", f"{self._entry.entry_id}"))


def executable_checker(entry: Entry, apis: Apis) -> ExecutableChecker | RestChecker:
    """The checker of an entry whose calls are executed."""
    if CATEGORIES[entry.category].check is Check.REST:
        return RestChecker(entry, apis)
    return ExecutableChecker(entry, apis)
