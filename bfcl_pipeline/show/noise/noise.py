"""How much two equal runs differ: flipped entries, scores, and whether server or agent flips them.

A flip is an entry that one of two runs has right. docs/noise.md derives the numbers.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bfcl_pipeline.base.text import text_table
from bfcl_pipeline.judge.scoring.intervals import ScoredEntries
from bfcl_pipeline.judge.scoring.statistics.clustered import Floats, total
from bfcl_pipeline.judge.scoring.statistics.normal import Z_95
from bfcl_pipeline.show.compare.diff.conversations import EntryKey, read_conversations
from bfcl_pipeline.show.compare.diff.parting import PartingKind, first_difference
from bfcl_pipeline.show.compare.sides import Numbering, Side
from bfcl_pipeline.show.noise.loss import cluster_sums
from bfcl_pipeline.show.noise.records import equal_runs

_HEADINGS = ("score", "entries", "flips", "95 % interval", "change", "server", "agent")
_NOTES = """\
flips: entries that only one of two runs has right; the interval is for new runs.
change: points by which two equal runs differ in 5 % of cases; less is no change.
server: flips of which only the last answers differ, to the same requests.
agent: flips of which an earlier answer differs, and so the later requests.
"""


@dataclass(frozen=True, slots=True)
class ScoreNoise:
    """What two equal runs of a model are expected to differ in on a score."""

    score: str  # a group of the leaderboard, or a category
    entries: int  # with verdicts of all runs
    flips: float  # expected entries that one of two equal runs has right
    flips_low: float  # 95 % interval of the flips of two other equal runs
    flips_high: float
    change: float  # points by which two equal runs differ in at most 5 % of cases
    server: float | None  # of the flips that were read, those of which the last answers alone differ


def noise_lines(numbering: Numbering, sides: Sequence[Side]) -> Iterator[str]:
    """A table for each model with equal runs, in 80 columns.

    Raises:
        ConfigError: no entry has verdicts of equal runs.
        TableError: the responses of a run cannot be read.
    """
    for model, runs, places, marks in equal_runs(numbering, sides):
        entries = [numbering.entries[place] for place in places]
        rows = [
            [
                one.score,
                f"{one.entries:,}",
                f"{one.flips:.1f}",
                f"{one.flips_low:.0f} to {one.flips_high:.0f}",
                f"{one.change:.2f}",
                "-" if one.server is None else f"{100 * one.server:.0f} %",
                "-" if one.server is None else f"{100 * (1 - one.server):.0f} %",
            ]
            for one in noise_of(entries, marks, _last_alone(entries, runs, marks))
        ]
        yield f"{model}: in what two equal runs are expected to differ, by {len(runs)} runs.\n"
        yield text_table(_HEADINGS, rows, range(1, len(_HEADINGS)))
        yield _NOTES


def noise_of(
    entries: Sequence[EntryKey], marks: Floats, last_alone: Floats | None = None
) -> Iterator[ScoreNoise]:
    """The noise of one model: the complete groups from the overall on, then categories.

    Args:
        entries: that each run has a verdict on.
        marks: by run and entry.
        last_alone: by pair of runs and entry, 1 if the last answers alone differ, 0 if an earlier one does;
            nan: there is no flip, or it is not known.
    """
    scope = ScoredEntries(entries).scope(np.arange(len(entries)))
    where, differences = scope.where, np.array([one - two for one, two in combinations(marks, 2)])
    pairs = len(differences)
    cluster = np.add.outer(
        np.arange(pairs) * where.clusters, where.cluster
    ).ravel()  # of each pair, its own
    groups = [(group.name, group.weights) for group in reversed(scope.groups) if group.complete]
    for name, weights in [*groups, *zip(scope.categories, np.eye(where.categories), strict=True)]:
        inside = weights[where.category] > 0
        flips = cluster_sums(cluster, (np.abs(differences) * inside).ravel())
        score = cluster_sums(cluster, (differences * (weights / where.sizes)[where.category]).ravel())
        most, expected = int(inside.sum()), total(flips) / pairs
        # What was counted varies as what is predicted; pairs without a run in common are independent.
        half = Z_95 * math.sqrt((total(flips**2) / pairs + 1) * (1 + 1 / (len(marks) // 2)))
        known = () if last_alone is None else last_alone[:, inside][~np.isnan(last_alone[:, inside])]
        yield ScoreNoise(
            score=name,
            entries=most,
            flips=expected,
            flips_low=max(0.0, expected - half),
            flips_high=min(float(most), expected + half),
            change=100 * Z_95 * math.sqrt(total(score**2) / pairs),
            server=float(np.mean(known)) if len(known) else None,
        )


def _last_alone(entries: Sequence[EntryKey], runs: Sequence[Side], marks: Floats) -> Floats:
    """`last_alone` of `noise_of`, by the recorded answers."""
    flipped = {entries[place][1] for place in np.flatnonzero(np.ptp(marks, axis=0)).tolist()}
    read = [read_conversations(side.run, side.model, flipped).by_entry if flipped else {} for side in runs]
    found = np.full((math.comb(len(runs), 2), len(entries)), math.nan)
    for pair, ((one, mine), (two, other)) in zip(
        found, combinations(zip(read, marks, strict=True), 2), strict=True
    ):
        for place in np.flatnonzero(mine != other).tolist():
            ours, theirs = one.get(entries[place]), two.get(entries[place])
            if ours and theirs:
                parting = first_difference(ours, theirs)
                if parting.kind in (PartingKind.CALLS, PartingKind.TEXT):
                    pair[place] = parting.number == len(ours.asked) == len(theirs.asked)
    return found
