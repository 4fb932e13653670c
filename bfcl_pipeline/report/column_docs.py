"""The columns of every table of a run as Markdown, for docs/tables.md.

`python -m bfcl_pipeline.report.column_docs > docs/tables.md` writes the page; a test fails where it
is not up to date. The words come from the schemas; the entries' columns are in data/README.md.
"""

from __future__ import annotations

import pyarrow as pa

from bfcl_pipeline.benchmark.leaderboard_files import OFFICIAL_FILES, OfficialFile
from bfcl_pipeline.report.agentic_columns import AGENTIC_TABLES
from bfcl_pipeline.report.columns import TABLES, TRIAL_TABLES
from bfcl_pipeline.tables.schemas import RESPONSES, SESSIONS, VERDICTS

_HEAD = """# Tables of a run

Made by `python -m bfcl_pipeline.report.column_docs`; change the schemas, not this page.

Everything under `results/<run>/tables` is there twice, as Parquet and as CSV, with the same columns and
rows. Accuracies and limits of intervals run from 0 to 1; a null is an empty CSV field. Nothing in these
tables differs between two equal runs. Intervals are 95 %: of one accuracy the Wilson score interval; of
a score made of several, their distances to the limits, weighted and added in squares (MOVER). A category
that was not evaluated counts 0 in the scores above it, as in the official tool, and adds no width.

The column `web` says which web was searched. With `simulated` (a small made-up web) or `off` (no web
tools), no score that web search is part of compares with the leaderboard: web_search, agentic, overall. The
terminal and the page mark them with a dagger. `record`, `replay` and `live` are the real web.
"""

_TRIALS = """## Trials

The following table is there where a model was asked more than once (`trials` in the config). In all other
tables each trial stands for itself: the second of `model` is called `model~2`.
"""

_AGENTIC = """## Memory and web search

The following tables are there where a run has something to say in them. Calls are counted from the
answers that were recorded. What the tools returned is not recorded: calls of a memory are made again to
find those that failed (all but searches by meaning, which need an encoder); whether a page could be fetched
is not told. Which web tools a run had is told by `web` and the category; the rate of fetches made to fail
and another name of the search tool, by the run's configuration.
"""

_RECORDS = {
    "responses/&lt;model&gt;/&lt;category&gt;.parquet": (
        RESPONSES,
        "One row per entry asked, in the release's order.",
    ),
    "memory/&lt;model&gt;/&lt;category&gt;.parquet": (
        SESSIONS,
        "One row per session before the questions of a memory category.",
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
    "usage": "One row per model, category and part that was asked; `coverage` tells what has no answer.",
    "trials": "One row per rule set, repeated model and score.",
    "memory_domains": "One row per model, rule set, memory and scenario.",
    "memory_use": "One row per model, memory and scenario.",
    "web_hops": "One row per model, rule set, web-search category and number of hops.",
    "web_failures": "One row per model, rule set, web-search category with wrong answers, and failure.\n"
    "`no_search`: never searched. `pasted_question`: one query holds at least 80 % of the question's\n"
    "different words. `never_fetched`: searched, asked for no page. `none_of_these`: none of the three.",
}

_OFFICIAL = """## tables/official

The six files of the official tool: same columns, number formats and sort order, no line end after the
last row. What it leaves to the order of folders on disk, models with equal scores, stands in the order of
model names here. They show the verdicts of one rule set, the official one unless asked otherwise. A
category of web search whose web is `simulated` or `off` stands there as not evaluated (N/A, 0 in the scores
above it), and what it cost and took is not counted.
"""


def document() -> str:
    """The page."""
    parts = [_HEAD]
    parts += [_section(f"tables/{name}", _ABOUT[name], schema) for name, schema in TABLES.items()]
    parts.append(_TRIALS)
    parts += [_section(f"tables/{name}", _ABOUT[name], schema) for name, schema in TRIAL_TABLES.items()]
    parts.append(_AGENTIC)
    parts += [_section(f"tables/{name}", _ABOUT[name], schema) for name, schema in AGENTIC_TABLES.items()]
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
