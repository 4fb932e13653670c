"""The tables on the errata: verdicts on entries with a defect, and the ceilings that the defects set.

A ceiling is the score of a model that does what it is told, over the entries of the run: of each entry the
share of its faithful answers that pass, as measured (`benchmark.errata.faithful_answers`).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import polars as pl

from bfcl_pipeline.benchmark.definition import CATEGORIES, category_of
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of
from bfcl_pipeline.benchmark.errata import (
    Erratum,
    ErratumStatus,
    Treatment,
    errata,
    errata_of_id,
    own_errata,
    propose_treatment,
)
from bfcl_pipeline.benchmark.errata.faithful_answers import Passing, passing_answers
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.audit.readings import Rate, read_readings, unlisted_rates
from bfcl_pipeline.judge.scoring.aggregate import Count, leaderboard_scores
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.leaderboard import SCORES
from bfcl_pipeline.show.report.tables.run_records import RunRecords, by_model


def release_ceilings() -> list[spec.Row]:
    """The rows of the table `ceilings` over all entries that count for the leaderboard."""
    sizes = {name: category.entries for name, category in CATEGORIES.items() if category.scored}
    by_entry: dict[str, list[Erratum]] = {}
    for erratum in errata():
        by_entry.setdefault(erratum.entry_id, []).append(erratum)
    left_out = [
        entry_id for entry_id, found in by_entry.items() if propose_treatment(found) is Treatment.LEFT_OUT
    ]
    return list(_ceilings_over(sizes, Rules, passing_answers(), left_out))


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """An entry of the run that the errata list."""

    category: str
    entry_id: str
    errata: Sequence[Erratum]  # at least one; of `listed_entries` confirmed and disputed ones
    treatment: Treatment  # under verified rules

    def columns(self, erratum: Erratum) -> spec.Row:
        """The columns on the entry and one of its errata."""
        return {
            "category": self.category,
            "entry_id": self.entry_id,
            "defect": erratum.defect,
            "status": erratum.status.value,
            "treatment": self.treatment.value,
            "what": erratum.what,
        }


def listed_entries(records: RunRecords) -> list[ListedEntry]:
    """The entries of the run that the errata list, categories in the release's order."""
    found = []
    for entry in _asked(records, errata()):
        defects = [one for one in entry.errata if one.status is not ErratumStatus.REJECTED]
        if defects:
            found.append(replace(entry, errata=defects))
    return found


def own_errata_rows(records: RunRecords) -> Iterator[spec.Row]:
    """The rows of `own_errata`: the user's own errata of entries of the run, which are in use."""
    own = own_errata()
    for entry in _asked(records, own):
        for erratum in (each for each in entry.errata if each in own):
            yield {"file": erratum.file, **entry.columns(erratum)}


def _asked(records: RunRecords, wanted: Iterable[Erratum]) -> list[ListedEntry]:
    """The entries of the run that have one of the errata, each with all its own, categories in order."""
    listed = {erratum.entry_id for erratum in wanted}
    restated = records.formats.filter(pl.col("base_entry_id").is_in(list(listed)))
    base_of = dict(restated.select("entry_id", "base_entry_id").iter_rows())
    is_listed = pl.col("entry_id").is_in([*listed, *base_of])
    asked = pl.concat(
        frame.filter(is_listed).select("category", "entry_id")
        for frame in (records.verdicts, records.left_out)
    ).unique(maintain_order=True)
    left_out = set(records.left_out["entry_id"].unique())
    found = []
    for category, entry_id in asked.iter_rows():
        of_entry = errata_of_id(entry_id, base_of.get(entry_id))
        treatment = Treatment.LEFT_OUT if entry_id in left_out else propose_treatment(of_entry)
        found.append(ListedEntry(category, entry_id, of_entry, treatment))
    order = list(CATEGORIES)
    return sorted(found, key=lambda entry: order.index(entry.category))


def _errata(made: spec.RunSources) -> Iterator[spec.Row]:
    ids = [entry.entry_id for entry in made.errata]
    listed = made.records.verdicts.filter(pl.col("entry_id").is_in(ids))
    for model, own in by_model(listed).items():
        valid = {row[:2]: row[2] for row in own.select("entry_id", "rules", "valid").iter_rows()}
        judged = set(own["entry_id"])
        for entry in (one for one in made.errata if one.entry_id in judged):
            verdicts = {f"{rules}_valid": valid.get((entry.entry_id, rules)) for rules in Rules}
            for erratum in entry.errata:
                yield {"model": model, **entry.columns(erratum), **verdicts}


def _ceilings(made: spec.RunSources) -> Iterator[spec.Row]:
    records = made.records
    asked = pl.concat(
        frame.select("category", "entry_id") for frame in (records.verdicts, records.left_out)
    ).unique()
    sizes = dict(asked.group_by("category").len().iter_rows())
    there = [rules for rules in Rules if rules.value in set(records.verdicts["rules"].unique())]
    ids = set(asked["entry_id"])
    passing = {entry_id: each for entry_id, each in made.passing.items() if entry_id in ids}
    left_out = [entry.entry_id for entry in made.errata if entry.treatment is Treatment.LEFT_OUT]
    yield from _ceilings_over(sizes, there, passing, left_out, made.sizes)


def _ceilings_over(
    sizes: Mapping[str, int],
    rule_sets: Iterable[Rules],
    passing: Mapping[str, Passing],
    left_out: Collection[str],
    in_means: Mapping[str, int] | None = None,
) -> Iterator[spec.Row]:
    """The rows of `ceilings`. sizes: entries by category, with `left_out`; passing: of these."""
    unlisted = _unlisted()
    for rules in rule_sets:
        gone = set(left_out) if rules is Rules.VERIFIED else set[str]()
        asked = Counter(sizes)
        asked.subtract(category_of(entry_id) for entry_id in gone)
        lost: dict[str, float] = dict.fromkeys(sizes, 0.0)
        unreachable = Counter[str]()
        for entry_id in (one for one in passing if one not in gone):  # in order: the shares are added up
            share = passing[entry_id].share(rules)
            lost[category_of(entry_id)] += 1 - share
            unreachable[category_of(entry_id)] += share == 0
        counts = {
            category: Count(size, size - lost[category]) for category, size in asked.items() if size > 0
        }
        scores = leaderboard_scores(counts, in_means)
        for name in SCORES:
            members = categories_of(name)
            if size := sum(counts[category].answered for category in members if category in counts):
                yield {
                    "rules": rules.value,
                    "score": name,
                    "entries": size,
                    "unreachable": sum(unreachable[category] for category in members),
                    "ceiling": scores[name].accuracy,
                    "unlisted": unlisted.share,
                    "unlisted_low": unlisted.limits.low,
                    "unlisted_high": unlisted.limits.high,
                }


@cache
def _unlisted() -> Rate:
    """The rate of defects that no shipped record has; the user's own records do not change it."""
    return unlisted_rates(read_readings(), {one.entry_id for one in errata()})[-1]


CEILINGS = spec.TableSpec(
    "ceilings",
    "One row per rule set and score of which the run has entries.",
    [
        spec.RUN,
        spec.RULES,
        spec.text("score", "a column of `leaderboard`: a score or a category"),
        spec.count("entries", "entries of the run in it, without those left out"),
        spec.count("unreachable", "of these, those of which no faithful answer passes"),
        spec.share("ceiling", "the score of faithful answers: of an entry, the share of its own that pass"),
        spec.share("unlisted", "of the release's entries without an erratum, the share with a defect"),
        spec.share("unlisted_low", "lower limit of its 95 % interval"),
        spec.share("unlisted_high", "upper limit of its 95 % interval"),
    ],
    rows=_ceilings,
)


ERRATA = spec.TableSpec(
    "errata",
    "One row per model, entry that the run has, and confirmed or disputed erratum of it.",
    [
        spec.RUN,
        spec.MODEL,
        spec.CATEGORY,
        spec.text("entry_id", "id as in the release"),
        spec.text("defect", "class of the defect, as in docs/errata.md"),
        spec.text("status", "confirmed or disputed"),
        spec.text("treatment", "under verified rules: mended, left out, or as it is"),
        spec.mark("official_valid?", "verdict of the official rules; null without one"),
        spec.mark("corrected_valid?", "verdict of the corrected rules; null without one"),
        spec.mark("verified_valid?", "verdict of the verified rules; null without one"),
        spec.text("what", "the defect in one sentence"),
    ],
    rows=_errata,
)


OWN_ERRATA = spec.TableSpec(
    "own_errata",
    "One row per entry that the run has, and erratum of it in a file of the run's own "
    "(`errata` in its config). Verified scores are judged by them.",
    [
        spec.RUN,
        spec.text("file", "file of the user's own errata"),
        spec.CATEGORY,
        spec.text("entry_id", "id as in the release"),
        spec.text("defect", "class of the defect, as in docs/errata.md"),
        spec.text("status", "confirmed, disputed or rejected"),
        spec.text("treatment", "under verified rules: mended, left out, or as it is"),
        spec.text("what", "the defect in one sentence"),
    ],
    rows=lambda made: made.own_errata,
)


TABLES = (CEILINGS, ERRATA, OWN_ERRATA)
