"""How complete the errata are: entries read by two readers, who saw neither the errata nor each other.

`readings.csv` has a random sample of the entries without an erratum, and one entry of each confirmed
record, mixed. A reading says `right`, `defect` or `disputed`; `adjudicated` is what was decided after it. A
sampled entry that other work had listed before that is `listed`, and counts in no rate.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from bfcl_pipeline.benchmark.definition import CATEGORIES, category_of
from bfcl_pipeline.benchmark.errata.page import markdown_table
from bfcl_pipeline.judge.scoring.statistics.clustered import Limits, composite_limits, wilson

SEED = 20261127
"""Of the sample: `random.Random(f"{SEED} {category}").sample(sorted ids without an erratum, size)`."""

STRATA: Mapping[str, Sequence[str]] = {
    "Python, one call": ("simple_python", "multiple"),
    "Java and JavaScript": ("simple_java", "simple_javascript"),
    "parallel": ("parallel", "parallel_multiple"),
    "live, with calls": ("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple"),
    "irrelevance and relevance": ("irrelevance", "live_irrelevance", "live_relevance"),
    "multi-turn": (
        *("multi_turn_base", "multi_turn_miss_func"),
        *("multi_turn_miss_param", "multi_turn_long_context"),
    ),
    "memory": ("memory_kv",),
    "web search": ("web_search_base",),
}
"""The strata, with the categories that were drawn from: of equal questions, those of one category."""

RIGHT, DISPUTED, DEFECT, LISTED = "right", "disputed", "defect", "listed"


@dataclass(frozen=True, slots=True)
class EntryReading:
    """What was read of one entry."""

    entry_id: str
    sampled: bool  # drawn at random; else of a confirmed record
    readers: tuple[str, ...]  # what each reader found: two for a sampled entry
    adjudicated: str

    @property
    def category(self) -> str:
        """Its category."""
        return category_of(self.entry_id)


@dataclass(frozen=True, slots=True)
class Rate:
    """The share of entries without an erratum that have a defect."""

    stratum: str
    read: int  # sampled entries
    defects: int  # of these
    share: float
    limits: Limits  # its 95 % interval
    arguable: int  # defects, and entries of which both readings can be defended
    arguable_share: float
    arguable_limits: Limits


def read_readings() -> list[EntryReading]:
    """The readings, in the order of the file."""
    text = files(__package__).joinpath("readings.csv").read_text(encoding="utf-8")
    return [
        EntryReading(
            row["entry_id"],
            row["drawn"] == "random",
            tuple(found for name in ("reader_a", "reader_b") if (found := row[name])),
            row["adjudicated"],
        )
        for row in csv.DictReader(text.splitlines())
    ]


def unlisted_rates(readings: Iterable[EntryReading], listed: Iterable[str]) -> list[Rate]:
    """The rate of each stratum, then that of all entries, in which a category counts by its entries.

    Intervals are Wilson's for a category and combine these for several (MOVER). Entries that were listed
    before they were adjudicated are not counted.

    listed: ids with an erratum of any status; the rates are of the other entries.
    """
    sampled = [one for one in readings if one.sampled and one.adjudicated != LISTED]
    of_category = {
        name: [one.adjudicated for one in sampled if one.category == name]
        for names in STRATA.values()
        for name in names
    }
    gone = [category_of(entry_id) for entry_id in listed]
    weights = {name: CATEGORIES[name].entries - gone.count(name) for name in of_category}
    strata = {**STRATA, "all": tuple(of_category)}
    return [
        _rate(stratum, {name: of_category[name] for name in names}, weights)
        for stratum, names in strata.items()
    ]


def _rate(stratum: str, found: Mapping[str, Sequence[str]], weights: Mapping[str, int]) -> Rate:
    defects = {name: results.count(DEFECT) for name, results in found.items()}
    arguable = {name: defects[name] + results.count(DISPUTED) for name, results in found.items()}
    sizes = {name: len(results) for name, results in found.items()}
    share, limits = _mean(defects, sizes, weights)
    arguable_share, arguable_limits = _mean(arguable, sizes, weights)
    return Rate(
        stratum,
        sum(sizes.values()),
        sum(defects.values()),
        share,
        limits,
        sum(arguable.values()),
        arguable_share,
        arguable_limits,
    )


def _mean(
    counts: Mapping[str, int], sizes: Mapping[str, int], weights: Mapping[str, int]
) -> tuple[float, Limits]:
    names = [name for name, size in sizes.items() if size]
    shares = np.array([counts[name] / sizes[name] for name in names])
    parts = np.array([weights[name] for name in names], np.float64)
    parts /= parts.sum()
    limits = [wilson(float(share), sizes[name]) for share, name in zip(shares, names, strict=True)]
    return float(shares @ parts), composite_limits(shares, limits, parts, np.eye(len(names)))


def kappa(pairs: Sequence[tuple[str, ...]]) -> float:
    """Cohen's kappa of two readers: their agreement beyond chance, at most 1.

    pairs: what each of them found of each entry; there must be two different findings.
    """
    agreed = sum(first == second for first, second in pairs) / len(pairs)
    first, second = ([pair[place] for pair in pairs] for place in (0, 1))
    chance = sum(first.count(name) * second.count(name) for name in set(first)) / len(pairs) ** 2
    return (agreed - chance) / (1 - chance)


def completeness_section(listed: Iterable[str]) -> str:
    """The section of docs/errata.md on the readings. listed: ids with an erratum of any status."""
    readings = read_readings()
    sampled = [one for one in readings if one.sampled]
    pairs = [one.readers for one in sampled]
    differing = [one for one in sampled if len(set(one.readers)) > 1]
    confirmed = [one for one in readings if not one.sampled]
    again = Counter(one.readers[0] for one in confirmed)
    rates = [
        (
            rate.stratum,
            str(rate.read),
            *_shown(rate.defects, rate.share, rate.limits),
            *_shown(rate.arguable, rate.arguable_share, rate.arguable_limits),
        )
        for rate in unlisted_rates(readings, listed)
    ]
    headings = ("entries", "read", "defects", "rate", "with disputed", "rate")
    other = [one for one in confirmed if one.readers[0] != DEFECT]
    return _SECTION.format(
        read=len(sampled),
        seed=SEED,
        kappa=kappa(pairs),
        kappa_of_two=kappa([tuple(str(found == RIGHT) for found in pair) for pair in pairs]),
        alike=len(sampled) - len(differing),
        rates=markdown_table(headings, rates),
        differing=markdown_table(
            ("entry", "reader A", "reader B", "decided"),
            [(f"`{one.entry_id}`", *one.readers, one.adjudicated) for one in differing],
        ),
        confirmed=len(confirmed),
        **{name: again[name] for name in (RIGHT, DISPUTED, DEFECT)},
        other=markdown_table(
            ("entry", "second reading", "decided"),
            [(f"`{one.entry_id}`", one.readers[0], one.adjudicated) for one in other],
        ),
    )


def _shown(count: int, share: float, limits: Limits) -> tuple[str, str]:
    return str(count), f"{share:.1%} ({limits.low:.1%} to {limits.high:.1%})"


_SECTION = """\
## How many defects are not listed

{read} entries without an erratum were drawn at random by category (seed {seed}; the list, both readings and
the decision are in `bfcl_pipeline/judge/audit/readings.csv`). Two readers, instances of a language model,
read each of them with the request, the function docs and the accepted answers. They saw neither the errata
nor each other nor what detectors find, and one entry of each confirmed record was mixed in. What either of
them found was decided afterwards, and is a record here now.

The rate is that of the entries without an erratum, with its 95 % interval: of the scored entries of a
stratum, how many have a defect that no record has. Entries that other work listed in the meantime are not
counted. In *all*, a category counts by its entries.

{rates}
The readers agree on {alike} of {read} entries: Cohen's kappa is {kappa:.2f} for the three findings, and
{kappa_of_two:.2f} for whether there is anything to find. Where they differ:

{differing}
### Second readings of confirmed records

Of {confirmed} entries with a confirmed record, a reader who did not know it found a defect in {defect},
called {disputed} disputed and {right} right. The readers compared texts as the official rules do, so that
defects of the corrected and verified rules, and of the release's converters of source text, are among the
last. A reader saw one entry at a time, so neither of two entries that contradict each other beside the
other, and saw a long context cut short; that an accepted answer of a memory entry must stand between word
boundaries was not said. A decision that differs from the reading has its reason in the record. What became
of those that the second reader did not confirm:

{other}"""
