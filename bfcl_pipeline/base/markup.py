"""A table of texts as Markdown, in the dialect of GitHub, and as LaTeX, with the rules of booktabs.

Nothing in a text is read as markup or as a command; what is invisible is made visible.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from bfcl_pipeline.base.text import on_one_line, printable

_MARKDOWN = re.compile(r"[\\`*_{}\[\]<>|#~&$!]")

_LATEX = {
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
    "\N{MINUS SIGN}": "$-$",
    "\N{DAGGER}": r"\textdagger{}",
}
_SPECIAL = re.compile(r"-(?=-)|[^\w\s.,:;!?()\[\]*/+=@-]|_")  # two hyphens in a row would be a dash


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of texts with what stands above and beneath it."""

    caption: str  # one or more sentences
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]  # a text for each heading
    notes: Sequence[str] = ()  # sentences
    name_column: int = 0  # aligned to the left; the others to the right
    lines_above: Collection[int] = ()  # of LaTeX: numbers of the rows, from 0, above which a line stands


def markdown(table: TextTable) -> str:
    """The caption, the table and the notes, each a paragraph."""
    columns = range(len(table.headings))
    rules = ["---" if column == table.name_column else "---:" for column in columns]
    rows = (map(escape_markdown, row) for row in (table.headings, *table.rows))
    head, *body = (_markdown_line(row) for row in rows)
    notes = [line for note in table.notes for line in ("", escape_markdown(note))]
    return "\n".join([escape_markdown(table.caption), "", head, _markdown_line(rules), *body, *notes, ""])


def _markdown_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escape_markdown(text: str) -> str:
    """A text that Markdown shows as it is, also in a cell of a table."""
    return _MARKDOWN.sub(r"\\\g<0>", on_one_line(printable(text)))


def latex(table: TextTable) -> str:
    """A floating table with its caption, and the notes beneath it."""
    width = len(table.headings)
    columns = "".join("l" if column == table.name_column else "r" for column in range(width))
    rows = []
    for number, row in enumerate(table.rows):
        if number in table.lines_above:
            rows.append(f"    \\cmidrule(lr){{1-{width}}}")
        rows.append(f"    {_latex_line(row)}")
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs}, \usepackage{textcomp} and \usepackage[T1]{fontenc}.",
            r"\begin{table}",
            r"  \centering",
            r"  \small",
            rf"  \caption{{{escape_latex(table.caption)}}}",
            rf"  \begin{{tabular}}{{{columns}}}",
            r"    \toprule",
            f"    {_latex_line(table.headings)}",
            r"    \midrule",
            *rows,
            r"    \bottomrule",
            r"  \end{tabular}",
            r"  \par\smallskip",
            r"  \parbox{\linewidth}{\footnotesize",
            *(f"    {escape_latex(note)}" for note in table.notes),
            r"  }",
            r"\end{table}",
            "",
        ]
    )


def _latex_line(cells: Iterable[str]) -> str:
    return " & ".join(map(escape_latex, cells)) + r" \\"


def escape_latex(text: str) -> str:
    """A text that LaTeX prints as it is."""
    return _SPECIAL.sub(lambda match: _LATEX.get(match[0], match[0]), on_one_line(printable(text)))
