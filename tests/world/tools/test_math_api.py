from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import World, WorldConfig
from bfcl_pipeline.world.tools import math as math_api
from bfcl_pipeline.world.tools.api import BoundExceeded
from bfcl_pipeline.world.tools.math import MAX_DIGITS, MAX_LOGARITHM_DIGITS, MAX_ROOT_DIGITS, MathAPI

UNPRINTABLE = (
    "Exceeds the limit (4300 digits) for integer string conversion; "
    "use sys.set_int_max_str_digits() to increase the limit"
)


@pytest.fixture
def world(setting: WorldConfig) -> World:
    return World.of(["MathAPI"], {"MathAPI": {"numbers": [1, 2]}}, setting, "model_entry")


def run(world: World, name: str, **arguments: Any) -> str:
    return world.run(Call(name, arguments))


def failed(text: str) -> str:
    return f"Error during execution: {text}"


def result(value: Any) -> str:
    return json.dumps({"result": value})


def error(text: str) -> str:
    return json.dumps({"error": text})


def si(value: Any, unit_in: str, unit_out: str) -> Call:
    return Call("si_unit_conversion", {"value": value, "unit_in": unit_in, "unit_out": unit_out})


def imperial(value: Any, unit_in: str, unit_out: str) -> Call:
    return Call("imperial_si_conversion", {"value": value, "unit_in": unit_in, "unit_out": unit_out})


def logarithm(value: Any, base: Any, precision: Any) -> Call:
    return Call("logarithm", {"value": value, "base": base, "precision": precision})


NUMBERS = "Both inputs must be numbers"
RESULTS = [
    # Python's arithmetic, with the release's texts of errors.
    (Call("add", {"a": 0.1, "b": 0.2}), result(0.30000000000000004)),
    (Call("add", {"a": "1", "b": "2"}), result("12")),
    (Call("add", {"a": "1", "b": 2}), error(NUMBERS)),
    (Call("multiply", {"a": "1", "b": 2}), error(NUMBERS)),
    (Call("divide", {"a": 1, "b": 0}), error("Cannot divide by zero")),
    (Call("percentage", {"part": 1, "whole": 8}), result(12.5)),
    (Call("power", {"base": 2, "exponent": 10}), result(1024)),
    (Call("power", {"base": -1, "exponent": 0.5}), "{'result': (6.123233995736766e-17+1j)}"),
    (Call("power", {"base": 2.0, "exponent": 5000}), failed("(34, 'Numerical result out of range')")),
    (Call("round_number", {"number": 2.5}), result(2.0)),
    (Call("round_number", {"number": 1234, "decimal_places": -2}), result(1200)),
    (Call("mean", {"numbers": [1, 2, 4]}), result(2.3333333333333335)),
    (Call("mean", {"numbers": []}), error("Cannot calculate mean of an empty list")),
    (Call("max_value", {"numbers": [1, "a"]}), error("All elements in the list must be numbers")),
    (Call("standard_deviation", {"numbers": [1, 2, 3, 4]}), result(1.118033988749895)),
    # Sums are not compensated, in any Python version.
    (Call("sum_values", {"numbers": [0.1] * 10}), result(0.9999999999999999)),
    # Logarithms and roots are shown as objects of arbitrary precision, errors as the library's message.
    (logarithm(36.0, 6.0, 4), "{'result': mpf('2.0')}"),
    (logarithm(20, 10, 2), "{'result': mpf('1.3027')}"),
    (Call("square_root", {"number": 2, "precision": 5}), "{'result': Decimal('1.4142')}"),
    (logarithm([1], 2, 5), error("cannot create mpf from [1]")),
    (logarithm(2, 1, 5), error("")),
    # Metric lengths are converted through metres, as floats.
    (si(5, "km", "m"), result(5000.0)),
    (si(5, "cm", "km"), result(5e-05)),
    (si(5, "km", "ft"), error("Conversion from 'km' to 'ft' is not supported")),
    (si(10**400, "km", "m"), error("Conversion resulted in a value too large to represent")),
    (si("5", "km", "m"), error("Value must be a number")),
    # Units are converted between the systems, and any unit, known or unknown, to itself.
    (imperial(2, "in", "cm"), result(5.08)),
    (imperial(100, "celsius", "fahrenheit"), result(212.0)),
    (imperial(212, "fahrenheit", "celsius"), result(100.0)),
    (imperial(5, "stone", "stone"), result(5)),
    (imperial(5, "kg", "m"), error("Conversion from 'kg' to 'm' is not supported")),
    # A call that would take too long or print too much is refused; a power with Python's message.
    (Call("power", {"base": 10, "exponent": 10**9}), failed(UNPRINTABLE)),
    (Call("power", {"base": 10, "exponent": 5000}), failed(UNPRINTABLE)),
    (logarithm(2, 10, MAX_LOGARITHM_DIGITS + 1), failed("a logarithm of more than 5,000 digits")),
    (logarithm("1e" + "9" * 4000, 10, 5), failed("a figure of more than 100 characters")),
    (
        Call("square_root", {"number": 2, "precision": MAX_ROOT_DIGITS + 1}),
        failed("a square root of more than 20,000 digits"),
    ),
    (Call("square_root", {"number": 2, "precision": 0}), failed("valid range for prec is [1, MAX_PREC]")),
]


@pytest.mark.parametrize(("call", "text"), RESULTS, ids=range(len(RESULTS)))
def test_results(world: World, call: Call, text: str) -> None:
    """Each call has its result, as text."""
    assert world.run(call) == text


def test_precision_of_an_earlier_logarithm(setting: WorldConfig) -> None:
    """A stored logarithm is shown with the digits of the latest one."""
    world = World.of(["MessageAPI", "MathAPI"], {}, setting, "model_entry")
    run(world, "message_login", user_id="USR001")
    fine = Call("logarithm", {"value": 2, "base": 10, "precision": 30})
    run(world, "send_message", receiver_id="USR001", message=fine)
    assert "mpf('0.301029995663981195213738894724506')" in run(world, "view_messages_sent")
    run(world, "logarithm", value=2, base=10, precision=3)
    assert "mpf('0.30103')" in run(world, "view_messages_sent")


def test_worlds_do_not_share_precision(setting: WorldConfig) -> None:
    """The precision that one conversation sets does not affect another."""
    one, other = (World.of(["MathAPI"], {}, setting, "model_entry") for _ in range(2))
    before = run(other, "logarithm", value=2, base=10, precision="x")
    run(one, "logarithm", value=2, base=10, precision=50)
    assert run(other, "logarithm", value=2, base=10, precision="x") == before
    assert other.apis["MathAPI"]._mp.dps == 15  # type: ignore[attr-defined]


def test_a_refused_precision_is_forgotten(setting: WorldConfig) -> None:
    """A refused logarithm leaves the precision unchanged, since earlier results are shown with it."""
    api = MathAPI.load({}, setting)
    api.logarithm(2, 10, 7)
    with pytest.raises(BoundExceeded):
        api.logarithm(2, 10, 10**12)
    assert api._mp.dps == 7


@pytest.mark.parametrize("number", [0, 5, -1234, True, 10**4000])
def test_rounding_beyond_all_digits_does_not_allocate_memory(setting: WorldConfig, number: int) -> None:
    """An integer rounded to more places than it has is 0, and no power of ten is formed for it."""
    tracemalloc.start()
    try:
        assert MathAPI.load({}, setting).round_number(number, -(10**9)) == {"result": 0}
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most_bytes < 1_000_000  # 10**(10**9) has 400 MB


def test_rounding_agrees_with_python(setting: WorldConfig) -> None:
    """Integers are rounded as by Python, around the number of their digits."""
    api = MathAPI.load({}, setting)
    for number in (0, 5, 49, 50, 51, -50, 95, 999, 10**20 - 1):
        for places in range(-25, 3):
            assert api.round_number(number, places) == {"result": round(number, places)}


@pytest.mark.parametrize(
    ("name", "arguments", "digits"),
    [
        ("logarithm", {"value": 2, "base": 10, "precision": MAX_LOGARITHM_DIGITS}, MAX_LOGARITHM_DIGITS),
        ("square_root", {"number": 2, "precision": MAX_ROOT_DIGITS}, MAX_ROOT_DIGITS),
    ],
)
def test_the_digits_of_a_conversation_are_bounded(
    setting: WorldConfig, monkeypatch: pytest.MonkeyPatch, name: str, arguments: dict[str, Any], digits: int
) -> None:
    """The largest precision is computed a few times in one conversation, not thousands of times."""
    assert MAX_DIGITS == 200_000
    monkeypatch.setattr(math_api, "MAX_DIGITS", 2 * digits)
    world = World.of(["MathAPI"], {"MathAPI": {"numbers": [1, 2]}}, setting, "model_entry")
    texts = [run(world, name, **arguments) for _ in range(3)]
    assert "1.414" in texts[-2] or "0.301" in texts[-2]
    assert texts[-1].endswith(f"of more than {2 * digits:,} digits in all")
