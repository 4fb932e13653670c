"""Which sides are compared with which, and what is printed of their comparisons.

The first side of a group is compared with the others, or each with each. The interval of a recovered share
is that of the second side's paired difference from the share of the first (the delta method).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, compress, product, starmap
from operator import not_

import numpy as np

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import cut_middle, printable, text_table, unknown_name
from bfcl_pipeline.benchmark.config import trial_name, trial_of
from bfcl_pipeline.judge.scoring.statistics.clustered import total
from bfcl_pipeline.judge.scoring.statistics.paired import compare_paired, composite_difference
from bfcl_pipeline.show.compare.causes import causes
from bfcl_pipeline.show.compare.compare import Comparer, Comparison
from bfcl_pipeline.show.compare.diff.text import made_lines
from bfcl_pipeline.show.compare.sides import Choice, Side
from bfcl_pipeline.show.compare.text import comparison_text, pairs_text, percent

_IN_FULL = 2  # comparisons that are printed score by score; more are one line each
_SETTINGS = 10  # that differ and are printed

Pair = tuple[Side, Side]
_FC = "-FC"  # the end of names of models in function-calling mode, as the leaderboard has them

Groups = list[list[Side]]


def default_groups(choices: Sequence[Choice], sides: Sequence[Side]) -> Groups:
    """One group of all sides; of several whole runs, one group for each model that the first run shares.

    Whole runs of one model each are one group, whatever the models are called.
    """
    runs = list(dict.fromkeys(choice.run for choice in choices))
    if len(runs) < 2 or any(choice.model is not None for choice in choices):
        return [list(sides)]
    by_model: dict[str, list[Side]] = {}
    for side in sides:
        by_model.setdefault(side.model, []).append(side)
    shared = [group for group in by_model.values() if len(group) > 1 and group[0].run == runs[0]]
    return shared or [list(sides)]


def mode_groups(sides: Sequence[Side]) -> Groups:
    """The pairs `X-FC` and `X` of each run, in the order of sides.

    Raises ConfigError if there is none.
    """
    by_name = {(side.run, side.model): side for side in sides}
    found = []
    for side in sides:
        trial = trial_of(side.model)
        if trial.model.endswith(_FC):
            prompt = trial_name(trial.model.removesuffix(_FC), trial.number)
            other = by_name.get((side.run, prompt))
            if other is not None:
                found.append([side, other])
    if not found:
        raise ConfigError(
            "--modes: no model with both modes, named X-FC and X. To compare models with other names, name "
            "them: RUN:MODEL RUN:MODEL."
        )
    return found


def named_groups(names: Sequence[Sequence[str]], sides: Sequence[Side]) -> Groups:
    """The sides with some names, by group. Raises ConfigError if there is no side of a name."""
    by_name = {side.label: side for side in sides}
    for name in (name for group in names for name in group):
        if name not in by_name:
            raise ConfigError(unknown_name("model", name, by_name))
    return [[by_name[name] for name in dict.fromkeys(group)] for group in names]


def pairs_of(groups: Groups, all_pairs: bool) -> list[Pair]:
    """The first of each group with the others, or each with each. Raises ConfigError for one side alone."""
    for group in groups:
        if len(group) < 2:
            raise ConfigError(
                f"only one side, {group[0].label}: expected two or more models. Name another one, or a run "
                "with several."
            )
    return [
        pair
        for group in groups
        for pair in (combinations(group, 2) if all_pairs else product(group[:1], group[1:]))
    ]


@dataclass(frozen=True, slots=True)
class ComparedPairs:
    """The comparisons of some pairs."""

    pairs: Sequence[Pair]  # that were compared
    comparisons: Sequence[Comparison]  # of them
    apart: Sequence[Pair]  # that have no entry with a verdict in common


def compare_pairs(comparer: Comparer, pairs: Sequence[Pair], may_lack_all: bool) -> ComparedPairs:
    """The comparisons of pairs; those without a common entry are left out, if the comparer allows that.

    may_lack_all: this is no error of all pairs, either: in a run one model without verdicts, as after an
    outage, must not cost the report of the others.

    Raises TableError with the reason why a pair is not compared.
    """
    usable = [not comparer.common or comparer.comparable(*pair) for pair in pairs]
    if not may_lack_all and not any(usable):
        usable = [True] * len(pairs)  # the first of them is refused with the reason
    compared = list(compress(pairs, usable))
    apart = list(compress(pairs, map(not_, usable)))
    return ComparedPairs(compared, list(starmap(comparer.compare, compared)), apart)


def compared_text(found: ComparedPairs, flips: int, width: int | None) -> str:
    """Each comparison score by score, or of many a line each below the settings of each two runs.

    flips, width: as of `text.comparison_text`.
    """
    if not found.comparisons:
        return "No comparison."
    both = list(zip(found.pairs, found.comparisons, strict=True))
    if len(both) <= _IN_FULL:
        return "\n\n".join(
            comparison_text(each, flips, width, _made_with(pair, each)) for pair, each in both
        )
    first = {(one.run, two.run): ((one, two), each) for (one, two), each in reversed(both)}
    lines = []
    for pair, each in (shown for (one, two), shown in first.items() if one != two):
        lines += [" and ".join(printable(side.label) for side in pair), *_made_with(pair, each)]
    return "\n".join([*lines, pairs_text(found.comparisons, width)])


def _made_with(pair: Pair, comparison: Comparison) -> list[str]:
    """The settings in which two sides differ, and what can explain a difference."""
    first, second = pair
    return made_lines(causes(first.run, second.run, (first.model, second.model), comparison), _SETTINGS)


_HEADINGS = ("score", "entries", "A", "B", "recovery", "95 % interval")


def recovery_text(comparer: Comparer, first: Side, second: Side) -> str:
    """The ratios as a table of at most 80 columns, as model cards have it.

    The groups from the overall on, then the categories; without those that the first has nothing of.
    """
    scope, one, two = comparer.judged(first, second)
    where, unit = scope.where, np.eye(len(scope.categories))
    accuracies = [np.bincount(where.category, marks) / where.sizes for marks in (one, two)]
    groups = reversed(scope.groups)
    scores = [(each.name + ("" if each.complete else "*"), each.entries, each.weights) for each in groups]
    scores += [(name, int(where.sizes[at]), unit[at]) for at, name in enumerate(scope.categories)]
    rows = []
    for name, entries, weights in scores:
        base, other = (total(weights * accuracy) for accuracy in accuracies)
        if base:
            limits = composite_difference(compare_paired(two, one * (other / base), where), weights)
            low, high = max(0.0, (other + limits.low) / base), (other + limits.high) / base
            shares = map(percent, (base, other, other / base))
            rows.append([name, f"{entries:,}", *shares, f"{percent(low, 1)} to {percent(high, 1)}"])
    a, b = (cut_middle(printable(side.label), 70) for side in (first, second))
    head = f"A: {a}\nB: {b}\nPer cent; recovery is B by A, of entries with a verdict on both.\n"
    partial = any(name.endswith("*") for name, *_ in rows)
    below = "\n* categories without verdicts on both sides count 0 on both." if partial else ""
    return f"{head}\n{text_table(_HEADINGS, rows, range(1, len(_HEADINGS)))}{below}"
