"""`bfcl-pipeline aggregate`: write the tables of a run and the official CSV files."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from bfcl_pipeline.ask.jobs.options import add_models
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.cli.options import add_cache, add_data, add_names, add_rules
from bfcl_pipeline.cli.runs import add_run
from bfcl_pipeline.cli.steps import PlainCount
from bfcl_pipeline.runs.run import open_run
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run
from bfcl_pipeline.show.report.tables.published import copy_published, write_published


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_run(parser, "with responses/ and verdicts/; tables/ is written there")
    add_data(parser)
    add_cache(parser, "directory with web outcomes and embeddings, for the results of web and memory calls")
    add_models(parser)
    about = "tabulate these models only (default: all that have verdicts)"
    add_names(parser, "--model", "model", about, spaced=False)
    add_names(
        parser, "--missing", "missing", "models without results, to be named in the tables", spaced=False
    )
    published = parser.add_mutually_exclusive_group()
    about = (
        "published scores shown beside the run, as `published` in the config: a list of objects with path, "
        "date and source, of which a file may have the last two; [] removes them (default: those of the "
        "run stay)"
    )
    published.add_argument("--published", metavar="JSON", help=about)
    about = "the same from this table of a recorded run"
    published.add_argument("--published-from", type=Path, metavar="FILE", help=about)
    add_rules(parser, "rule set used in the official CSV files")


def run(options: argparse.Namespace) -> int:
    """Writes the tables."""
    run = open_run(options.run_dir, options.cache, options.data)
    scores = aggregate_run(
        run,
        options.models,
        options.rules,
        options.model,
        options.missing,
        told=PlainCount("models: conversations on the web and with a memory").show,
    )
    if options.published is not None:
        write_published(run.folder / "tables", _sources(options.published))
    if options.published_from is not None:
        copy_published(run.folder / "tables", options.published_from)
    print(f"{run.folder / 'tables'}: {plural(len(scores), 'model', 'models')}", file=sys.stderr)
    return 0


def _sources(text: str) -> list[dict[str, Any]]:
    """The value of --published. Raises ConfigError if it is not of the documented form."""
    try:
        sources = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"--published: not JSON ({error}).") from error
    if not isinstance(sources, list) or not all(isinstance(one, dict) and "path" in one for one in sources):
        raise ConfigError("--published: expected a list of objects with path, date and source.")
    return sources
