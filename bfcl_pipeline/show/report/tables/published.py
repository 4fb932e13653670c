"""The table `published`: published leaderboard scores beside a run.

Covers its columns and files; `benchmark.config.published_scores` reads the scores. They are shown as
published: no verdict, interval, rank or comparison of the run is made from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bfcl_pipeline.benchmark.config.published_scores import published_scores
from bfcl_pipeline.benchmark.definition.leaderboard_files import OVERALL, OfficialColumn, Show
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.show.report.tables import spec


def _column(column: OfficialColumn) -> spec.Column:
    about = f"`{column.header}` of the file"
    if column.show is Show.TEXT:
        return spec.text(f"{column.value}?", f"{about}; null if it has none")
    return spec.share(f"{column.value}?", f"{about}{'' if column.show is Show.NUMBER else ', from 0 to 1'}")


PUBLISHED = spec.TableSpec(
    "published",
    "One row per model of each file, highest overall first, then those without an overall.",
    [
        spec.text("date", "of the publication, from the file or the config"),
        spec.text("source", "where the scores are from, likewise"),
        spec.text("file", "its name"),
        spec.text("sha256", "of its content"),
        spec.count("published_rank?", "`Rank` of the file; null if it has none"),
        *map(_column, OVERALL.columns),
    ],
)


TABLES = (PUBLISHED,)


def write_published(tables: Path, sources: Iterable[Mapping[str, Any]]) -> None:
    """Writes `published.parquet` and `.csv` in `tables`, highest overall first; removes both without rows.

    Raises ConfigError if a file cannot be read, naming line and column.
    """
    PUBLISHED.write(tables, PUBLISHED.table(published_scores(sources)))


def copy_published(tables: Path, recorded: Path) -> None:
    """Writes the same from the table of a recorded run. Raises TableError if it cannot be read."""
    PUBLISHED.write(
        tables, read_table(recorded, PUBLISHED.schema.names).cast(PUBLISHED.schema).combine_chunks()
    )
