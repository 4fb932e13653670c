"""What the guarded official scorer evaluates of an answer, and what it refuses; without that package."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from bfcl_pipeline.second_scorer import guarded_scorer
from bfcl_pipeline.second_scorer.guarded_scorer import APIS, Guard, Refused, check_expression

ENTRY = {"id": "multi_turn_base_0"}


class Api:
    """Stands for a simulated API."""

    __module__ = f"{APIS}.api"

    def double(self, number: int) -> int:
        """Twice the number."""
        return 2 * number

    def spin(self) -> None:
        """Never ends."""
        while True:
            pass


NAMES: dict[str, Any] = {"api": Api(), "signal": signal}


@pytest.mark.parametrize(
    "text",
    [
        "open('/etc/passwd')",
        "ｏｐｅｎ('x')",
        "__import__('os')",
        "signal",
        "signal.alarm(1)",
        "api",
        "api.double",
        "api.__class__",
        "api._spin()",
        "api.double(1).real()",
        "api.double(*[1])",
        "api.double(**{})",
        "api.double(signal.alarm(1))",
        "api.double(number=open)",
        "f'{api}'",
        "(x := 1)",
        "lambda: 1",
        "[x for x in [1]]",
        "1 if 1 else 2",
        "{1: 2}[1]",
        "{**{}}",
        "''.join([])",
        "'%s' % 1",
        "'a' * 10",
        "[1] * 10",
        "9 ** 9",
        "1 << 9",
        "1" * (guarded_scorer.MOST_CHARACTERS + 1),
    ],
)
def test_what_could_do_harm_is_refused(text: str) -> None:
    """Before anything of it is evaluated."""
    with pytest.raises(Refused):
        check_expression(text, NAMES)


@pytest.mark.parametrize("text", ["(" * 5000, "-" * 50_000 + "1", "+".join(["1"] * 30_000), "\x00"])
def test_an_expression_too_deep_is_an_error_as_ever(text: str) -> None:
    """The official package expects one."""
    with pytest.raises((SyntaxError, RecursionError, MemoryError, ValueError)):
        check_expression(text, NAMES)


def test_calls_of_a_simulated_api_are_evaluated() -> None:
    """Nested ones too, with literals and arithmetic; a name that does not exist is a NameError."""
    guard = Guard()
    assert guard.eval("api.double(number=api.double(1 + 2 * 3))", NAMES) == 28
    assert guard.eval("[-1, ('a' 'b', {'c': None})]", NAMES) == [-1, ("ab", {"c": None})]
    with pytest.raises(NameError, match="unknown"):
        guard.eval("unknown(1)", NAMES)
    assert not guard.refused


def test_entries_with_refused_parts_are_noted() -> None:
    """By category and id."""
    guard = Guard()

    def score(entry: dict[str, str]) -> str:
        with pytest.raises(NameError, match="refused"):
            guard.eval("open(1)", NAMES)
        return entry["id"]

    assert guard.watch(score)(ENTRY) == ENTRY["id"]
    assert guard.refused == {"multi_turn_base": {ENTRY["id"]}}


def test_a_call_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the processor time of its entry, which is noted; afterwards no timer is left."""
    monkeypatch.setattr(guarded_scorer, "ENTRY_SECONDS", 0.05)
    guard = Guard()
    before = signal.signal(signal.SIGPROF, guard.expired)
    try:
        with pytest.raises(Refused, match="processor time"):
            guard.watch(lambda _entry: guard.eval("api.spin()", NAMES))(ENTRY)
        assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    finally:
        signal.signal(signal.SIGPROF, before)
    assert guard.refused == {"multi_turn_base": {ENTRY["id"]}}
