"""The tables of all models of all archives: who can be compared with whom, and with which ranks.

Models are ranked together if they were asked the same entries of the Overall, of the same release, and
searched a web of the same kind. All others stand in another table. Ranks are those of a
report, over archives: by the Overall, with the interval that the verdicts allow, paired by entry.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.categories import release_sizes
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.gallery.record import ArchiveRecord, ModelRecord
from bfcl_pipeline.show.compare.settings import Settings
from bfcl_pipeline.show.compare.sides import UNJUDGED, Side
from bfcl_pipeline.show.report.tables.leaderboard import UNKNOWN
from bfcl_pipeline.show.report.tables.ranks import ranks_of_models

_OVERALL = categories_of("overall")
_ORDER = {name: place for place, name in enumerate(CATEGORIES)}
_DIGITS = 6  # of the longest number in an id of the release, and more


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """One model in a table."""

    archive: ArchiveRecord
    model: ModelRecord
    row: Mapping[str, Any]  # of the table `leaderboard`, with the ranks of this table
    side: Side  # its marks over the entries of the table

    @property
    def key(self) -> tuple[str, str]:
        """What it is, whatever its rank."""
        return self.archive.sha256, self.model.model


@dataclass(frozen=True, slots=True)
class Standings:
    """One table: models that can be ranked together."""

    title: str
    key: str  # of the entries and settings, in letters for an address
    entries: Sequence[tuple[str, str]]  # category and id, by number: of any of its models
    ranking: int  # how many of them decide the ranks: those of the Overall
    of: Mapping[Rules, Sequence[Standing]]  # in the order of ranks


def standings(archives: Sequence[ArchiveRecord]) -> list[Standings]:
    """The tables of all ranked archives: most entries of the Overall first, then most models."""
    members: dict[str, list[tuple[ArchiveRecord, ModelRecord]]] = {}
    for archive in archives:
        for model in archive.models:
            if model.rules is Rules.OFFICIAL:
                key = _key(model.settings, _ranking(archive, model))
                members.setdefault(key, []).append((archive, model))
    made = [_table(key, of) for key, of in members.items()]
    made.sort(key=lambda one: (-one.ranking, -len(one.of[Rules.OFFICIAL]), one.key))
    return _told_apart(made)


def _told_apart(tables: Sequence[Standings]) -> list[Standings]:
    """The tables, with numbers in titles that several of them have: other entries, as many of them."""
    total = Counter(one.title for one in tables)
    seen: Counter[str] = Counter()
    found = []
    for one in tables:
        seen[one.title] += 1
        number = f" ({seen[one.title]} of {total[one.title]})" if total[one.title] > 1 else ""
        found.append(replace(one, title=one.title + number))
    return found


def _table(key: str, members: Sequence[tuple[ArchiveRecord, ModelRecord]]) -> Standings:
    settings = members[0][1].settings
    ranking = _ranking(*members[0])
    asked = sorted(
        {entry for archive, model in members for entry in _asked(archive, model)}, key=_in_benchmark_order
    )
    names = [(archive, model.model) for archive, model in members]
    return Standings(
        title=_title(settings, ranking),
        key=key,
        entries=asked,
        ranking=len(ranking),
        of={rules: _ranked(names, asked, rules) for rules in Rules},
    )


def _asked(archive: ArchiveRecord, model: ModelRecord) -> list[tuple[str, str]]:
    """The entries of a model."""
    entries = archive.derived.entries if archive.derived else ()
    return [entries[number] for number in model.numbers]


def _ranking(archive: ArchiveRecord, model: ModelRecord) -> list[tuple[str, str]]:
    """The entries that decide the rank of a model: those of the Overall, else all, in benchmark order."""
    asked = sorted(_asked(archive, model), key=_in_benchmark_order)
    return [entry for entry in asked if entry[0] in _OVERALL] or asked


def _in_benchmark_order(entry: tuple[str, str]) -> tuple[int, str]:
    """By category, then by id, whose numbers count as numbers."""
    category, entry_id = entry
    return _ORDER[category], re.sub(r"[0-9]+", lambda number: number[0].zfill(_DIGITS), entry_id)


def _key(settings: Settings, entries: Sequence[tuple[str, str]]) -> str:
    """Equal for models that can be ranked together."""
    web = (
        settings.web,
        settings.requests,
        settings.fetch_failures if settings.web else None,
        settings.search_tool if settings.web else None,
    )
    text = repr((settings.release, settings.by_weight, web, list(entries)))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _title(settings: Settings, entries: Sequence[tuple[str, str]]) -> str:
    categories = {category for category, _ in entries}
    whole = sum(CATEGORIES[name].entries for name in categories)
    of = "all" if len(entries) == whole else f"{len(entries):,} of {whole:,}"
    of_overall = sum(name in _OVERALL for name in categories)
    parts = [f"Release {(settings.release or 'unknown').partition(' ')[0]}", f"{of} entries"]
    if of_overall != len(_OVERALL):
        parts[-1] += f" of {of_overall} of the {len(_OVERALL)} categories in the Overall"
    if settings.web is not None:
        parts.append(str(settings))
    return ", ".join(parts)


def _ranked(
    members: Sequence[tuple[ArchiveRecord, str]], entries: Sequence[tuple[str, str]], rules: Rules
) -> list[Standing]:
    """The models of one table under one rule set, with their ranks."""
    places = {entry: number for number, entry in enumerate(entries)}
    found = [
        Standing(archive, model, model.row, _side(archive, model, places))
        for archive, name in members
        for model in archive.models
        if (model.model, model.rules) == (name, rules)
    ]
    found.sort(key=lambda one: (-_overall(one.row), one.row["display_name"], one.archive.sha256))
    ranked = [one for one in found if bool((one.side.marks != UNJUDGED).any())]
    columns = _rank_columns(ranked, entries)
    ranks = {one.key: {"rank": rank} for rank, one in enumerate(ranked, start=1)}
    return [
        replace(one, row={**one.row, "rank": None, **UNKNOWN, **ranks.get(one.key, {}), **of_rank})
        for one in found
        for of_rank in [columns.get(one.side.label, {})]
    ]


def _overall(row: Mapping[str, Any]) -> float:
    return -1.0 if row["overall"] is None else float(row["overall"])


def _side(archive: ArchiveRecord, model: ModelRecord, places: Mapping[tuple[str, str], int]) -> Side:
    numbers = [places[entry] for entry in _asked(archive, model)]
    return Side(
        Run(Path(archive.sha256)),  # not read: the marks are those of the record
        model.model,
        model.settings,
        f"{archive.sha256} {model.model}",
        np.array(numbers, np.int64),
        np.array(model.marks, np.float64),
        model.trials,
    )


def _rank_columns(
    ranked: Sequence[Standing], entries: Sequence[tuple[str, str]]
) -> Mapping[str, Mapping[str, Any]]:
    """The columns on ranks of each model by the label of its side, as a report has them.

    ranked: models with verdicts, in the order of their ranks.
    """
    rows: dict[str, list[Any]] = {"model": [], "category": [], "entry_id": [], "valid": []}
    for one in ranked:
        for number, mark in zip(one.side.numbers.tolist(), one.side.marks.tolist(), strict=True):
            category, entry_id = entries[number]
            if category in _OVERALL and mark != UNJUDGED:
                for column, value in zip(rows, (one.side.label, category, entry_id, mark), strict=True):
                    rows[column].append(value)
    sizes = release_sizes() if any(one.model.settings.by_weight for one in ranked) else None
    return ranks_of_models(pl.DataFrame(rows), [one.side.label for one in ranked], sizes)
