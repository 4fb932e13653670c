"""How much two equal runs differ: flipped entries, scores, and whether server or agent flips them.

Equal runs are the trials of a model, and the rows of one name in several runs. A flip is an entry that one
of two runs has right. docs/noise.md derives the numbers.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.markup import TextTable
from bfcl_pipeline.judge.scoring.intervals import ScoredEntries
from bfcl_pipeline.judge.scoring.statistics.clustered import Floats
from bfcl_pipeline.judge.scoring.statistics.normal import Z_95
from bfcl_pipeline.show.compare.diff.conversations import Conversation, EntryKey, read_conversations
from bfcl_pipeline.show.compare.diff.parting import PartingKind, first_difference
from bfcl_pipeline.show.compare.sides import Side
from bfcl_pipeline.show.compare.tables import JSON, write_form
from bfcl_pipeline.show.noise.loss import cluster_sums
from bfcl_pipeline.show.noise.records import NO_EQUAL_RUNS, asked_apart, equal_runs

FORMS = (JSON, ".md", ".tex")
"""The suffixes of a file of tables."""

_HEADINGS = ("score", "entries", "flips", "95 % interval", "change", "server", "agent")
_SERVER, _AGENT = "server", "agent"


@dataclass(frozen=True, slots=True)
class ScoreNoise:
    """What two equal runs of a model are expected to differ in on a score."""

    model: str
    score: str  # a group of the leaderboard, or a category
    runs: int  # that were measured
    entries: int  # with verdicts of all of them
    flips: float  # expected entries that one of two equal runs has right
    flips_low: float  # 95 % interval of the flips of two other equal runs
    flips_high: float
    change: float  # points by which two equal runs differ in at most 5 % of cases
    server: float | None  # of the flips that were read, those of which the last answers alone differ
    agent: float | None  # those of which an earlier answer differs, and so the conversation


def measure_noise(entries: Sequence[EntryKey], sides: Sequence[Side]) -> list[ScoreNoise]:
    """The noise of each model with equal runs: the complete groups from the overall on, then categories.

    entries: category and id of each number of the sides.

    Raises:
        ConfigError: no entry has verdicts of equal runs.
        TableError: the responses of a run cannot be read.
    """
    found: list[ScoreNoise] = []
    for model, runs in equal_runs(sides).items():
        used = np.flatnonzero(asked_apart(runs, len(entries)))
        if len(used):
            chosen = [entries[place] for place in used.tolist()]
            marks = np.array([side.spread_over(len(entries))[used] for side in runs])
            found += noise_of(model, chosen, marks, _causes(chosen, runs, marks))
    if not found:
        raise ConfigError(NO_EQUAL_RUNS)
    return found


def noise_of(
    model: str,
    entries: Sequence[EntryKey],
    marks: Floats,
    causes: Sequence[Mapping[int, str]] = (),
) -> Iterator[ScoreNoise]:
    """The noise of one model.

    Args:
        model: its name.
        entries: that each run has a verdict on.
        marks: by run and entry.
        causes: what made flips, by pair of runs and place of the entry.
    """
    scope, runs = ScoredEntries(entries).scope(np.arange(len(entries))), len(marks)
    where, differences = scope.where, [one - two for one, two in combinations(marks, 2)]
    groups = [(group.name, group.weights) for group in reversed(scope.groups) if group.complete]
    for name, weights in [*groups, *zip(scope.categories, np.eye(where.categories), strict=True)]:
        inside = weights[where.category] > 0
        worth = (weights / where.sizes)[where.category]
        flips = [cluster_sums(where.cluster, np.abs(one) * inside) for one in differences]
        squares = [cluster_sums(where.cluster, one * worth) ** 2 for one in differences]
        expected = float(np.mean([one.sum() for one in flips]))
        spread = float(np.mean([(one**2).sum() for one in flips]))
        # What was counted varies as what is predicted; pairs without a run in common are independent.
        half = Z_95 * math.sqrt((spread + 1) * (1 + 1 / (runs // 2)))
        found = Counter(cause for pair in causes for place, cause in pair.items() if inside[place])
        shares = [found[cause] / found.total() if found else None for cause in (_SERVER, _AGENT)]
        most = int(inside.sum())
        low, high = max(0.0, expected - half), min(float(most), expected + half)
        change = 100 * Z_95 * math.sqrt(float(np.mean([one.sum() for one in squares])))
        yield ScoreNoise(model, name, runs, most, expected, low, high, change, *shares)


def _causes(entries: Sequence[EntryKey], runs: Sequence[Side], marks: Floats) -> list[dict[int, str]]:
    """What made each flip of each pair of runs, as far as both conversations are known."""
    flipped = {entries[place][1] for place in np.flatnonzero(np.ptp(marks, axis=0)).tolist()}
    read = [read_conversations(side.run, side.model, flipped).by_entry for side in runs if flipped]
    found = []
    for (one, mine), (two, other) in combinations(zip(read, marks, strict=False), 2):
        pair = {}
        for place in np.flatnonzero(mine != other).tolist():
            ours, theirs = one.get(entries[place]), two.get(entries[place])
            if ours and theirs and (cause := _cause(ours, theirs)):
                pair[place] = cause
        found.append(pair)
    return found


def _cause(one: Conversation, two: Conversation) -> str | None:
    """The server, if the last answers alone differ; the agent, if earlier ones do; else None."""
    found = first_difference(one, two)
    if found.kind not in (PartingKind.CALLS, PartingKind.TEXT):
        return None
    last = found.number == len(one.asked) == len(two.asked)
    return _SERVER if last else _AGENT


def noise_tables(found: Sequence[ScoreNoise]) -> Iterator[TextTable]:
    """A table for each model."""
    for model in dict.fromkeys(row.model for row in found):
        rows = [row for row in found if row.model == model]
        yield TextTable(
            f"{model}: in what two equal runs are expected to differ, by {rows[0].runs} runs.",
            _HEADINGS,
            list(map(_cells, rows)),
            (
                "flips: entries that only one of two runs has right; the interval is for new runs.",
                "change: points by which two equal runs differ in 5 % of cases; less is no change.",
                "server: flips of which only the last answers differ, to the same requests.",
                "agent: flips of which an earlier answer differs, and so the later requests.",
            ),
        )


def _cells(row: ScoreNoise) -> list[str]:
    causes = ("-" if part is None else f"{100 * part:.0f} %" for part in (row.server, row.agent))
    return [
        row.score,
        f"{row.entries:,}",
        f"{row.flips:.1f}",
        f"{row.flips_low:.0f} to {row.flips_high:.0f}",
        f"{row.change:.2f}",
        *causes,
    ]


def write_noise(path: Path, found: Sequence[ScoreNoise]) -> None:
    """Writes the tables in the form of the suffix, atomically."""
    document = {"noise": list(map(asdict, found))}
    write_form(path, pa.schema([]), (), lambda: document, lambda: noise_tables(found))
