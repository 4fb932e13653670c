"""A sentinel: the fewest entries that show a loss with 80 % power, with a known rate of false alarms.

The entries of a category are divided into strata by how many systems have them right, and each stratum has
entries of its own in the sample, so that a score is estimated without bias wherever a loss falls. `loss`
decides; docs/noise.md derives the numbers.
"""

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
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP, SINGLE_TURN, category_weights
from bfcl_pipeline.judge.scoring.statistics.power import POWER
from bfcl_pipeline.show.noise.loss import FALSE_ALARMS, power_of
from bfcl_pipeline.show.noise.records import Record, Records

_SCORES = (SINGLE_TURN.name, *GROUP, *CATEGORIES)
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
    few. Categories that no recorded run has right are not in these means. With `own` records, of the model
    that is tested, it has none of such a category right.

    Raises ConfigError: there is no such score, or a category of it has no record.
    """
    if score not in _SCORES:
        raise ConfigError(unknown_name("score", score, _SCORES))
    shares = category_weights(score, {})
    if lacking := [name for name in shares if name not in records]:
        raise ConfigError(
            f"{score}: nothing is recorded of {', '.join(lacking)}. Name another score with --of, such as "
            f"{SINGLE_TURN.name}, or equal runs that have them with --records."
        )
    members: dict[tuple[str, int], list[str]] = {}
    known: dict[tuple[bool, int], list[Record]] = {}
    able = {name for name, of in records.items() if any(record.right for record in of.values())}
    for name, of_category in records.items():
        for entry_id, record in of_category.items():
            members.setdefault((name, record.difficulty), []).append(entry_id)
            if name in able:
                known.setdefault((CATEGORIES[name].single_turn, record.difficulty), []).append(record)
    found = []
    for (name, difficulty), ids in sorted(members.items()):
        if name in shares:
            alike = known.get((CATEGORIES[name].single_turn, difficulty))
            if not alike or (own and name not in able):
                alike = list(records[name].values())
            flips, right = (
                float(np.mean([getattr(one, what) for one in alike])) for what in ("flips", "right")
            )
            weight = shares[name] * len(ids) / len(records[name])
            found.append(Stratum(name, ids, weight, flips, right))
    return found


def power(strata: Sequence[Stratum], counts: Sequence[int], loss: float) -> float:
    """The probability that so many entries of the strata show a loss, if any right entry may be lost."""
    lost, moments = _lost(strata, loss), [0.0, 0.0, 0.0]
    for one, count in zip(strata, counts, strict=True):
        for place, varies in enumerate((one.flips, 0.0, one.flips)):
            moments[place] += count * (one.weight / count) ** (place + 2) * (varies + lost * one.right)
    return power_of(moments, loss)


def allocated(strata: Sequence[Stratum], loss: float) -> list[int]:
    """The entries of each stratum that find a loss with the fewest requests (Neyman).

    Raises ConfigError if all entries do not find it.
    """
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
        raise ConfigError(
            f"a loss of {100 * loss:g} points needs more entries. Give a greater --gate or another --of."
        )
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


def plan_sentinel(score: str, loss: float, records: Records, own: bool = False) -> Sentinel:
    """The entries that find a loss, a share, on a score with the fewest requests, chosen from `records`.

    own: as of `strata_of`. Raises ConfigError as that and `allocated` do.
    """
    strata, picked = strata_of(score, records, own), set[str]()
    for one, count in zip(strata, allocated(strata, loss), strict=True):
        picked.update(pick(one.ids, count, _SEED))
    names = category_weights(score, {})
    return Sentinel(score, loss, {name: [one for one in records[name] if one in picked] for name in names})


def entries_config(entries: Mapping[str, Sequence[str]], about: str) -> str:
    """A config that runs these entries, ids by category. about: its first line."""
    ids = [f"- {entry_id}" for ids in entries.values() for entry_id in ids]
    return "\n".join([f"# {about}", f"categories: [{', '.join(entries)}]", "entry_ids:", *ids, ""])


def sentinel_text(sentinel: Sentinel, minutes: float, rate: float) -> str:
    """The plan for a terminal. rate: requests per second. Raises ConfigError if it takes more minutes."""
    counts = {name: len(ids) for name, ids in sentinel.entries.items()}
    requests, margin = _requests(counts), f"{100 * sentinel.loss:g}"
    if requests > 60 * minutes * rate:
        raise ConfigError(
            f"a loss of {margin} points on {sentinel.score} takes {duration(requests / rate)}, not "
            f"{minutes:g} minutes at {rate:g} requests a second. Give a greater --gate or --minutes, or "
            "another --of."
        )
    rows = [[name, f"{count:,}", f"{CATEGORIES[name].entries:,}"] for name, count in counts.items()]
    option = "" if sentinel.score == SINGLE_TURN.name else f" --category {sentinel.score}"
    time = f"{duration(requests / rate)} at {rate:g} a second"
    return "\n".join(
        [
            sentinel.claim.replace("; ", ";\n") + ".\n",
            text_table(["category", "chosen", "all"], rows, right=(1, 2)),
            f"\n{sum(counts.values()):,} entries, {requests:,.0f} requests, {time}.",
            "With --out sentinel.yaml; then, for the baseline and for what is tested:",
            "  bfcl-pipeline run -m MODEL --configfile sentinel.yaml --fresh --run NAME",
            f"  bfcl-pipeline gate NAME --against BASELINE --no-worse {margin} --sentinel{option}",
        ]
    )
