"""The steps of a dry run as a short list: similar ones are grouped in one line."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from textwrap import wrap

from bfcl_pipeline.base.text import plural

NAMED = 8
"""Steps of a group that are named; of more, the number is given."""

WIDTH = 100
"""Columns of a line, unless a name is longer."""


def dry_run_text(run: str, steps: Sequence[str]) -> str:
    """The steps of a run by their messages; those that begin with the same word are one group."""
    of_run = f" of run {run}" if run else ""
    groups: dict[str, set[str]] = {}
    for step in steps:
        groups.setdefault(step.partition(" ")[0], set()).add(step)
    lines = (line for group in groups.values() for line in _group(sorted(group)))
    return "\n".join([f"Dry run{of_run}: {plural(len(steps), 'step', 'steps')}, nothing is run.", *lines])


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
