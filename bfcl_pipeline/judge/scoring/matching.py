"""Compares the calls of a response with the truth: one call, or several in any order.

Source: the release's simple, multiple and parallel checkers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.benchmark.records import Call, NameStyle, Rules
from bfcl_pipeline.judge.scoring.expected import ExpectedCall, spell_name
from bfcl_pipeline.judge.scoring.findings import Finding
from bfcl_pipeline.judge.scoring.functions import check_call

_PARALLEL = "parallel_function_checker_no_order"


def check_single(
    expected: ExpectedCall, calls: Sequence[Call], style: NameStyle, rules: Rules, checker: str
) -> Finding | None:
    """The error in `calls` where exactly one is expected; `checker`: prefix of the error type."""
    if len(calls) != 1:
        return Finding(f"{checker}:wrong_count", f"Expected one call, got {len(calls)}.")
    return check_call(expected, calls[0], style, rules)


def check_parallel(
    expected: Sequence[ExpectedCall], calls: Sequence[Call], style: NameStyle, rules: Rules
) -> Finding | None:
    """The error in `calls` where all of `expected` are required, in any order."""
    if len(calls) != len(expected):
        return Finding(f"{_PARALLEL}:wrong_count", f"Expected {len(expected)} calls, got {len(calls)}.")

    def compare(wanted: int, given: int) -> Finding | None:
        return check_call(expected[wanted], calls[given], style, rules)

    unmatched = first_unmatched(len(expected), compare, rules)
    if unmatched is None:
        return None
    return Finding(
        f"{_PARALLEL}:cannot_find_match", _explain(expected[unmatched], unmatched, calls, style, compare)
    )


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which call of an answer each expected call is assigned."""

    taken: Mapping[int, int]  # places of expected calls, by that of the call; up to the first without one
    unmatched: int | None  # the first expected call without a match; None if all have one


def first_unmatched(count: int, compare: Callable[[int, int], Finding | None], rules: Rules) -> int | None:
    """The first expected call without a match, or None; see `pairing`."""
    return pairing(count, compare, rules).unmatched


def pairing(count: int, compare: Callable[[int, int], Finding | None], rules: Rules) -> Pairing:
    """Rule `assignment`: official assigns to each expected call, in order, the first matching call that is
    left, without backtracking, so a response can fail although another pairing is complete. Corrected
    searches any complete pairing.

    count: of the expected calls and of the calls. compare: the error in a call (second) as the match of an
    expected call (first).
    """
    taken: dict[int, int] = {}
    if rules is Rules.OFFICIAL:
        left = list(range(count))
        for wanted in range(count):
            match = next((given for given in left if compare(wanted, given) is None), None)
            if match is None:
                return Pairing(taken, wanted)
            left.remove(match)
            taken[match] = wanted
        return Pairing(taken, None)
    fits: list[list[int]] = []
    for wanted in range(count):
        fits.append([given for given in range(count) if compare(wanted, given) is None])
        if not _place(wanted, fits, taken, set()):
            return Pairing(taken, wanted)
    return Pairing(taken, None)


def first_excluded(count: int, fits: Callable[[int, int], bool | None], rules: Rules) -> int | None:
    """The first expected call up to which no pairing is possible; None if a complete one is.

    As `first_unmatched`, where of some pairs it is not known whether they fit (None). All pairings are
    tried: entries whose calls are executed have at most four expected calls.
    """

    def possible(last: int, left: tuple[int, ...], wanted: int = 0) -> bool:
        """Whether all expected calls from `wanted` to `last` can have a match among `left`."""
        for place, given in enumerate(left):
            fit = fits(wanted, given)
            others = (*left[:place], *left[place + 1 :])
            if fit is not False and (wanted == last or possible(last, others, wanted + 1)):
                return True
            if fit and rules is Rules.OFFICIAL:
                return False
        return False

    return next((last for last in range(count) if not possible(last, tuple(range(count)))), None)


def _place(wanted: int, fits: Sequence[Sequence[int]], taken: dict[int, int], tried: set[int]) -> bool:
    """Assigns a matching call to `wanted`, reassigning others if necessary (an augmenting path)."""
    for given in fits[wanted]:
        if given not in tried:
            tried.add(given)
            if given not in taken or _place(taken[given], fits, taken, tried):
                taken[given] = wanted
                return True
    return False


def _explain(
    expected: ExpectedCall,
    wanted: int,
    calls: Sequence[Call],
    style: NameStyle,
    compare: Callable[[int, int], Finding | None],
) -> str:
    """The message for an expected call without a match, with the errors of calls of the same function."""
    name = spell_name(expected, style)
    reasons = [
        f"call {given + 1}: {finding.message}"
        for given, call in enumerate(calls)
        if call.name == name and (finding := compare(wanted, given)) is not None
    ]
    why = " ".join(reasons) or f"No call of {name!r} is left."
    return f"Expected call {wanted + 1} ({name}) has no match. {why}"
