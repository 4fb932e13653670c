"""The steps of a dry run as a short list: similar ones are grouped in one line."""

from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from textwrap import wrap

from bfcl_pipeline.base.text import plural

NAMED = 8
"""Steps of a group that are named; of more, the number is given."""

WIDTH = 100
"""Columns of a line, unless a name is longer."""


def grouped_steps(steps: Sequence[str]) -> Iterator[str]:
    """Lines for steps with these messages; those that begin with the same word are one group."""
    order: dict[str, int] = {}
    for step in steps:
        order.setdefault(step.partition(" ")[0], len(order))
    in_groups = sorted(steps, key=lambda step: order[step.partition(" ")[0]])
    for _, group in groupby(in_groups, key=lambda step: step.partition(" ")[0]):
        yield from _group(sorted(set(group)))


def _group(steps: Sequence[str]) -> Iterator[str]:
    if len(steps) == 1:
        yield f"  {steps[0]}"
        return
    words = [step.split(" ") for step in steps]
    common = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False)))
    rest = [" ".join(step[common:]) for step in words]
    more = f", and {len(rest) - NAMED:,} more" if len(rest) > NAMED else ""
    what = " ".join(words[0][:common]).removesuffix(" the")
    text = f"{what} ({plural(len(steps), 'step', 'steps')}): {', '.join(rest[:NAMED])}{more}"
    yield from wrap(
        text,
        WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
