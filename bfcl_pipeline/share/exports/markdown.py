"""The V4 table of a run as Markdown, in the dialect of GitHub.

Covers the columns and notes of the terminal's table, and escapes, so that no name of a model is read as
markup.
"""

import re
from collections.abc import Iterable, Sequence

from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import Log, on_one_line, printable
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.forms import ExportOptions
from bfcl_pipeline.share.exports.run_scores import read_run_scores
from bfcl_pipeline.show.report.v4_table import HEADINGS, NAME_COLUMN, read_v4_table

_MARKUP = re.compile(r"[\\`*_{}\[\]<>|#~&$!]")


def write(run: Run, options: ExportOptions, log: Log) -> int:
    """Writes the table as one file; returns 1. Raises as `forms.export_run`."""
    scores = read_run_scores(run, options.rules, options.models)
    table = read_v4_table(run, options.rules, options.models)
    write_text(options.out, markdown_table(table.rows, [*table.notes, *table.rank_notes], scores.name))
    log(str(options.out))
    return 1


def markdown_table(rows: Sequence[Sequence[str]], notes: Sequence[str], run: str) -> str:
    """A table beneath a line with the run.

    Args:
        rows: a text for each of `HEADINGS`.
        notes: sentences beneath the table, a paragraph each.
        run: name of the run.
    """
    rules = ["---" if column == NAME_COLUMN else "---:" for column in range(len(HEADINGS))]
    lines = [
        f"BFCL V4, run {escape_markdown(run)}.",
        "",
        _line(map(escape_markdown, HEADINGS)),
        _line(rules),
        *(_line(map(escape_markdown, row)) for row in rows),
    ]
    for note in notes:
        lines += ["", escape_markdown(note)]
    return "\n".join([*lines, ""])


def escape_markdown(text: str) -> str:
    """A text that Markdown shows as it is, also in a cell of a table."""
    return _MARKUP.sub(r"\\\g<0>", on_one_line(printable(text)))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
