"""Whole numbers: factorials, divisors, prime factors, binary texts."""

from typing import Any

from bfcl_pipeline.world.executables.functions.work import EvaluationWork

MAX_RECURSION = 950
"""Rounds of Euclid's algorithm; in the release each one is a recursion, of which Python allows 1,000."""


def math_factorial(work: EvaluationWork, n: Any) -> Any:
    """The product of the numbers from 1 to n; 1 if there are none."""
    product: Any = 1
    for factor in range(1, n + 1):
        product = work.times(product, factor)
    return product


def math_gcd(work: EvaluationWork, a: Any, b: Any) -> Any:
    """The greatest common divisor by Euclid's algorithm. Raises RecursionError if that takes long."""
    for _ in range(MAX_RECURSION):
        if b == 0:
            return a
        a, b = b, work.remainder(a, b)
    raise RecursionError("maximum recursion depth exceeded")


def math_lcm(work: EvaluationWork, a: Any, b: Any) -> Any:
    """The least common multiple, as a float."""
    return work.times(a, b) / math_gcd(work, a, b)


def get_prime_factors(work: EvaluationWork, number: Any) -> Any:
    """The prime factors in ascending order, by trial division.

    For a number that is not whole the division never ends in the release; here it ends at the bound.
    """
    factors = []
    divisor = 2
    while number > 1:
        work.spend()
        while number % divisor == 0:
            work.spend()
            factors.append(divisor)
            number /= divisor
        divisor += 1
    return factors


def add_binary_numbers(a: Any, b: Any) -> Any:
    """The sum of two binary numbers, given and returned as texts."""
    return bin(int(a, 2) + int(b, 2))[2:]
