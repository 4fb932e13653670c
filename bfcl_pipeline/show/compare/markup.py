"""A table as Markdown and as LaTeX (booktabs); names of models and entries are escaped."""

import re
from collections.abc import Sequence

from bfcl_pipeline.base.text import on_one_line, printable

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\N{EN DASH}": "--",
    "\N{MINUS SIGN}": "$-$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def markdown(caption: str, cells: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """A caption, a table and notes; the first row of cells has the headings, the first column is text."""
    head, *rows = [[_markdown_text(cell) for cell in row] for row in cells]
    rule = [":--", *["--:"] * (len(head) - 1)]
    lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
    below = [f"\n{_markdown_text(note)}" for note in notes]
    return f"{_markdown_text(caption)}\n\n" + "\n".join([*lines, *below]) + "\n"


def latex(caption: str, cells: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """The same with the caption and the notes as comments."""
    head, *rows = [[_latex_text(cell) for cell in row] for row in cells]
    body = [rf"{' & '.join(row)} \\" for row in rows]
    return "\n".join(
        [
            rf"% {_latex_text(caption)}",
            rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
            r"\toprule",
            rf"{' & '.join(head)} \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            *(f"% {_latex_text(note)}" for note in notes),
            "",
        ]
    )


def _markdown_text(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", printable(on_one_line(text)))


def _latex_text(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in printable(on_one_line(text)))
