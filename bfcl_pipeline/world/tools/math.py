"""MathAPI: a pocket calculator.

Covers arithmetic, means, roots and logarithms to a given number of digits, and units of length, mass and
temperature. It has no state to compare, and the initial state of an entry has no effect. Source: the
function docs and the behaviour of the release's math_api.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from functools import cached_property, reduce
from math import sqrt
from operator import add
from typing import Any, Self

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import BoundExceeded, WorldConfig, changes, reads, refuse_call

Outcome = dict[str, Any]

MAX_LOGARITHM_DIGITS = 5_000
"""Digits of a logarithm; that many take about 0.1 s."""

MAX_ROOT_DIGITS = 20_000
"""Digits of a square root; that many take about 0.1 s."""

MAX_DIGITS = 200_000
"""Digits of all logarithms and square roots of one conversation."""

MAX_FIGURE_TEXT = 100
"""Characters of a number that is given as text; a long exponent takes long."""

MAX_POWER_BITS = 100_000
"""Bits of an integer power. Python does not print longer integers either."""

_METERS = {"km": 1000, "m": 1, "cm": 0.01, "mm": 0.001, "um": 1e-6, "nm": 1e-9}

_FACTORS = {
    ("cm", "in"): 0.393701,
    ("in", "cm"): 2.54,
    ("m", "ft"): 3.28084,
    ("ft", "m"): 0.3048,
    ("m", "yd"): 1.09361,
    ("yd", "m"): 0.9144,
    ("km", "miles"): 0.621371,
    ("miles", "km"): 1.60934,
    ("kg", "lb"): 2.20462,
    ("lb", "kg"): 0.453592,
    ("celsius", "fahrenheit"): 1.8,
    ("fahrenheit", "celsius"): 5 / 9,
}

_TWO_NUMBERS = "Both inputs must be numbers"
_TOO_LARGE = "Conversion resulted in a value too large to represent"
_UNPRINTABLE = (  # Python's error text
    "Exceeds the limit (4300 digits) for integer string conversion; "
    "use sys.set_int_max_str_digits() to increase the limit"
)


@dataclass(slots=True)
class MathState:
    """Empty: a calculator has no memory."""


class MathAPI:
    """The calculator."""

    def __init__(self, state: MathState) -> None:
        self.state = state
        self._digits_left = MAX_DIGITS

    @classmethod
    def load(cls, initial: Mapping[str, Json], config: WorldConfig) -> Self:  # noqa: ARG003
        """A calculator; as in the release, the initial state of an entry is ignored."""
        return cls(MathState())

    @changes  # the precision, with which earlier logarithms are shown too
    def logarithm(self, value: float, base: float, precision: int) -> Outcome:
        """The logarithm of `value` to `base`, with `precision` digits."""
        try:
            self._set_digits(precision)
            _bound_text(value)
            _bound_text(base)
            return {"result": self._mp.log(value) / self._mp.log(base)}
        except BoundExceeded:
            raise
        except Exception as error:  # noqa: BLE001  # the release returns the text of any exception
            return refuse_call(str(error))

    @reads
    def mean(self, numbers: list[float]) -> Outcome:
        """The arithmetic mean."""
        return _over(numbers, _mean, "calculate mean")

    @reads
    def standard_deviation(self, numbers: list[float]) -> Outcome:
        """The standard deviation of the whole population."""
        return _over(numbers, _deviation, "calculate standard deviation")

    @reads
    def si_unit_conversion(self, value: float, unit_in: str, unit_out: str) -> Outcome:
        """A length in another metric unit."""
        if not isinstance(value, int | float):
            return refuse_call("Value must be a number")
        if unit_in not in _METERS or unit_out not in _METERS:
            return _no_conversion(unit_in, unit_out)
        try:
            return {"result": value * _METERS[unit_in] * (1 / _METERS[unit_out])}
        except OverflowError:
            return refuse_call(_TOO_LARGE)

    @reads
    def imperial_si_conversion(self, value: float, unit_in: str, unit_out: str) -> Outcome:
        """A length, mass or temperature in the unit of the other system."""
        if not isinstance(value, int | float):
            return refuse_call("Value must be a number")
        if unit_in == unit_out:
            return {"result": value}
        units = (str(unit_in), str(unit_out))
        if units not in _FACTORS:
            return _no_conversion(unit_in, unit_out)
        try:
            match units:
                case ("celsius", "fahrenheit"):
                    return {"result": value * _FACTORS[units] + 32}
                case ("fahrenheit", "celsius"):
                    return {"result": (value - 32) * _FACTORS[units]}
                case _:
                    return {"result": value * _FACTORS[units]}
        except OverflowError:
            return refuse_call(_TOO_LARGE)

    @reads
    def add(self, a: float, b: float) -> Outcome:
        """The sum of two numbers; texts and lists are concatenated, as in Python."""
        return _attempt(lambda: a + b, _TWO_NUMBERS)

    @reads
    def subtract(self, a: float, b: float) -> Outcome:
        """The difference of two numbers."""
        return _attempt(lambda: a - b, _TWO_NUMBERS)

    @reads
    def multiply(self, a: float, b: float) -> Outcome:
        """The product of two numbers."""
        if not (isinstance(a, int | float) and isinstance(b, int | float)):
            return refuse_call(_TWO_NUMBERS)
        return {"result": a * b}

    @reads
    def divide(self, a: float, b: float) -> Outcome:
        """The quotient of two numbers."""
        if b == 0:
            return refuse_call("Cannot divide by zero")
        return _attempt(lambda: a / b, _TWO_NUMBERS)

    @reads
    def power(self, base: float, exponent: float) -> Outcome:
        """`base` to the power of `exponent`; exact for integers."""
        if isinstance(base, int) and isinstance(exponent, int):
            _bound_power(base, exponent)
        return _attempt(lambda: base**exponent, _TWO_NUMBERS)

    @reads
    def square_root(self, number: float, precision: int) -> Outcome:
        """The square root with `precision` digits."""
        context = Context()  # new for each call, so that no call affects another
        try:
            if number < 0:
                return refuse_call("Cannot calculate square root of a negative number")
            context.prec = precision
            if precision > MAX_ROOT_DIGITS:
                raise BoundExceeded(f"a square root of more than {MAX_ROOT_DIGITS:,} digits")
            self._count_digits(precision)
            return {"result": context.sqrt(Decimal(number))}
        except (TypeError, InvalidOperation):
            return refuse_call("Input must be a number or computation resulted in an invalid operation")

    @reads
    def absolute_value(self, number: float) -> Outcome:
        """The number without its sign."""
        return _attempt(lambda: abs(number), "Input must be a number")

    @reads
    def round_number(self, number: float, decimal_places: int = 0) -> Outcome:
        """The number rounded; half-way cases go to the even neighbour."""
        if isinstance(number, int) and isinstance(decimal_places, int):
            # An integer rounded to more places than its length is 0; Python would compute the power of ten.
            decimal_places = max(decimal_places, -number.bit_length() - 1)
        return _attempt(
            lambda: round(number, decimal_places),
            "First input must be a number, second input must be an integer",
        )

    @reads
    def percentage(self, part: float, whole: float) -> Outcome:
        """`part` as a percentage of `whole`."""
        if whole == 0:
            return refuse_call("Whole value cannot be zero")
        return _attempt(lambda: part / whole * 100, _TWO_NUMBERS)

    @reads
    def min_value(self, numbers: list[float]) -> Outcome:
        """The least number."""
        return _over(numbers, min, "find minimum")

    @reads
    def max_value(self, numbers: list[float]) -> Outcome:
        """The greatest number."""
        return _over(numbers, max, "find maximum")

    @reads
    def sum_values(self, numbers: list[float]) -> Outcome:
        """The sum of the numbers."""
        return _over(numbers, _sum, "calculate sum")

    @cached_property
    def _mp(self) -> Any:
        """The arithmetic of any precision; as in the release, its precision persists between calls."""
        from mpmath import MPContext  # slow to import, and few entries need it

        return MPContext()

    def _set_digits(self, digits: int) -> None:
        before = self._mp.dps
        self._mp.dps = digits
        if self._mp.dps > MAX_LOGARITHM_DIGITS:
            self._mp.dps = before  # otherwise earlier results might be shown with that many digits
            raise BoundExceeded(f"a logarithm of more than {MAX_LOGARITHM_DIGITS:,} digits")
        self._count_digits(self._mp.dps)

    def _count_digits(self, digits: int) -> None:
        self._digits_left -= digits
        if self._digits_left < 0:
            raise BoundExceeded(f"logarithms and square roots of more than {MAX_DIGITS:,} digits in all")


def _attempt(compute: Callable[[], Any], unfit: str) -> Outcome:
    """The result of `compute`, or the error text `unfit` if it raises TypeError."""
    try:
        return {"result": compute()}
    except TypeError:
        return refuse_call(unfit)


def _over(numbers: list[float], compute: Callable[[list[float]], Any], purpose: str) -> Outcome:
    """The result of `compute` for a list that must not be empty."""
    if not numbers:
        return refuse_call(f"Cannot {purpose} of an empty list")
    return _attempt(lambda: compute(numbers), "All elements in the list must be numbers")


def _sum(numbers: Iterable[float]) -> float:
    """The plain running sum; the built-in `sum` compensates for rounding since Python 3.12."""
    return reduce(add, numbers, 0)


def _mean(numbers: list[float]) -> float:
    return _sum(numbers) / len(numbers)


def _deviation(numbers: list[float]) -> float:
    mean = _mean(numbers)
    return sqrt(_sum((number - mean) ** 2 for number in numbers) / len(numbers))


def _bound_power(base: int, exponent: int) -> None:
    """Raises BoundExceeded for a power with too many bits."""
    if (base.bit_length() - 1) * exponent > MAX_POWER_BITS:
        raise BoundExceeded(_UNPRINTABLE)


def _bound_text(figure: Any) -> None:
    """Raises BoundExceeded for a figure that is a very long text."""
    if isinstance(figure, str) and len(figure) > MAX_FIGURE_TEXT:
        raise BoundExceeded(f"a figure of more than {MAX_FIGURE_TEXT} characters")


def _no_conversion(unit_in: str, unit_out: str) -> Outcome:
    return refuse_call(f"Conversion from '{unit_in}' to '{unit_out}' is not supported")
