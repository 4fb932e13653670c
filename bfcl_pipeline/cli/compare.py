"""`bfcl-pipeline compare`: what models or runs differ in, on the same entries."""

import argparse
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from bfcl_pipeline.cli.options import add_rules
from bfcl_pipeline.cli.runs import run_folder
from bfcl_pipeline.errors import ConfigError

if TYPE_CHECKING:
    from bfcl_pipeline.comparison.sides import Choice

_IN_FULL = 2  # comparisons that are printed score by score; more are one line each


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "sides",
        nargs="+",
        metavar="SIDE",
        help="RUN:MODEL, or RUN for all its models, or with --run a model; the others are compared with "
        "the first",
    )
    parser.add_argument(
        "--run", type=Path, metavar="RUN", dest="run_dir", help="the run of sides that are models"
    )
    add_rules(parser, "rule set of the verdicts")
    parser.add_argument(
        "--category",
        nargs="+",
        default=[],
        metavar="NAME",
        dest="categories",
        help="compare only these categories or groups (default: all that were run)",
    )
    parser.add_argument("--all-pairs", action="store_true", help="compare every side with every other")
    parser.add_argument(
        "--common",
        action="store_true",
        help="compare the entries that both sides have, instead of refusing sides that differ in them",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write the comparisons; the suffix chooses the form: .parquet, .csv, .jsonl, .json, .md, .tex",
    )
    parser.add_argument(
        "--flips",
        type=Path,
        metavar="FILE",
        help="write the entries that only one side has right: .parquet, .csv or .jsonl",
    )
    parser.add_argument(
        "--show",
        type=int,
        default=5,
        metavar="N",
        help="flipped entries to print of each direction (default: 5)",
    )


def run(options: argparse.Namespace) -> int:
    """Prints the comparisons, and writes them where asked."""
    from bfcl_pipeline.benchmark import resolve_categories
    from bfcl_pipeline.comparison.compare import Comparer
    from bfcl_pipeline.comparison.sides import read_sides
    from bfcl_pipeline.comparison.tables import check_form, write_comparisons, write_flips
    from bfcl_pipeline.comparison.text import comparison_text, pairs_text
    from bfcl_pipeline.tables.text_forms import FORMS

    if options.out:
        check_form(options.out)
    if options.flips:
        check_form(options.flips, FORMS)
    if options.show < 0:
        raise ConfigError(f"--show: expected 0 or more, got {options.show}.")
    choices = [side_choice(side, options.run_dir) for side in options.sides]
    numbering, sides = read_sides(choices, options.rules, resolve_categories(options.categories))
    if len(sides) < 2:
        raise ConfigError(
            f"only one side, {sides[0].label}: expected two or more models. Name another one, or a run "
            "with several."
        )
    comparer = Comparer(numbering, options.rules, options.common)
    pairs = combinations(sides, 2) if options.all_pairs else ((sides[0], other) for other in sides[1:])
    comparisons = [comparer.compare(*pair) for pair in pairs]
    if len(comparisons) > _IN_FULL:
        print(pairs_text(comparisons))
    else:
        print("\n\n".join(comparison_text(each, options.show) for each in comparisons))
    if options.out:
        write_comparisons(options.out, comparisons)
    if options.flips:
        write_flips(options.flips, comparisons)
    return 0


def side_choice(text: str, run_dir: Path | None = None) -> "Choice":
    """What an argument names: RUN:MODEL, else a model of `run_dir` if given, else RUN.

    Names of models may contain colons: with `run_dir`, what is before the colon must be a run.

    Raises ConfigError, with the runs that exist, if there is no such run.
    """
    from bfcl_pipeline.comparison.sides import Choice

    folder, colon, model = text.partition(":")
    if colon and folder and model:
        try:
            return Choice(run_folder(Path(folder)), model)
        except ConfigError:
            if run_dir is None:
                raise
    if run_dir is not None:
        return Choice(run_folder(run_dir), text)
    return Choice(run_folder(Path(text)))
