"""`bfcl-pipeline figures`: draw the figures of a run again, or those that join several runs."""

import argparse
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import printable
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.cli.options import add_rules
from bfcl_pipeline.cli.runs import RUN_HELP
from bfcl_pipeline.runs.run import Run, open_run
from bfcl_pipeline.show.report.figures.draw import CAPTIONS, add_figures, draw, draw_run, write_figures
from bfcl_pipeline.show.report.figures.experiments import ExperimentRun, draw_experiments
from bfcl_pipeline.show.report.figures.figure import DrawnFigure
from bfcl_pipeline.show.report.figures.names import drawable_text
from bfcl_pipeline.show.report.page.run_tables import read_run_tables


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "runs",
        type=Path,
        nargs="+",
        metavar="RUN",
        help=f"{RUN_HELP}; of several runs, the figures that join them: with and without web tools, by the "
        "share of page fetches that fail, with and without snippets",
    )
    add_rules(parser, "rule set of the figures; of several runs, that of the first", recorded=True)
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="the directory to which SVG and PNG files are written (default for a single run: figures/ in "
        "it)",
    )
    parser.add_argument(
        "--no-titles",
        action="store_false",
        dest="titled",
        help="leave the titles out, for papers; a line on a web that is not the real one remains",
    )
    parser.add_argument(
        "--text",
        type=_text_scale,
        default=1.0,
        metavar="FACTOR",
        help="enlarge the text alone, from 1 to 2: 1.5 for one column of a paper (default: 1)",
    )


def run(options: argparse.Namespace) -> int:
    """Writes the figures."""

    runs = [open_run(given) for given in options.runs]
    if options.out is None and (len(runs) > 1 or not options.titled or options.text > 1):
        raise ConfigError(
            "figures of several runs, without titles or with larger text are not part of one run. Name a "
            "directory for them with --out."
        )
    rules = options.rules or runs[0].rules
    if len(runs) > 1:
        figures = _joined(runs, rules, options)
    else:
        figures = draw_run(read_run_tables(runs[0], rules), options.titled, options.text)
    out = options.out or runs[0].folder / "figures"
    (write_figures if options.out is None else add_figures)(out, figures)
    for figure in figures:
        print(out / f"{figure.name}.svg")
    print(f"{len(figures):,} figures, each as SVG and PNG; captions in {out / CAPTIONS}", file=sys.stderr)
    return 0


def _text_scale(given: str) -> float:
    try:
        value = float(given)
    except ValueError:
        value = 0.0
    if not 1 <= value <= 2:
        raise argparse.ArgumentTypeError(f"{given!r} is not a number from 1 to 2")
    return value


def _joined(runs: Sequence[Run], rules: Rules, options: argparse.Namespace) -> "list[DrawnFigure]":
    """The figures that join runs, in their order."""
    from bfcl_pipeline.show.compare.settings import run_settings, web_differs  # a wing

    settings = [run_settings(run) for run in runs]
    for (one, first), (other, second) in combinations(zip(runs, settings, strict=True), 2):
        if web_differs(first, second):
            raise ConfigError(
                f"{one.folder} and {other.folder}: one searched the simulated web and the other the real "
                "one, so their scores cannot be joined. Name runs of one web."
            )
        if None not in (first.release, second.release) and first.release != second.release:
            raise ConfigError(
                f"{one.folder} and {other.folder} have different releases: "
                f"{first.release}, {second.release}."
            )
    experiments = [
        ExperimentRun(read_run_tables(run, rules), known.web_tools, known.fetch_failures)
        for run, known in zip(runs, settings, strict=True)
    ]
    found = list(draw_experiments(experiments))
    if not found:
        stated = "; ".join(
            f"{run.folder.name}: {str(known) or 'no web search recorded'}"
            for run, known in zip(runs, settings, strict=True)
        )
        raise ConfigError(
            f"these runs have no experiment in common ({printable(stated)}). Name runs of the same models "
            "that differ in web tools, in failing fetches or in snippets (config/experiments)."
        )
    names = ", ".join(drawable_text(run.folder.name) for run in runs)
    return draw(
        found, drawable_text(f"Runs {names}; {rules.value} rules", 140), options.titled, options.text
    )
