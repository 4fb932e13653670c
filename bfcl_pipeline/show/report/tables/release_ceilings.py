"""The ceilings over the whole release, for docs/errata.md."""

from pathlib import Path
from typing import Any

from bfcl_pipeline.benchmark.definition import CATEGORIES, category_of
from bfcl_pipeline.benchmark.errata import Erratum, ErratumStatus, errata, propose_treatment
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import check_staged, entries_path
from bfcl_pipeline.show.report.tables.errata_tables import ListedEntry, ceilings_over
from bfcl_pipeline.show.report.tables.leaderboard import SCORES


def release_ceilings(data: Path) -> list[dict[str, Any]]:
    """The rows of the table `ceilings` over all entries that count for the leaderboard.

    data: the staged release. Raises TableError if it is not there.
    """
    sizes = {name: category.entries for name, category in CATEGORIES.items() if category.scored}
    for name in sizes:
        check_staged(entries_path(data, name))
    by_entry: dict[str, list[Erratum]] = {}
    for erratum in errata():
        if erratum.status is not ErratumStatus.REJECTED:
            by_entry.setdefault(erratum.entry_id, []).append(erratum)
    listed = [
        ListedEntry(category_of(entry_id), entry_id, found, propose_treatment(found))
        for entry_id, found in by_entry.items()
        if category_of(entry_id) in sizes
    ]
    return list(ceilings_over(sizes, Rules, listed, data, SCORES))
