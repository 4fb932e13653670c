"""The V4 table of a run as LaTeX and as Markdown: the columns and notes of the terminal's table."""

from dataclasses import replace

from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.markup import TextTable, latex, markdown
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.definition.release import V4
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.forms import ExportOptions
from bfcl_pipeline.share.exports.run_scores import read_run_scores
from bfcl_pipeline.show.report.v4_table import GROUP_NOTE, HEADINGS, NAME_COLUMN, V4Table, joined_v4_table


def text_table(table: V4Table, run: str, benchmark: str = V4) -> TextTable:
    """The table with its notes, and the names of the benchmark and the run in the caption."""
    return TextTable(
        f"{benchmark}, run {run}.",
        HEADINGS,
        table.rows,
        [*table.notes, *table.rank_notes],
        name_column=NAME_COLUMN,
    )


def write_latex(run: Run, options: ExportOptions, log: Log) -> int:
    """Writes the table as one file, with lines between groups; returns 1. Raises as `forms.export_run`."""
    name, table = _names(run, options), _table(run, options)
    lines = [number for number, begins in enumerate(table.begins_group) if begins]
    made = text_table(table, name, run.benchmark)
    notes = [*made.notes, GROUP_NOTE] if lines else made.notes
    return _write(latex(replace(made, notes=notes, lines_above=lines)), options, log)


def write_markdown(run: Run, options: ExportOptions, log: Log) -> int:
    """Writes the table as one file; returns 1. Raises as `forms.export_run`."""
    name, table = _names(run, options), _table(run, options)
    return _write(markdown(text_table(table, name, run.benchmark)), options, log)


def _names(run: Run, options: ExportOptions) -> str:
    """The names of the runs, each of which has the models."""
    runs = (run, *options.beside)
    return ", ".join(read_run_scores(each, options.rules, options.models).name for each in runs)


def _table(run: Run, options: ExportOptions) -> V4Table:
    return joined_v4_table((run, *options.beside), options.rules, options.models)


def _write(text: str, options: ExportOptions, log: Log) -> int:
    write_text(options.out, text)
    log(str(options.out))
    return 1
