"""The V4 table as LaTeX and Markdown."""

from __future__ import annotations

import re
from pathlib import Path

from bfcl_pipeline.base.markup import escape_latex, escape_markdown
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.forms import ExportOptions, export_run
from bfcl_pipeline.show.report.v4_table import HEADINGS, NAME_COLUMN, read_v4_table

_COMMANDS = re.compile(
    r"\\(?:textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar|textquotedbl"
    r"|textasciigrave|textquotesingle|textdagger)\{\}|\\[{}$&#%_]|-\{\}|--"
)


def _written(run: Path, form: str, tmp_path: Path) -> str:
    out = tmp_path / "table"
    assert export_run(Run(run), form, ExportOptions(out), lambda line: None) == 1
    return out.read_text(encoding="utf-8")


def test_latex_has_the_rows_and_notes_of_the_terminal(hostile_run: Path, tmp_path: Path) -> None:
    """The table has the rules of booktabs, a row for each model with all columns, and the notes."""
    text = _written(hostile_run, "latex", tmp_path)
    table = read_v4_table(Run(hostile_run), Rules.OFFICIAL)
    assert [text.count(rf"\{rule}rule") for rule in ("top", "mid", "bottom")] == [1, 1, 1]
    body = text.partition(r"\midrule")[2].partition(r"\bottomrule")[0]
    rows = [line for line in body.splitlines() if line.strip()]
    assert len(rows) == len(table.rows) == 2
    for line in rows:
        assert len(re.findall(r"(?<!\\)&", line)) == len(HEADINGS) - 1
        assert line.endswith(r" \\")
    seeker = next(line for line in rows if "seeker" in line)
    assert r"\textdagger{}" in seeker
    low, high = table.rows[[row[1] for row in table.rows].index("seeker (FC)")][3].split("\N{EN DASH}")
    assert f"& {low}--{high} &" in seeker
    assert "simulated web, not the real one" in text
    assert "In no score: 1 entry without a verdict, 1 not asked, not recorded or of unknown cause." in text


def test_latex_prints_a_hostile_name_as_it_is(hostile_run: Path, tmp_path: Path) -> None:
    """No character of a name acts as a command: all special ones are escaped."""
    text = _written(hostile_run, "latex", tmp_path)
    line = next(line for line in text.splitlines() if "input" in line)
    name = re.split(r"(?<!\\)&", line)[NAME_COLUMN]
    assert re.search(r"[\\{}$&#%_^~<>|`'\"]", _COMMANDS.sub("", name)) is None
    assert r"\textbackslash{}input\{e\}-{}-\textless{}i" in line
    assert escape_latex("a---b") == "a-{}-{}-b"


def test_markdown_has_the_rows_and_notes_of_the_terminal(hostile_run: Path, tmp_path: Path) -> None:
    """Every row has all columns, although a name has a pipe, and the notes are paragraphs."""
    lines = _written(hostile_run, "markdown", tmp_path).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 4
    for row in rows:
        assert len(re.findall(r"(?<!\\)\|", row)) == len(HEADINGS) + 1
    assert rows[1].count("---:") == len(HEADINGS) - 1
    assert r"\* categories not evaluated count 0, as on the leaderboard." in lines


def test_markdown_shows_a_hostile_name_as_it_is() -> None:
    """Markup in a name is escaped, and what is invisible is visible."""
    assert escape_markdown("a|b*c_<i>`[x](y)\\") == r"a\|b\*c\_\<i\>\`\[x\](y)\\"
    assert escape_markdown("a\nb\u202ec") == r"a\\nb\\u202ec"


def test_other_rules_have_other_rows(real_run: Path, tmp_path: Path) -> None:
    out = tmp_path / "table.md"
    export_run(Run(real_run), "markdown", ExportOptions(out, Rules.CORRECTED), lambda line: None)
    assert "Per cent, corrected rules" in out.read_text(encoding="utf-8")
