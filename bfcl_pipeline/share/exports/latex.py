"""The V4 table of a run as LaTeX, with the rules of the package booktabs.

Covers the columns and notes of the terminal's table, and escapes, so that no name of a model is read as a
command.
"""

import re
from collections.abc import Sequence

from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import Log, on_one_line, printable
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.forms import ExportOptions
from bfcl_pipeline.share.exports.run_scores import read_run_scores
from bfcl_pipeline.show.report.rank_note import GROUP_NOTE
from bfcl_pipeline.show.report.v4_table import HEADINGS, NAME_COLUMN, V4Table, read_v4_table

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "-": "-{}",
    "\N{EN DASH}": "--",
    "\N{DAGGER}": r"\textdagger{}",
}
_SPECIAL = re.compile(r"-(?=-)|[^\w\s.,:;!?()\[\]*/+=@-]|_")  # two hyphens in a row would be a dash

_GROUP_RULE = f"    \\cmidrule(lr){{1-{len(HEADINGS)}}}\n"
"""The line between groups of models."""


def write(run: Run, options: ExportOptions, log: Log) -> int:
    """Writes the table as one file; returns 1. Raises as `forms.export_run`."""
    scores = read_run_scores(run, options.rules, options.models)
    table = read_v4_table(run, options.rules, options.models)
    write_text(options.out, latex_table(table, scores.name))
    log(str(options.out))
    return 1


def latex_table(table: V4Table, run: str) -> str:
    """A floating table, with the notes beneath and the name of the run in the caption."""
    groups = [GROUP_NOTE] if any(table.begins_group) else []
    notes = [*table.notes, *table.rank_notes, *groups]
    columns = "".join("l" if column == NAME_COLUMN else "r" for column in range(len(HEADINGS)))
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs}, \usepackage{textcomp} and \usepackage[T1]{fontenc}.",
            r"\begin{table}",
            r"  \centering",
            r"  \small",
            rf"  \caption{{BFCL V4, run {escape_latex(run)}.}}",
            rf"  \begin{{tabular}}{{{columns}}}",
            r"    \toprule",
            f"    {_line(HEADINGS)}",
            r"    \midrule",
            *(
                f"{_GROUP_RULE if begins else ''}    {_line(row)}"
                for row, begins in zip(table.rows, table.begins_group, strict=True)
            ),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"  \par\smallskip",
            r"  \parbox{\linewidth}{\footnotesize",
            *(f"    {escape_latex(note)}" for note in notes),
            r"  }",
            r"\end{table}",
            "",
        ]
    )


def escape_latex(text: str) -> str:
    """A text that LaTeX prints as it is."""
    return _SPECIAL.sub(lambda match: _ESCAPES.get(match[0], match[0]), on_one_line(printable(text)))


def _line(cells: Sequence[str]) -> str:
    return " & ".join(map(escape_latex, cells)) + r" \\"
