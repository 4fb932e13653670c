"""The forms of export, as data, and writing a run in one of them; the V4 table is LaTeX or Markdown.

The code of a form is imported when it is used: one form needs a package that is an optional dependency.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.markup import TextTable, latex, markdown
from bfcl_pipeline.base.text import Log, unknown_name
from bfcl_pipeline.benchmark.definition.release import V4
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.run_scores import read_run_scores
from bfcl_pipeline.show.report.v4_table import GROUP_NOTE, HEADINGS, NAME_COLUMN, V4Table, joined_v4_table


@dataclass(frozen=True, slots=True)
class Form:
    """One form of export."""

    about: str  # one line: what is written
    module: str  # of bfcl_pipeline.share.exports
    function: str = "write"  # of the module: takes run, options and log; returns the number of files


FORMS: Mapping[str, Form] = {
    "latex": Form(
        "the V4 table for papers, with rules of the package booktabs; one file", "v4_table", "write_latex"
    ),
    "markdown": Form("the V4 table in Markdown; one file", "v4_table", "write_markdown"),
    "every-eval-ever": Form("records of Every Eval Ever, a JSON file for each model", "every_eval_ever"),
    "inspect": Form("logs of Inspect with all samples, one for each model and category", "inspect_logs"),
}
"""Every form by its name on the command line."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What to export, and where."""

    out: Path  # a file, or a directory for forms of several files
    rules: Rules = Rules.OFFICIAL
    models: Sequence[str] = ()  # the models to export; all if empty
    organization: str = "unknown"  # that made the run; Every Eval Ever only
    beside: Sequence[Run] = ()  # further runs in the same table, of forms that join runs


def export_run(run: Run, form: str, options: ExportOptions, log: Log) -> int:
    """Writes a run in one of FORMS.

    Args:
        run: the run, with tables/.
        form: a key of FORMS.
        options: what to export, and where.
        log: receives a line for each file, and for what was left out.

    Returns:
        The number of files.

    Raises:
        ConfigError: the form or a model is unknown, the form does not join runs, or its package is not
                installed.
        TableError: a table is missing or cannot be read.
    """
    if form not in FORMS:
        raise ConfigError(unknown_name("form", form, FORMS))
    chosen = FORMS[form]
    if options.beside and chosen.module != "v4_table":
        raise ConfigError(f"the form {form!r} has one run; latex and markdown join several in one table.")
    if form == "inspect" and find_spec("inspect_ai") is None:
        raise ConfigError(
            "the form 'inspect' needs inspect_ai, which is not installed. Run: pip install "
            "'bfcl-pipeline[inspect]'"
        )
    module = import_module(f"bfcl_pipeline.share.exports.{chosen.module}")
    written: int = getattr(module, chosen.function)(run, options, log)
    return written


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
