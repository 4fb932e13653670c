"""Checks multi-turn entries: runs the calls, then compares states and results with the truth's.

After every turn whose truth has calls, the state of each API must equal that of the truth, and the
results of all turns so far must include those of the truth's turn. The calls of the truth are read from the
release's texts and run once for any number of answers. Source: the release's multi-turn checker and its
evaluation runner.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bfcl_pipeline.base.differences import Difference
from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Entry, Json, Mode, NameStyle, Rules
from bfcl_pipeline.dialogue.calls import Work, decode_step, executed_text, read_literal_call
from bfcl_pipeline.judge.scoring.findings import Finding, Outcome, first_differences, shorten
from bfcl_pipeline.world.tools import Constants, World, WorldConfig, parameters_of, snapshot

TRUTH_OWNER = "truth"
"""The owner name of the truth's world."""


@dataclass(frozen=True, slots=True)
class TruthTurn:
    """One turn of the truth after its calls were run."""

    calls: tuple[Call, ...]  # empty if the model should not call anything
    results: tuple[str, ...]  # result of each call, as text for a model
    wanted: Mapping[str, int]  # number of occurrences of each result
    states: Mapping[str, Any]  # state of each API after the turn


def truth_calls(entry: Entry) -> tuple[tuple[Call, ...], ...]:
    """The calls of each turn, with a name for every argument. Raises MalformedRelease for invalid text."""
    if not isinstance(entry.truth, list) or not all(isinstance(turn, list) for turn in entry.truth):
        raise _malformed(entry, "a list of turns", type(entry.truth).__name__)
    return tuple(tuple(_call(entry, text) for text in turn) for turn in entry.truth)


def play_truth(entry: Entry, constants: Constants) -> tuple[TruthTurn, ...]:
    """Runs every turn of the truth of `entry` in a fresh world. Raises MalformedRelease."""
    world = World.for_entry(entry, WorldConfig(constants), TRUTH_OWNER)
    turns = []
    for calls in truth_calls(entry):
        results = tuple(world.run(call) for call in calls)
        turns.append(TruthTurn(calls, results, Counter(results), _states(world)))
    return tuple(turns)


def _states(world: World) -> dict[str, Any]:
    return {name: snapshot(state) for name, state in world.states().items()}


def _call(entry: Entry, text: Any) -> Call:
    try:
        return read_literal_call(text, lambda name: _parameters(entry.apis, name))
    except (ValueError, TypeError) as error:
        raise _malformed(entry, "a call with literal arguments", f"{text!r:.80} ({error})") from None


def _parameters(apis: Sequence[str], name: str) -> Sequence[str]:
    try:
        return parameters_of(apis, name)
    except KeyError:
        raise ValueError(f"{name} is not a method of {', '.join(apis)}") from None


def _malformed(entry: Entry, expected: str, got: str) -> MalformedRelease:
    return MalformedRelease.at(f"{entry.entry_id}: truth", expected, got)


TurnSteps = list[tuple[Call, ...]]
"""The calls of a turn's steps, without the steps that have none."""

MODEL_OWNER = "model_eval"
"""The owner name of an answer's world; the release appends it to a model's name."""

_NO_TURNS = Finding(
    "multi_turn:inference_error",
    "Expected the answers of each turn as a list of turns.",
)


class MultiTurnChecker:
    """Checks the answers to one entry; the calls of its truth are run once."""

    def __init__(self, entry: Entry, constants: Constants) -> None:
        self._entry = entry
        self._constants = constants

    @cached_property
    def truth(self) -> tuple[TruthTurn, ...]:
        """The turns of the truth, with the results of their calls."""
        return play_truth(self._entry, self._constants)

    def check(
        self,
        result: Json | DecodeFailure,
        mode: Mode,
        style: NameStyle,  # noqa: ARG002  # no function of a simulated API has a dot in its name
        rules: Sequence[Rules],
    ) -> list[Outcome]:
        """The outcome of one answer by each of `rules`. `result`: a list of turns, each a list of steps."""
        if not isinstance(result, list):
            return [Outcome(_NO_TURNS)] * len(rules)
        if len(result) != len(self.truth):
            return [Outcome(_ended(len(result), len(self.truth)))] * len(rules)
        if not all(isinstance(turn, list | dict | str) for turn in result):
            return [Outcome(_NO_TURNS)] * len(rules)  # the release's runner crashes here
        work = Work()
        turns = [decoded_steps(turn, mode, work) for turn in result]
        finding = self._compare(turns)
        return [
            Outcome(finding or (unwanted_calls(turns, self.truth) if rule_set is Rules.CORRECTED else None))
            for rule_set in rules
        ]

    def _compare(self, turns: Sequence[TurnSteps]) -> Finding | None:
        """Runs the calls of the answer and returns the first difference from the truth."""
        world = World.for_entry(self._entry, WorldConfig(self._constants), MODEL_OWNER)
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


def unwanted_calls(turns: Sequence[TurnSteps], truth: Sequence[TruthTurn]) -> Finding | None:
    """Rule `empty-turn`: official accepts any calls at a turn whose truth has none.

    Corrected accepts none there, with a check that the release has but does not use.
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


def decoded_steps(turn: Json, mode: Mode, work: Work) -> TurnSteps:
    """The steps of a turn that have calls; steps without calls, or not decodable, are skipped.

    As in the release, a mapping in place of a turn is read as its keys. A text has no calls. `work` is what
    may still be done for all turns of the answer.
    """
    steps = []
    for result in turn if isinstance(turn, list | dict) else ():
        if work.is_done:
            break
        calls = decode_step(result, mode, work)
        if calls and not isinstance(calls, DecodeFailure):
            steps.append(calls)
    return steps


def _check_calls(number: int, steps: TurnSteps, truth: TruthTurn) -> Finding | None:
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
            places = "; ".join(_described(api, place) for place in first_differences(state, wanted))
            message = f"After turn {number + 1}: {places}."
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
        f"Turn {number + 1}: no call so far returned what {executed_text(call)} returns: "
        f"{shorten(result)}.",
        number,
    )


def _described(api: str, difference: Difference) -> str:
    return f"{api}.{difference.path} is {shorten(difference.first)}, expected {shorten(difference.second)}"


def _named(steps: Sequence[Sequence[Call]]) -> str:
    """The names of the first few called functions."""
    names = list(dict.fromkeys(call.name for calls in steps for call in calls))
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
