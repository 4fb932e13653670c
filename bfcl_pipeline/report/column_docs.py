"""The columns of every table of a run as Markdown, for docs/tables.md.

`python -m bfcl_pipeline.report.column_docs > docs/tables.md` writes the page; a test fails where it
is not up to date. The words come from the schemas; the entries' columns are in data/README.md.
"""

from __future__ import annotations

import pyarrow as pa

from bfcl_pipeline.benchmark.leaderboard_files import OFFICIAL_FILES, OfficialFile
from bfcl_pipeline.report.columns import TABLES
from bfcl_pipeline.tables.schemas import RESPONSES, VERDICTS

_HEAD = """# Tables of a run

Made by `python -m bfcl_pipeline.report.column_docs`; change the schemas, not this page.

Everything under `results/<run>/tables` is there twice, as Parquet and as CSV, with the same columns and
rows. Accuracies and limits of intervals run from 0 to 1; a null is an empty CSV field. Nothing in these
tables differs between two equal runs. Intervals are 95 %: of one accuracy the Wilson score interval; of
a score made of several, their distances to the limits, weighted and added in squares (MOVER). A category
that was not evaluated counts 0 in the scores above it, as in the official tool, and adds no width.
"""

_RECORDS = {
    "responses/&lt;model&gt;/&lt;category&gt;.parquet": (
        RESPONSES,
        "One row per entry asked, in the release's order.",
    ),
    "verdicts/&lt;model&gt;.parquet": (VERDICTS, "One row per response and rule set."),
}

_ABOUT = {
    "leaderboard": "One row per model and rule set, official rules first, then by rank.",
    "categories": "One row per model, rule set and category that was asked.",
    "error_types": "One row per model, rule set, category and kind of error, commonest first.",
    "formats": "One row per model, rule set and prompt format of the format-sensitivity test.",
    "rules": "One row per model and category that were judged under both rule sets.",
    "coverage": "One row per model, category and status that occurs.",
}

_OFFICIAL = """## tables/official

The six files of the official tool: same columns, number formats and sort order, no line end after the
last row. What it leaves to the order of folders on disk, models with equal scores, stands in the order of
model names here. They show the verdicts of one rule set, the official one unless asked otherwise.
"""


def document() -> str:
    """The page."""
    parts = [_HEAD]
    parts += [_section(f"tables/{name}", _ABOUT[name], schema) for name, schema in TABLES.items()]
    parts.append(_OFFICIAL)
    parts.append("".join(_official_line(file) for file in OFFICIAL_FILES))
    parts += [_section(name, about, schema) for name, (schema, about) in _RECORDS.items()]
    return "\n".join(parts)


def _official_line(file: OfficialFile) -> str:
    key = next(column.header for column in file.columns if column.value == file.sorted_by)
    return f"- `{file.name}`: {len(file.columns) + 1} columns, sorted by `{key}`\n"


def _section(title: str, about: str, schema: pa.Schema) -> str:
    rows = [f"| `{field.name}` | {field.type} | {_description(field)} |" for field in schema]
    return "\n".join(
        [f"## {title}", "", about, "", "| column | type | what it holds |", "|---|---|---|", *rows, ""]
    )


def _description(field: pa.Field[pa.DataType]) -> str:
    return (field.metadata or {})[b"description"].decode()


if __name__ == "__main__":
    print(document(), end="")
