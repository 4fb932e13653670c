"""The work of one call: counted before it is done, in steps, never in seconds.

Covers the arithmetic whose results can be large although its operands are short: products, powers, sums and
remainders of whole numbers of any length, and repetitions of texts and lists. Other operators are used
directly, as their results are no larger than their operands.

A step is one round of a loop, one item or character that is made, received or returned, or a hundred
products of two 64-bit digits. The bounds are far above what published answers need; the largest expected
call, the factorial of 1,000, takes 1,360 steps.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any

from bfcl_pipeline.world.executables.binding import ExecutionFailed

MAX_STEPS = 1_000_000
"""Steps of one call, with those of the calls among its arguments."""

MAX_ANSWER_STEPS = 4 * MAX_STEPS
"""Steps of all calls of an answer that are executed to show them, also those that no verdict needs."""

MAX_ITEMS = 200_000
"""Items and characters in the arguments of a call, or in its value, at all depths."""

MAX_BITS = 14_000
"""Bits of a whole number in the value of a call: about 4,200 decimal digits, which Python still prints."""

_DIGIT_BITS = 64
_PRODUCTS = 100  # of two digits, in one step


class EvaluationWork:
    """The work that may still be done for a call."""

    __slots__ = ("_left",)

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self._left = steps

    @property
    def steps_left(self) -> int:
        """The steps that may still be done."""
        return self._left

    def spend(self, steps: int = 1) -> None:
        """Counts `steps`. Raises ExecutionFailed if fewer are left."""
        if steps > self._left:
            self._left = 0
            raise ExecutionFailed(f"Bound: the call takes more than {MAX_STEPS:,} steps of work")
        self._left -= steps

    def plus(self, left: Any, right: Any) -> Any:
        """`left + right`."""
        self.spend(1 + (digits(left) + digits(right)) // _PRODUCTS)
        return left + right

    def times(self, left: Any, right: Any) -> Any:
        """`left * right`; a text or list is repeated, as in Python."""
        self.spend(1 + digits(left) * digits(right) // _PRODUCTS)
        for sequence, count in ((left, right), (right, left)):
            if isinstance(sequence, str | bytes | list | tuple) and isinstance(count, int):
                self.spend(len(sequence) * max(count, 0))
        return left * right

    def divided(self, left: Any, right: Any) -> Any:
        """`left // right`."""
        self.spend(1 + digits(left) * digits(right) // _PRODUCTS)
        return left // right

    def remainder(self, left: Any, right: Any) -> Any:
        """`left % right`. Raises TypeError for a text on the left, which Python would format."""
        if isinstance(left, str | bytes):
            raise TypeError("a text has no remainder")
        self.spend(1 + digits(left) * digits(right) // _PRODUCTS)
        return left % right

    def power(self, base: Any, exponent: Any) -> Any:
        """`base**exponent`."""
        digits = 1
        if isinstance(base, int) and isinstance(exponent, int) and exponent > 0 and abs(base) > 1:
            digits += base.bit_length() * exponent // _DIGIT_BITS
        self.spend(1 + digits * digits // _PRODUCTS)
        return base**exponent

    def total(self, items: Iterable[Any]) -> Any:
        """The plain running sum from 0; the built-in `sum` compensates for rounding since Python 3.12."""
        return reduce(self.plus, items, 0)

    def check_arguments(self, values: Sequence[Any]) -> None:
        """Counts `values` as work. Raises ExecutionFailed for more than MAX_ITEMS items and characters."""
        self._spend_items(values, "arguments have")

    def checked(self, value: Any) -> Any:
        """`value`, counted as work. Raises ExecutionFailed if it exceeds MAX_ITEMS or MAX_BITS."""
        self._spend_items(value, "value has", MAX_BITS)
        return value

    def _spend_items(self, value: Any, has: str, most_bits: int | None = None) -> None:
        count = _items(value, most_bits)
        if count > MAX_ITEMS:
            raise ExecutionFailed(f"Bound: the {has} more than {MAX_ITEMS:,} items and characters")
        self.spend(count)


class AnswerWork:
    """The work of all calls of an answer, each of which has the bound of a single call as well."""

    def __init__(self) -> None:
        self.steps_left = MAX_ANSWER_STEPS

    @contextmanager
    def call(self) -> Iterator[EvaluationWork]:
        """The work of the next call."""
        steps = min(MAX_STEPS, self.steps_left)
        work = EvaluationWork(steps)
        try:
            yield work
        finally:
            self.steps_left -= steps - work.steps_left


def digits(value: Any) -> int:
    """The 64-bit digits of a whole number; 1 for another value."""
    return 1 + value.bit_length() // _DIGIT_BITS if isinstance(value, int) else 1


def _items(value: Any, most_bits: int | None = None) -> int:
    """The items, characters and 64-bit digits in `value`; after MAX_ITEMS the others are not counted.

    A list that is in several places counts in each of them. Raises ExecutionFailed for a whole number of
    more than `most_bits` bits.
    """
    count, rest = 1, [value]
    while rest and count <= MAX_ITEMS:
        match rest.pop():
            case str() | bytes() as text:
                count += len(text)
            case int() as number:
                if most_bits is not None and number.bit_length() > most_bits:
                    raise ExecutionFailed(
                        f"Bound: the value has a whole number of more than {most_bits:,} bits"
                    )
                count += number.bit_length() // _DIGIT_BITS
            case list() | tuple() as items:
                count += len(items)
                rest.extend(items)
            case dict() as mapping:
                count += 2 * len(mapping)
                rest.extend([*mapping.keys(), *mapping.values()])
    return count
