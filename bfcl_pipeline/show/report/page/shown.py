"""Which categories a page lists."""

from bfcl_pipeline.benchmark.definition import GROUPS, V4_CATEGORIES
from bfcl_pipeline.show.report.page.run_tables import RunTables


def shown_categories(tables: RunTables) -> tuple[str, ...]:
    """The categories of V4, then those of V1's executable ones that were asked in the run."""
    asked = {row["category"] for row in tables["categories"]}
    return (*V4_CATEGORIES, *(name for name in GROUPS["executable"] if name in asked))
