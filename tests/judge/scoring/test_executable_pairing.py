"""Pairing calls whose values may be unrecorded, against all ways in which they could be recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import permutations, product

import pytest

from bfcl_pipeline.base.errors import NotRecorded
from bfcl_pipeline.benchmark.records import Call, Entry, Rules
from bfcl_pipeline.judge.scoring.executable import ExecutableChecker
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest
from bfcl_pipeline.world.executables.network import NETWORK_FUNCTIONS, NetworkFunction

COUNT = 3
"""Expected calls, and calls of an answer."""

EXPECTED, GIVEN = (100, 85, None), (90, 110, 1, None)
"""Prices. Of the given ones 90 is within 20 % of both expected ones, 110 of the first, 1 of none."""


class Prices:
    """Web APIs that know some prices."""

    def __init__(self, prices: Mapping[str, int | None]) -> None:
        self._prices = prices

    def get(self, request: ApiRequest) -> ApiAnswer:
        """The price. Raises NotRecorded."""
        price = self._prices[dict(request.params)["name"]]
        if price is None:
            raise NotRecorded("This price is not recorded.")
        return ApiAnswer(200, json.dumps(price))


@pytest.fixture(autouse=True)
def _price_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more function: `price` asks the network for a value."""

    def request(name: str) -> ApiRequest:
        return ApiRequest("https://api.open-meteo.com/price", (("name", name),))

    function = NetworkFunction("price", request, lambda answer, _: json.loads(answer.body))
    monkeypatch.setitem(NETWORK_FUNCTIONS, "price", function)


def _complete(fits: Sequence[Sequence[bool]], rules: Rules) -> bool:
    """Whether all expected calls have a match, if it is known of each pair whether it fits."""
    if rules is not Rules.OFFICIAL:
        return any(
            all(fits[wanted][given] for wanted, given in enumerate(order))
            for order in permutations(range(COUNT))
        )
    left = [*range(COUNT)]
    for row in fits:
        matches = [given for given in left if row[given]]
        if not matches:
            return False
        left.remove(matches[0])
    return True


def _verdict(wanted: Sequence[int | None], given: Sequence[int | None], rules: Rules) -> bool | None:
    """Whether the answer passes; None if that depends on what is not recorded.

    The slow definition: by every combination of what the pairs without a record could be.
    """
    pairs = [
        [None if one is None or other is None else abs(other - one) <= one / 5 for other in given]
        for one in wanted
    ]
    unknown = [(row, place) for row in range(COUNT) for place in range(COUNT) if pairs[row][place] is None]
    found = set()
    for guesses in product((False, True), repeat=len(unknown)):
        fits = [[bool(fit) for fit in row] for row in pairs]
        for (row, place), guess in zip(unknown, guesses, strict=True):
            fits[row][place] = guess
        found.add(_complete(fits, rules))
        if len(found) > 1:
            return None
    return found.pop()


@pytest.mark.parametrize("rules", [Rules.OFFICIAL, Rules.CORRECTED])
def test_what_is_not_recorded_decides_nothing(rules: Rules) -> None:
    """An answer fails, or passes, if it does so whatever the missing values are; else it has no verdict."""
    entry = Entry(
        "exec_parallel_0",
        "exec_parallel",
        [[]],
        [],
        truth=[{"call": f"price(name='e{place}')", "match": "real_time_match"} for place in range(COUNT)],
    )
    calls = [Call("price", {"name": f"g{place}"}) for place in range(COUNT)]
    seen = set()
    for wanted, given in product(product(EXPECTED, repeat=COUNT), product(GIVEN, repeat=COUNT)):
        prices = {f"e{place}": value for place, value in enumerate(wanted)}
        prices |= {f"g{place}": value for place, value in enumerate(given)}
        outcome = ExecutableChecker(entry, Prices(prices)).check_calls(calls, rules)
        verdict = None if outcome.not_recorded is not None else outcome.finding is None
        assert verdict is _verdict(wanted, given, rules), (wanted, given)
        seen.add(verdict)
    assert seen == {True, False, None}
