"""Fibonacci numbers and sorted lists."""

from typing import Any

from bfcl_pipeline.world.executables.functions.work import EvaluationWork, digits


def get_fibonacci_sequence(work: EvaluationWork, n: Any) -> Any:
    """The first n Fibonacci numbers; always at least 0 and 1."""
    sequence = [0, 1]
    for _ in range(2, n):
        following = work.plus(sequence[-1], sequence[-2])
        work.spend(digits(following))  # all of them are held at once
        sequence.append(following)
    return sequence


def get_fibonacci_number(work: EvaluationWork, n: Any) -> Any:
    """The n-th Fibonacci number, of which the first is 0; a text for n below 1."""
    if n <= 0:
        return "Input should be a positive integer."
    if n in (1, 2):
        return 0 if n == 1 else 1
    before, last = 0, 1
    for _ in range(2, n):
        before, last = last, work.plus(before, last)
    return last


def sort_array(array: Any, reverse: Any = False) -> Any:
    """The items in ascending order, or in descending order."""
    return sorted(array, reverse=reverse)
