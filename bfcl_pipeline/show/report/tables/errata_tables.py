"""The tables on the errata: verdicts on entries with a defect, and the ceilings that the defects set.

A ceiling is the score of a model that does what it is told, over the entries of the run. Such a model
fails an entry with a confirmed defect whose record in the errata says so; under corrected rules not if
these accept an answer; under verified rules never, as the entry is mended or left out. By a rejected
record that says so, it fails under official rules only: a corrected rule accepts the answer.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from bfcl_pipeline.benchmark.definition import CATEGORIES, category_of
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of
from bfcl_pipeline.benchmark.errata import (
    Erratum,
    ErratumStatus,
    Faithful,
    Treatment,
    errata,
    errata_of_id,
    own_errata,
    propose_treatment,
)
from bfcl_pipeline.benchmark.records import Entry, Mode, Rules
from bfcl_pipeline.benchmark.tables import check_staged, entries_path, read_entries
from bfcl_pipeline.judge.audit.unpassable import obstacles
from bfcl_pipeline.judge.scoring.aggregate import Count, leaderboard_scores
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.leaderboard import SCORES
from bfcl_pipeline.show.report.tables.run_records import RunRecords, by_model


def release_ceilings(data: Path) -> list[spec.Row]:
    """The rows of the table `ceilings` over all entries that count for the leaderboard.

    data: the staged release. Raises TableError if it is not there.
    """
    sizes = {name: category.entries for name, category in CATEGORIES.items() if category.scored}
    for name in sizes:
        check_staged(entries_path(data, name))
    by_entry: dict[str, list[Erratum]] = {}
    for erratum in filter(_counts, errata()):
        by_entry.setdefault(erratum.entry_id, []).append(erratum)
    listed = [
        ListedEntry(category_of(entry_id), entry_id, found, propose_treatment(found))
        for entry_id, found in by_entry.items()
        if category_of(entry_id) in sizes
    ]
    return list(_ceilings_over(sizes, Rules, listed, data))


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """An entry of the run that the errata list."""

    category: str
    entry_id: str
    errata: Sequence[Erratum]  # at least one; of `listed_entries` those that `_counts` chooses
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

    @property
    def fails(self) -> bool:
        """Whether a model that does what it is told fails the entry under official rules."""
        return self.fails_when_corrected or any(map(_is_of_a_checker, self.errata))

    @property
    def fails_when_corrected(self) -> bool:
        """Whether it fails by the data of the entry, which corrected rules leave as they are."""
        return any(erratum.confirmed and erratum.faithful is Faithful.FAILS for erratum in self.errata)


def _is_of_a_checker(erratum: Erratum) -> bool:
    """Whether the data are right, and a model that does what it is told fails under official rules only."""
    return erratum.status is ErratumStatus.REJECTED and erratum.faithful is Faithful.FAILS


def _counts(erratum: Erratum) -> bool:
    return erratum.status is not ErratumStatus.REJECTED or _is_of_a_checker(erratum)


def listed_entries(records: RunRecords) -> list[ListedEntry]:
    """The entries of the run that the errata list, categories in the release's order."""
    found = []
    for entry in _asked(records, errata()):
        defects = list(filter(_counts, entry.errata))
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
                if not _is_of_a_checker(erratum):
                    yield {"model": model, **entry.columns(erratum), **verdicts}


def _ceilings(made: spec.RunSources) -> Iterator[spec.Row]:
    records = made.records
    asked = pl.concat(
        frame.select("category", "entry_id") for frame in (records.verdicts, records.left_out)
    ).unique()
    sizes = dict(asked.group_by("category").len().iter_rows())
    there = [rules for rules in Rules if rules.value in set(records.verdicts["rules"].unique())]
    yield from _ceilings_over(sizes, there, made.errata, made.data, made.sizes)


def _ceilings_over(
    sizes: Mapping[str, int],
    rule_sets: Iterable[Rules],
    entries: Sequence[ListedEntry],
    data: Path,
    in_means: Mapping[str, int] | None = None,
) -> Iterator[spec.Row]:
    """The rows of `ceilings` over entries of which each category has its number in `sizes`."""
    unreachable = [entry for entry in entries if entry.fails]
    by_data = [entry for entry in unreachable if entry.fails_when_corrected]
    passing = accepted_by_corrected(by_data, data)
    left_out = Counter(entry.category for entry in entries if entry.treatment is Treatment.LEFT_OUT)
    lost_under = {
        Rules.OFFICIAL: Counter(entry.category for entry in unreachable),
        Rules.CORRECTED: Counter(e.category for e in by_data if e.entry_id not in passing),
        Rules.VERIFIED: Counter[str](),
    }
    for rules in rule_sets:
        gone = left_out if rules is Rules.VERIFIED else Counter[str]()
        asked = {category: size - gone[category] for category, size in sizes.items()}
        lost = lost_under[rules]
        counts = {category: Count(size, size - lost[category]) for category, size in asked.items()}
        scores = leaderboard_scores(counts, in_means)
        for name in SCORES:
            members = categories_of(name)
            if size := sum(asked.get(category, 0) for category in members):
                yield {
                    "rules": rules.value,
                    "score": name,
                    "entries": size,
                    "unreachable": sum(lost[category] for category in members),
                    "ceiling": scores[name].accuracy,
                }


def accepted_by_corrected(entries: Sequence[ListedEntry], data: Path) -> set[str]:
    """The entries that no answer can pass under official rules, and some answer under corrected ones."""
    wanted: dict[str, set[str]] = {}
    for entry in entries:
        if any(erratum.defect == "unpassable" for erratum in entry.errata):
            wanted.setdefault(entry.category, set()).add(entry.entry_id)
    staged = ((entries_path(data, category), ids) for category, ids in wanted.items())
    found = (entry for path, ids in staged if path.is_file() for entry in read_entries(path, ids))
    return {entry.entry_id for entry in found if _is_passable_when_corrected(entry)}


def _is_passable_when_corrected(entry: Entry) -> bool:
    mode = Mode.FC if entry.prompt_format is None else Mode.PROMPT
    return bool(obstacles(entry, mode)) and not obstacles(entry, mode, Rules.CORRECTED)


CEILINGS = spec.TableSpec(
    "ceilings",
    "One row per rule set and score of which the run has entries.",
    [
        spec.RUN,
        spec.RULES,
        spec.text("score", "a column of `leaderboard`: a score or a category"),
        spec.count("entries", "entries of the run in it, without those left out"),
        spec.count("unreachable", "of these, those that a faithful model fails"),
        spec.share("ceiling", "the score of a model that fails these only"),
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
        spec.mark("official_valid", "verdict of the official rules; null without one", null=True),
        spec.mark("corrected_valid", "verdict of the corrected rules; null without one", null=True),
        spec.mark("verified_valid", "verdict of the verified rules; null without one", null=True),
        spec.text("what", "the defect in one sentence"),
    ],
    rows=_errata,
)


OWN_ERRATA = spec.TableSpec(
    "own_errata",
    (
        "One row per entry that the run has, and erratum of it in a file of the run's own "
        "(`errata` in its config). Verified scores are judged by them."
    ),
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
