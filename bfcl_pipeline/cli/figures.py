"""`bfcl-pipeline figures`: draw the figures of a run again, or those that join several runs."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import combinations
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.cli.options import add_rules
from bfcl_pipeline.cli.runs import RUNS_HELP, opened
from bfcl_pipeline.runs.run import Run, run_labels
from bfcl_pipeline.show.report.figures.draw import (
    CAPTIONS,
    FIGURES,
    add_figures,
    draw,
    draw_run,
    write_figures,
)
from bfcl_pipeline.show.report.figures.experiments import ExperimentRun, experiment_figures
from bfcl_pipeline.show.report.figures.figure import DrawnFigure
from bfcl_pipeline.show.report.figures.names import drawable_text
from bfcl_pipeline.show.report.page.run_tables import joined_tables, read_run_tables


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    about = (
        f"{RUNS_HELP}; of several runs, the same of all their models, and those of experiments: "
        "with and without web tools, by the share of page fetches that fail, with and without snippets"
    )
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help=about)
    add_rules(parser, "rule set of the figures; of several runs, that of the first", recorded=True)
    about = "the directory of the SVG and PNG files (default for a single run: figures/ in it)"
    parser.add_argument("--out", type=Path, metavar="DIR", help=about)
    about = "leave the titles out, for papers; a line on a web that is not the real one remains"
    parser.add_argument("--no-titles", action="store_false", dest="titled", help=about)
    about = "enlarge the text alone, from 1 to 2: 1.5 for one column of a paper (default: 1)"
    parser.add_argument("--text", type=_text_scale, default=1.0, metavar="FACTOR", help=about)


def run(options: argparse.Namespace) -> int:
    """Writes the figures."""
    with ExitStack() as archives:
        runs = [opened(archives, source) for source in options.runs]
        alone = len(runs) == 1 and runs[0].source == runs[0].folder
        if options.out is None and (not alone or not options.titled or options.text > 1):
            raise ConfigError(
                "figures of several runs or an archive, without titles or with larger text are not part of "
                "one run. Name a directory for them with --out."
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


def _joined(runs: Sequence[Run], rules: Rules, options: argparse.Namespace) -> list[DrawnFigure]:
    """The figures that join runs, in their order."""
    from bfcl_pipeline.show.compare.settings import run_settings, webs_differ  # a wing

    settings = [run_settings(run) for run in runs]
    for (one, first), (other, second) in combinations(zip(runs, settings, strict=True), 2):
        if webs_differ(first.web, second.web):
            raise ConfigError(
                f"{one.source} and {other.source}: one searched the simulated web and the other the real "
                "one, so their scores cannot be joined. Name runs of one web."
            )
        if None not in (first.release, second.release) and first.release != second.release:
            raise ConfigError(
                f"{one.source} and {other.source} have different releases: "
                f"{first.release}, {second.release}."
            )
    tables = [read_run_tables(run, rules) for run in runs]
    experiments = [
        ExperimentRun(each, known.web_tools, known.fetch_failures)
        for each, known in zip(tables, settings, strict=True)
    ]
    labels, form = run_labels(runs), (options.titled, options.text)
    names = ", ".join(map(drawable_text, labels))
    source = drawable_text(f"Runs {names}; {rules.value} rules", 140)
    joined = joined_tables(dict(zip(labels, tables, strict=True)))
    of_both = draw_run(joined, *form, [spec for spec in FIGURES if spec.joined])
    return [*draw(experiment_figures(experiments), source, *form), *of_both]
