"""The comparisons of all pairs of models of one table, and its verdicts, as data for the site's scripts.

The statistics are those of `bfcl-pipeline compare`: paired by entry, clustered. With more models than
`MOST_MODELS`, only the first ones are compared, as the pairs grow with the square.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.share.gallery.standings import Standing, Standings
from bfcl_pipeline.show.compare.compare import Comparer, Comparison
from bfcl_pipeline.show.compare.sides import ABSENT, RIGHT, UNJUDGED, WRONG, Numbering

MOST_MODELS = 40
"""The most models of a table that are compared with each other: 780 pairs."""

_DIGITS = 5  # of a share

Json: TypeAlias = Any


def compared_models(table: Standings) -> list[Standing]:
    """The models of a table that are compared, in the order of their official ranks."""
    return list(table.of[Rules.OFFICIAL][:MOST_MODELS])


def comparisons(table: Standings) -> dict[str, dict[str, list[list[Json]]]]:
    """The differences of every pair, by rule set, then `first-second` as numbers of `compared_models`.

    Each is a list of score, entries, first, second, difference, its low and high limit, entries that only
    the first and only the second has right, and the p-value adjusted by Holm or None.
    """
    chosen = compared_models(table)
    found: dict[str, dict[str, list[list[Json]]]] = {}
    for rules in Rules:
        numbering = Numbering()
        for entry in table.entries:
            numbering.number(*entry)
        comparer = Comparer(numbering, rules, common=True)
        sides = {one.key: one.side for one in table.of[rules]}
        found[rules.value] = {}
        for (place, first), (other, second) in combinations(enumerate(chosen), 2):
            if first.key not in sides or second.key not in sides:
                continue
            pair = sides[first.key], sides[second.key]
            if comparer.comparable(*pair):
                found[rules.value][f"{place}-{other}"] = _scores(comparer.compare(*pair))
    return found


def _scores(comparison: Comparison) -> list[list[Json]]:
    return [
        [
            row.score + ("" if row.complete else "*"),
            row.entries,
            *(
                round(value, _DIGITS)
                for value in (row.first, row.second, row.difference, row.low, row.high)
            ),
            row.only_first,
            row.only_second,
            None if row.holm_p is None else float(f"{row.holm_p:.2g}"),
        ]
        for row in comparison.scores
    ]


def verdicts(table: Standings) -> dict[str, list[str]]:
    """A letter for each entry of the table, by rule set, then by model as in its official order.

    `1` right, `0` wrong, `~` right in some trials, `-` without a verdict, a space where it was left out.
    """
    order = [one.key for one in table.of[Rules.OFFICIAL]]
    return {
        rules.value: [_letters(sides.get(key), len(table.entries)) for key in order]
        for rules in Rules
        for sides in [{one.key: one for one in table.of[rules]}]
    }


_LETTERS: Mapping[float, str] = {RIGHT: "1", WRONG: "0", UNJUDGED: "-", ABSENT: " "}


def _letters(one: Standing | None, entries: int) -> str:
    if one is None:
        return " " * entries
    return "".join(_LETTERS.get(mark, "~") for mark in one.side.spread_over(entries).tolist())


def grouped_entries(entries: Sequence[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """The ids of entries by category; entries in their order, which has each category in one piece."""
    found: list[tuple[str, list[str]]] = []
    for category, entry_id in entries:
        if not found or found[-1][0] != category:
            found.append((category, []))
        found[-1][1].append(entry_id)
    return found
