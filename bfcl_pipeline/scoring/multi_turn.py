"""The check of entries of several turns: the calls are run, and worlds and results are compared.

After every turn whose truth has calls, the state of each API must equal that of the truth, and the
results so far, of all turns, must contain those of the truth's turn. Source: the release's multi-turn
checker and its evaluation runner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from bfcl_pipeline.calls import decode_step, executed_text
from bfcl_pipeline.records import Call, DecodeFailure, Entry, Json, Mode, NameStyle, Rules
from bfcl_pipeline.scoring.differences import Difference, first_differences
from bfcl_pipeline.scoring.findings import Finding, shown
from bfcl_pipeline.scoring.truth import TruthTurn, play_truth
from bfcl_pipeline.tools import Constants, Setting, World

Steps = list[tuple[Call, ...]]
"""The calls of each step of a turn that has any."""

MODEL_OWNER = "model_eval"
"""Whose world an answer is judged in; the release puts this mark behind a model's name."""

_NO_TURNS = Finding(
    "multi_turn:inference_error",
    "Expected the answers of each turn as a list of turns.",
)


class MultiTurnChecker:
    """Checks the answers to one entry; its truth is played once."""

    def __init__(self, entry: Entry, constants: Constants) -> None:
        self._entry = entry
        self._constants = constants

    @cached_property
    def truth(self) -> tuple[TruthTurn, ...]:
        """The turns of the truth, played."""
        return play_truth(self._entry, self._constants)

    def check(
        self,
        result: Json | DecodeFailure,
        mode: Mode,
        style: NameStyle,  # noqa: ARG002  # no function of a simulated API has a dot in its name
        rules: Sequence[Rules],
    ) -> list[Finding | None]:
        """What is wrong with one answer by each of `rules`: the results of each turn's steps."""
        if not isinstance(result, list):
            return [_NO_TURNS] * len(rules)
        if len(result) != len(self.truth):
            return [_ended(len(result), len(self.truth))] * len(rules)
        if not all(isinstance(turn, list | dict | str) for turn in result):
            return [_NO_TURNS] * len(rules)  # the release's runner ends here, and judges nothing
        turns = [decoded_steps(turn, mode) for turn in result]
        finding = self._played(turns)
        return [
            unwanted_calls(turns, self.truth) if finding is None and one is Rules.CORRECTED else finding
            for one in rules
        ]

    def _played(self, turns: Sequence[Steps]) -> Finding | None:
        """Plays the answer beside the truth and says where they part."""
        world = World.for_entry(self._entry, Setting(self._constants), MODEL_OWNER)
        results: Counter[str] = Counter()
        for number, (steps, truth) in enumerate(zip(turns, self.truth, strict=True)):
            results.update(world.run(call) for calls in steps for call in calls)
            if not truth.calls:
                continue
            finding = (
                _check_calls(number, steps, truth)
                or _check_states(number, world, truth)
                or _check_results(number, results, truth)
            )
            if finding is not None:
                return finding
        return None


def unwanted_calls(turns: Sequence[Steps], truth: Sequence[TruthTurn]) -> Finding | None:
    """Rule `empty-turn`: official never checks that nothing is called where the truth calls nothing.

    Corrected does, with the check that the release has for it.
    """
    for number, (steps, wanted) in enumerate(zip(turns, truth, strict=True)):
        if steps and not wanted.calls:
            return Finding(
                "multi_turn:irrelevance_error:decoder_success",
                f"Turn {number + 1}: nothing can be called yet, but {_named(steps)} is called.",
                number,
            )
    return None


def _ended(turns: int, wanted: int) -> Finding:
    return Finding(
        "multi_turn:force_terminated",
        f"The conversation has {turns} turns and the entry {wanted}.",
        turns - 1 if 0 < turns < wanted else None,
    )


def decoded_steps(turn: Json, mode: Mode) -> Steps:
    """The steps of a turn that hold calls; what cannot be read or holds none is passed over.

    A mapping in the place of a turn is read as its keys, as in the release; no character of a text is
    a call.
    """
    steps = []
    for result in turn if isinstance(turn, list | dict) else ():
        calls = decode_step(result, mode)
        if calls and not isinstance(calls, DecodeFailure):
            steps.append(calls)
    return steps


def _check_calls(number: int, steps: Steps, truth: TruthTurn) -> Finding | None:
    if steps:
        return None
    return Finding(
        "multi_turn:empty_turn_model_response",
        f"Turn {number + 1}: no call was made; the truth calls {_named([truth.calls])}.",
        number,
    )


def _check_states(number: int, world: World, truth: TruthTurn) -> Finding | None:
    for api, state in world.states().items():
        wanted = truth.states[api]
        if state != wanted:
            found = "; ".join(_told(api, difference) for difference in first_differences(state, wanted))
            message = f"After turn {number + 1}: {found}."
            return Finding("multi_turn:instance_state_mismatch", message, number)
    return None


def _check_results(number: int, results: Counter[str], truth: TruthTurn) -> Finding | None:
    if all(results[result] >= count for result, count in truth.wanted.items()):
        return None
    call, result = next(
        (call, result)
        for call, result in zip(truth.calls, truth.results, strict=True)
        if results[result] < truth.wanted[result]
    )
    return Finding(
        "multi_turn:execution_response_mismatch",
        f"Turn {number + 1}: no call so far returned what {executed_text(call)} returns: {shown(result)}.",
        number,
    )


def _told(api: str, difference: Difference) -> str:
    return f"{api}.{difference.path} is {shown(difference.got)}, expected {shown(difference.expected)}"


def _named(steps: Sequence[Sequence[Call]]) -> str:
    """The functions called, the first few of them."""
    names = list(dict.fromkeys(call.name for calls in steps for call in calls))
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
