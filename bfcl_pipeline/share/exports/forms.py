"""The forms of export, as data, and writing a run in one of them.

The code of a form is imported when it is used: one form needs a package that is an optional dependency.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import Log, unknown_name
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run


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
