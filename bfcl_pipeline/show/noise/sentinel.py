"""A sentinel: the fewest entries that show a loss with 80 % power, with a known rate of false alarms.

The entries of a category are divided into strata by how many systems have them right, and each stratum has
entries of its own in the sample, so that a score is estimated without bias wherever a loss falls. `loss`
decides; docs/noise.md derives the numbers.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bfcl_pipeline.ask.jobs.effort import PUBLISHED, effort
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import duration, text_table, unknown_name
from bfcl_pipeline.benchmark.config import pick
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP
from bfcl_pipeline.judge.scoring.statistics.power import POWER
from bfcl_pipeline.show.noise.loss import FALSE_ALARMS, power_of
from bfcl_pipeline.show.noise.records import SINGLE_TURN, Record, Records, shares_of

_LEAST = 2  # entries of a stratum
_SEED = 0  # of their choice
_CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Stratum:
    """The entries of a category that are about as difficult."""

    category: str
    ids: Sequence[str]
    weight: float  # in the score
    flips: float  # probability that two equal runs disagree on an entry
    right: float  # probability that a run has an entry right


@dataclass(frozen=True, slots=True)
class Sentinel:
    """A planned sample."""

    score: str
    loss: float  # a share, found with 80 % power
    entries: Mapping[str, Sequence[str]]  # ids by category, in order
    requests: float

    @property
    def claim(self) -> str:
        """Its name, with a digest of its entries, and what it finds."""
        ids = " ".join(entry_id for ids in self.entries.values() for entry_id in ids)
        name = f"sentinel-{hashlib.sha256(ids.encode()).hexdigest()[:8]}"
        return (
            f"{name}: a loss of {100 * self.loss:g} points on {self.score} is found with 80 % power; "
            f"at most {100 * FALSE_ALARMS:g} % of equal runs are called worse"
        )


def strata_of(score: str, records: Records, own: bool = False) -> list[Stratum]:
    """The strata of a score.

    Flips and accuracies are means over all single-turn, or all other categories, as those of a stratum are
    few. Categories that no recorded run has right are not in these means.

    Args:
        score: a score of the leaderboard, a category or SINGLE_TURN.
        records: of entries.
        own: they are of the model that is tested, which then has none of such a category right.

    Raises:
        ConfigError: there is no such score, or a category of it has no record.
    """
    if score not in (SINGLE_TURN, *GROUP, *CATEGORIES):
        raise ConfigError(unknown_name("score", score, [SINGLE_TURN, *GROUP, *CATEGORIES]))
    if lacking := [name for name in shares_of(score) if name not in records]:
        raise ConfigError(
            f"{score}: nothing is recorded of {', '.join(lacking)}. Name another score with --of, such as "
            f"{SINGLE_TURN}, or equal runs that have them with --records."
        )
    members: dict[tuple[str, int], list[str]] = {}
    known: dict[tuple[bool, int], list[Record]] = {}
    for name, of_category in records.items():
        able = any(record.right for record in of_category.values())
        for entry_id, record in of_category.items():
            members.setdefault((name, record.difficulty), []).append(entry_id)
            if able:
                kind = CATEGORIES[name].single_turn, record.difficulty
                known.setdefault(kind, []).append(record)
    found = []
    for (name, difficulty), ids in sorted(members.items()):
        if name in shares_of(score):
            alike = known.get((CATEGORIES[name].single_turn, difficulty))
            if not alike or (own and not any(one.right for one in records[name].values())):
                alike = list(records[name].values())
            rates = (float(np.mean([getattr(one, what) for one in alike])) for what in ("flips", "right"))
            weight = shares_of(score)[name] * len(ids) / len(records[name])
            found.append(Stratum(name, ids, weight, *rates))
    return found


def power(strata: Sequence[Stratum], counts: Sequence[int], loss: float) -> float:
    """The probability that so many entries of the strata show a loss, if any right entry may be lost."""
    lost, moments = _lost(strata, loss), [0.0, 0.0, 0.0]
    for one, count in zip(strata, counts, strict=True):
        for place, varies in enumerate((one.flips, 0.0, one.flips)):
            moments[place] += count * (one.weight / count) ** (place + 2) * (varies + lost * one.right)
    return power_of(moments, loss)


def allocated(strata: Sequence[Stratum], loss: float) -> list[int] | None:
    """The entries of each stratum that find a loss with the fewest requests (Neyman); None: all do not."""
    lost = _lost(strata, loss)
    worth = [
        one.weight * math.sqrt((one.flips + lost * one.right) / _requests({one.category: 1}))
        for one in strata
    ]

    def counts(scale: float) -> list[int]:
        wanted = (max(_LEAST, math.ceil(scale * each)) for each in worth)
        return [min(len(one.ids), count) for one, count in zip(strata, wanted, strict=True)]

    low, high = 0.0, 1e7
    if power(strata, counts(high), loss) < POWER:
        return None
    while high - low > _CLOSE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if power(strata, counts(middle), loss) >= POWER else (middle, high)
    return counts(high)


def _lost(strata: Sequence[Stratum], loss: float) -> float:
    """The share of the right answers that a loss is. Raises ConfigError if there are fewer."""
    right = sum(one.weight * one.right for one in strata)
    if right <= loss:
        raise ConfigError(
            f"{100 * loss:g} points cannot be lost: the recorded runs have {100 * right:.1f}."
        )
    return loss / right


def _requests(entries: Mapping[str, int]) -> float:
    return effort(entries, PUBLISHED, None).requests


def plan_sentinel(
    score: str, loss: float, records: Records, minutes: float, rate: float, own: bool = False
) -> Sentinel:
    """The entries that find a loss on a score with the fewest requests.

    Args:
        score: a score of the leaderboard, a category or SINGLE_TURN.
        loss: a share.
        records: of entries, from which they are chosen.
        minutes: that they may take.
        rate: requests per second.
        own: as of `strata_of`.

    Raises:
        ConfigError: there are no records of a part of the score, or it takes more time or entries.
    """
    if not (minutes > 0 and rate > 0):
        raise ConfigError(f"expected --minutes and --rate above 0, got {minutes:g} and {rate:g}.")
    strata = strata_of(score, records, own)
    counts = allocated(strata, loss)
    chosen = {name: set[str]() for name in shares_of(score)}
    for one, count in zip(strata, counts or (), strict=counts is not None):
        chosen[one.category].update(pick(one.ids, count, _SEED))
    entries = {name: [one for one in records[name] if one in ids] for name, ids in chosen.items()}
    requests = _requests({name: len(ids) for name, ids in entries.items()})
    if counts is None or requests > 60 * minutes * rate:
        allowed = f"{minutes:g} minutes at {rate:g} requests a second"
        needs = f"takes {duration(requests / rate)}, not {allowed}" if counts else "needs more entries"
        raise ConfigError(
            f"a loss of {100 * loss:g} points on {score} {needs}. Give a greater --gate or --minutes, or "
            "another --of."
        )
    return Sentinel(score, loss, entries, requests)


def entries_config(entries: Mapping[str, Sequence[str]], about: str) -> str:
    """A config that runs these entries, ids by category. about: its first line."""
    ids = [f"- {entry_id}" for ids in entries.values() for entry_id in ids]
    return "\n".join([f"# {about}", f"categories: [{', '.join(entries)}]", "entry_ids:", *ids, ""])


def sentinel_text(sentinel: Sentinel, rate: float) -> str:
    """The plan for a terminal. rate: requests per second."""
    rows = [
        [name, f"{len(ids):,}", f"{CATEGORIES[name].entries:,}"] for name, ids in sentinel.entries.items()
    ]
    option = "" if sentinel.score == SINGLE_TURN else f" --category {sentinel.score}"
    margin, total = f"{100 * sentinel.loss:g}", sum(map(len, sentinel.entries.values()))
    time = duration(sentinel.requests / rate)
    return "\n".join(
        [
            sentinel.claim.replace("; ", ";\n") + ".\n",
            text_table(["category", "chosen", "all"], rows, right=(1, 2)),
            f"\n{total:,} entries, {sentinel.requests:,.0f} requests, {time} at {rate:g} a second.",
            "With --out sentinel.yaml; then, for the baseline and for what is tested:",
            "  bfcl-pipeline run -m MODEL --configfile sentinel.yaml --fresh --run NAME",
            f"  bfcl-pipeline gate NAME --against BASELINE --no-worse {margin} --sentinel{option}",
        ]
    )
