"""Checks answers whose calls are executed: their values are compared with those of the expected calls.

Covers decoding, the count, and the choice of a call for each expected one; `executed_values` compares two
values. Values come from `executables`. Source: the official checker until it was retired (gorilla, commit
4d05b53f).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Json, Mode, NameStyle, Rules
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.judge.scoring.executed_values import compare_values
from bfcl_pipeline.judge.scoring.findings import Finding, Outcome, shorten
from bfcl_pipeline.judge.scoring.matching import Pairing, first_excluded, first_unmatched, pairing
from bfcl_pipeline.judge.scoring.rest import RestChecker
from bfcl_pipeline.world.executables import Apis, Evaluator, ExecutionFailed, NoApis, read_call

_CHECKER = "executable_checker"

_MAX_TEXT = 300  # characters of a call, or of an error, in a message

_MAX_ARGUMENTS = 12  # of a call in a message

_MAX_LEVELS = 3  # of calls around a call in a message

_OFFLINE = Evaluator(NoApis())


@dataclass(frozen=True, slots=True)
class _Expected:
    """One expected call."""

    call: Call
    match: str  # how its value is compared, in the release's term
    network: bool  # whether its value needs the network

    @classmethod
    def read(cls, truth: Json) -> Self:
        """The call of one item of the truth of an entry. Raises MalformedRelease."""
        call = read_call(truth["call"])
        return cls(call, truth["match"], _OFFLINE.uses_network(call))


class _Answer:
    """The calls of one answer; each is executed when its value is first needed, and once."""

    def __init__(self, calls: Sequence[Call], evaluator: Evaluator) -> None:
        self.calls = calls
        self.network = [evaluator.uses_network(call) for call in calls]
        self._evaluator = evaluator
        self._known: dict[int, Any] = {}

    def value(self, place: int, *, ask: bool) -> Any:
        """The value of the call at `place`, or the ExecutionFailed that it raises.

        ask: whether the network may be asked. Raises NotRecorded if it must be and may not, and what
        `Apis.get` raises.
        """
        if place not in self._known:
            evaluator = self._evaluator if ask else _OFFLINE
            try:
                self._known[place] = evaluator.value(self.calls[place])
            except ExecutionFailed as error:
                self._known[place] = error
        return self._known[place]


class ExecutableChecker:
    """Checks the answers to one entry whose calls are functions."""

    def __init__(self, entry: Entry, apis: Apis) -> None:
        """Raises MalformedRelease if an expected call cannot be read."""
        self._single = CATEGORIES[entry.category].check is Check.EXECUTION_SIMPLE
        self._expected = tuple(_Expected.read(truth) for truth in entry.truth)
        self._evaluator = Evaluator(apis)
        self._values: dict[int, Json] = {}  # of expected calls, by place

    def check(
        self,
        result: Json | DecodeFailure,
        mode: Mode,
        style: NameStyle,  # noqa: ARG002  # names without dots
        rules: Sequence[Rules],
    ) -> list[Outcome]:
        """The outcome of one answer by each of `rules`. Raises WebError as `Apis.get`."""
        if isinstance(result, DecodeFailure):
            return [_undecoded(result)] * len(rules)
        answers = self._answers(result, mode, rules)
        return [self._outcome(answer, rule_set) for answer, rule_set in zip(answers, rules, strict=True)]

    def check_calls(self, calls: Sequence[Call] | DecodeFailure, rules: Rules) -> Outcome:
        """The outcome of decoded calls. Raises WebError as `Apis.get`."""
        answer = calls if isinstance(calls, DecodeFailure) else _Answer(calls, self._evaluator)
        return self._outcome(answer, rules)

    def pairing(self, calls: Sequence[Call], rules: Rules) -> Pairing | None:
        """Which call each expected call is assigned; None if the number of calls is wrong.

        Expected calls without network come first, as in the verdict. Raises NotRecorded and WebError as
        `Apis.get`.
        """
        if len(calls) != len(self._expected):
            return None
        answer, order = _Answer(calls, self._evaluator), self._order()

        def compare(wanted: int, given: int) -> Finding | None:
            return self._compare(order[wanted], answer, given, rules, ask=True)

        found = pairing(len(order), compare, rules)
        return Pairing(
            {given: order[wanted] for given, wanted in found.taken.items()},
            None if found.unmatched is None else order[found.unmatched],
        )

    def _order(self) -> list[int]:
        """The places of the expected calls: those without network, then the others."""
        return sorted(range(len(self._expected)), key=lambda place: self._expected[place].network)

    def _answers(
        self, result: Json, mode: Mode, rules: Sequence[Rules]
    ) -> Iterator[_Answer | DecodeFailure]:
        """The answer as each of `rules` decodes it; one object where they decode alike, as native calls."""
        answer: _Answer | DecodeFailure | None = None
        for rule_set in rules:
            if answer is None or mode is Mode.PROMPT:
                calls = decode_step(result, mode, rules=rule_set)
                if isinstance(calls, DecodeFailure):
                    answer = calls
                elif not isinstance(answer, _Answer) or calls != answer.calls:
                    answer = _Answer(calls, self._evaluator)
            yield answer

    def _outcome(self, answer: _Answer | DecodeFailure, rules: Rules) -> Outcome:
        if isinstance(answer, DecodeFailure):
            return _undecoded(answer)
        try:
            return Outcome(self._finding(answer, rules))
        except NotRecorded as error:
            return Outcome(not_recorded=str(error))

    def _finding(self, answer: _Answer, rules: Rules) -> Finding | None:
        """The error in the calls; None if they are right. Raises NotRecorded and WebError as `Apis.get`."""
        if not answer.calls:
            return Finding("executable_decoder:wrong_output_format", "There is no call in the answer.")
        wanted, given = len(self._expected), len(answer.calls)
        if self._single:
            if given != 1:
                return Finding("simple_exec_checker:wrong_count", f"Expected one call, got {given}.")
            return self._compare(0, answer, 0, rules, ask=True)
        if given != wanted:
            return Finding("value_error:exec_result_count", f"Expected {wanted} calls, got {given}.")
        place = self._unmatched(answer, rules)
        if place is None:
            return None
        return Finding(f"{_CHECKER}:cannot_find_match", self._explain(place, answer, rules))

    def _unmatched(self, answer: _Answer, rules: Rules) -> int | None:
        """The place of an expected call without a match; None if all have one.

        A call that uses the network matches only an expected call that does, and the reverse. Therefore
        expected calls without network are matched first, and nothing is asked if they decide. Raises
        NotRecorded if the answers that are recorded decide neither way.
        """
        order = self._order()

        def compare(wanted: int, given: int, *, ask: bool = True) -> Finding | None:
            return self._compare(order[wanted], answer, given, rules, ask=ask)

        def excluded(*, ask: bool) -> int | None:
            """An expected call without a match, whatever the answers that are not recorded are."""

            def fits(wanted: int, given: int) -> bool | None:
                try:
                    return compare(wanted, given, ask=ask) is None
                except NotRecorded:
                    return None

            return first_excluded(len(order), fits, rules)

        unmatched = excluded(ask=False)
        if unmatched is None:
            try:
                unmatched = first_unmatched(len(order), compare, rules)
            except NotRecorded:
                unmatched = excluded(ask=True)
                if unmatched is None:
                    raise
        return None if unmatched is None else order[unmatched]

    def _compare(
        self, wanted: int, answer: _Answer, given: int, rules: Rules, *, ask: bool
    ) -> Finding | None:
        """The error in one call as the match of one expected call. Raises as `_Answer.value`."""
        expected, call = self._expected[wanted], answer.calls[given]
        if not self._single and expected.network != answer.network[given]:
            uses = "does not use" if expected.network else "uses"
            return Finding(f"{_CHECKER}:wrong_result", f"{call.name:.{_MAX_TEXT}} {uses} the network.")
        value = answer.value(given, ask=ask)
        if isinstance(value, ExecutionFailed):
            return Finding(f"{_CHECKER}:execution_error", f"{_written(call)}: {value!s:.{_MAX_TEXT}}")
        found = compare_values(expected.match, self._expected_value(wanted, ask=ask), value, rules)
        return None if found is None else Finding(found.error_type, f"{_written(call)}: {found.message}")

    def _expected_value(self, place: int, *, ask: bool) -> Json:
        """The value of an expected call, as JSON. Raises as `_Answer.value`; NotRecorded if it has none."""
        if place not in self._values:
            call = self._expected[place].call
            try:
                value = (self._evaluator if ask else _OFFLINE).value(call)
            except ExecutionFailed as error:
                raise NotRecorded(f"The expected call {_written(call)} has no value: {error}") from None
            self._values[place] = json.loads(json.dumps(value))
        return self._values[place]

    def _explain(self, wanted: int, answer: _Answer, rules: Rules) -> str:
        """The message for an expected call without a match; nothing more is asked for it."""
        reasons = []
        for given in range(len(answer.calls)):
            try:
                found = self._compare(wanted, answer, given, rules, ask=False)
            except NotRecorded:
                continue
            reason = "fits, but another expected call takes it." if found is None else found.message
            reasons.append(f"Call {given + 1}: {reason.removesuffix('.')}.")
        return (
            f"Expected call {wanted + 1} ({_written(self._expected[wanted].call)}) has no match. "
            + " ".join(reasons)
        )


def _undecoded(failure: DecodeFailure) -> Outcome:
    return Outcome(
        Finding("executable_decoder:decoder_failed", f"The calls cannot be read: {failure.message}")
    )


def _written(call: Call, levels: int = _MAX_LEVELS) -> str:
    """The call for a message."""
    arguments = ", ".join(
        f"{name}={_argument(value, levels)}" for name, value in [*call.arguments.items()][:_MAX_ARGUMENTS]
    )
    return f"{call.name}({arguments})"[:_MAX_TEXT]


def _argument(value: Any, levels: int) -> str:
    if not isinstance(value, Call):
        return shorten(value)
    return _written(value, levels - 1) if levels else "..."


def executable_checker(entry: Entry, apis: Apis) -> ExecutableChecker | RestChecker:
    """The checker of an entry whose calls are executed."""
    if CATEGORIES[entry.category].check is Check.REST:
        return RestChecker(entry, apis)
    return ExecutableChecker(entry, apis)
