"""The columns of every table of a run as Markdown, for docs/tables.md.

`python -m tests.support.column_docs > docs/tables.md` writes the page; a test fails if the
page is not up to date. The schemas describe the columns; those of entries are in data/README.md.
"""

from __future__ import annotations

import textwrap

import pyarrow as pa

from bfcl_pipeline.benchmark.definition.leaderboard_files import OFFICIAL_FILES, OfficialFile
from bfcl_pipeline.benchmark.tables.schemas import FINDINGS, RESPONSES, SESSIONS, VERDICTS
from bfcl_pipeline.show.report.tables.all_tables import CHAPTERS

WIDTH = 108
"""Columns of a line of text."""

_HEAD = """# Tables of a run

Made by `python -m tests.support.column_docs`; change the schemas, not this page.

Each table under `results/<run>/tables` exists as Parquet and as CSV, with the same columns and rows.
Accuracies and limits of intervals are between 0 and 1; a null is an empty CSV field. Two equal runs have
identical tables. All intervals are 95 % intervals ([statistics.md](statistics.md)): for an accuracy the
Wilson score interval, in which entries that share a scenario count together; for a mean of several
accuracies their distances to the limits, weighted and combined with their correlations (MOVER). A category
that was not evaluated counts 0 in the scores that contain it, as in the official tool, and adds no width.

The column `web` is the web that was searched. With `simulated` (a small synthetic web) or `off` (no web
tools), the scores that contain web search are not comparable with the leaderboard: web_search, agentic and
overall. The terminal and the page mark them with a dagger. `record`, `replay` and `live` use the real web.
`unknown`, of models of kind `results` whose web nobody recorded, is marked likewise.

The retired categories of V1 (exec_simple, exec_multiple, exec_parallel, exec_parallel_multiple, rest, sql,
chatable) have rows wherever a table has a column `category`, and a table of their own, `executable`. No
score of V4 contains them: they have no column in `leaderboard` and no row in `intervals`, `ceilings`,
`trials` and `pass_k`; entries, cost and latency in `leaderboard` are those of V4. Their `web` is what
answered the requests of executed calls; `simulated` if the responses name none.
"""

_TRIALS = """## Trials

The following tables exist if a model has several trials (`trials` in the config) and there are rows for
them. In all other tables each trial has its own rows: the model name of the second trial of `model` is
`model~2`. docs/statistics.md, section "Trials", explains the intervals, the two standard errors and pass^k.
"""

_UNANSWERED = """## Models without answers

The following table exists if a model of the run has no answer at all: it has no rank and N/A instead of
scores, and the official files leave it out. The column `rank` of `leaderboard` is null for such a model.
"""

_EXECUTABLE = """## Executable categories of V1

The following table exists if the run has any of these categories. Nothing in it is part of V4. The groups
are those of the leaderboard until April 2025; those of August 2024 are beside them, by the formula of that
time on the entries of the pinned release. A group is null unless all its categories were evaluated.
"""

_VIEWS = """## Ceilings, errata and classes of answers

Each of the following tables exists if the run has rows for it. The rules `verified` are the corrected
rules on the entries that the errata (docs/errata.md) mend or leave as they are. An entry that they leave
out is in no column of a row of `verified` rules, neither among the answered nor among the unanswered.

A ceiling is the score of a model that does what it is told: the most that such a model can reach in this
run. It is computed over the entries of the run, of all models together, so of a sample only over the
entries that were drawn. Under official rules such a model fails each entry with a confirmed erratum whose
record says that a faithful answer `fails`; an entry counts once. Under corrected rules it fails the same
entries, except for those without any acceptable answer of which these rules do accept one. Under verified
rules no entry is lost: a defective one is mended or left out. A category that is not in the run counts 0,
as in `leaderboard`.
"""

_PUBLISHED = """## Published scores

The following table exists if the config has `published`. Its scores are those of the named files: nothing
of the run is computed from them.
"""

_AGENTIC = """## Memory and web search

Each of the following tables exists if the run has rows for it. Calls are counted from the recorded answers.
The results of calls are not stored with them; they are derived again, by playing each conversation from its
recorded calls. A call of a memory runs on the recorded memory; a search by meaning (memory_vector) also
needs the embeddings in `cache/encoder`. A search on the web and a page fetch have the outcome in
`cache/web`, or that of the simulated web; of a `live` or `unknown` web nothing is recorded. A result that
cannot be derived is unknown, and counts neither as failed nor as successful. The web tools of a run follow
from `web` and the category. Its configuration has the rate of fetches that were made to fail, and the name
of the search tool.
"""

_MEMORY = """## Memory questions

Each of the following tables exists if the run has rows for it. The fact of a question is its answer. It is
in a memory, or in the result of a look-up, if an acceptable answer is mentioned there between word
boundaries, as in the official check: short answers may be found where nothing was stored. Sessions and
questions are played again from their calls. A search of memory_vector needs the embeddings in
`cache/encoder`; without them, what it found is unknown.

Each wrong answer has one `reason`, the first of these that applies:

1. `not_exact`: official rules accept the answer, as it mentions an acceptable one; these rules do not.
2. `unknown`: the answer or the memory is not recorded.
3. `never_stored`: after no call of a session the fact was in the memory.
4. `deleted`: it was, and was removed or cleared, or is absent although no recorded call removes it.
5. `overwritten`: it was, and another text took its place.
6. `not_looked_up`: it is in the archival memory alone, and the model neither searched nor read.
7. `unknown`: a result of a look-up is not recorded, and no other result had the fact.
8. `not_found`: no result of a look-up had it.
9. `no_answer`: the model saw it, in the core memory or in a result, and wrote no final message.
10. `abstained`: the model saw it, and says that it does not know.
11. `misread`: the model saw it, and answers something else.

Whether a model says that it does not know is recorded apart, in the column `abstained`: it may also say so
because the fact was never stored.
"""

_COMPARISONS = """## Comparisons

The following tables exist if `compare` of the config names models to compare. `bfcl-pipeline compare`
writes the same columns. docs/statistics.md explains the intervals and the tests.
"""

_RECORDS = {
    "responses/&lt;model&gt;/&lt;category&gt;.parquet": (
        RESPONSES,
        "One row per entry that was run, in the release's order.",
    ),
    "memory/&lt;model&gt;/&lt;category&gt;.parquet": (
        SESSIONS,
        "One row per session before the questions of a memory category.",
    ),
    "verdicts/&lt;model&gt;.parquet": (VERDICTS, "One row per response and rule set."),
    "audit": (
        FINDINGS,
        "What `bfcl-pipeline audit --out FILE` writes: one row per suspected defect of an entry.",
    ),
}

_OFFICIAL = """## tables/official

The six files of the official tool: same columns, number formats and sort order, no line end after the
last row. Models with equal scores are sorted by name here; the official tool leaves them in the order of
directories on disk. The files show the verdicts of one rule set, `rules` of the config or the option
`--rules`, by default the official one. A web-search
category whose web is `simulated`, `off` or `unknown` counts as not evaluated there (N/A, 0 in the scores
that contain it), and its cost and latency are left out.
"""


_CHAPTERS = {
    "Every run": _HEAD,
    "Trials": _TRIALS,
    "Models without answers": _UNANSWERED,
    "Executable categories of V1": _EXECUTABLE,
    "Ceilings, errata and classes of answers": _VIEWS,
    "Memory and web search": _AGENTIC,
    "Memory questions": _MEMORY,
    "Published scores": _PUBLISHED,
    "Comparisons": _COMPARISONS,
}
"""The text above the tables of each chapter of `all_tables`."""


def document() -> str:
    """The page as Markdown."""
    parts = []
    for chapter, tables in CHAPTERS.items():
        parts.append(_CHAPTERS[chapter])
        parts += [_section(f"tables/{table.name}", table.about, table.schema) for table in tables]
    parts += [_OFFICIAL, "".join(_official_line(file) for file in OFFICIAL_FILES)]
    parts += [_section(name, about, schema) for name, (schema, about) in _RECORDS.items()]
    return "\n".join(parts)


def _official_line(file: OfficialFile) -> str:
    key = next(column.header for column in file.columns if column.value == file.sorted_by)
    return f"- `{file.name}`: {len(file.columns) + 1} columns, sorted by `{key}`\n"


def _section(title: str, about: str, schema: pa.Schema) -> str:
    rows = [f"| `{field.name}` | {field.type} | {_description(field)} |" for field in schema]
    return "\n".join(
        [
            f"## {title}",
            "",
            textwrap.fill(about, WIDTH),
            "",
            "| column | type | what it holds |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def _description(field: pa.Field[pa.DataType]) -> str:
    return (field.metadata or {})[b"description"].decode()


if __name__ == "__main__":
    print(document(), end="")
