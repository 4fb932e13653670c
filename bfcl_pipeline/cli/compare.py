"""`bfcl-pipeline compare`: what models or runs differ in, on the same entries."""

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import printable
from bfcl_pipeline.benchmark.definition import resolve_categories
from bfcl_pipeline.benchmark.tables.text_forms import FORMS
from bfcl_pipeline.cli.options import WORST, add_files, add_names, add_omitted, add_rules
from bfcl_pipeline.cli.sides import opened_sides
from bfcl_pipeline.show.compare.compare import Comparer
from bfcl_pipeline.show.compare.hosts import hosts_text
from bfcl_pipeline.show.compare.pairs import (
    compare_pairs,
    compared_text,
    default_groups,
    mode_groups,
    named_groups,
    pairs_of,
    recovery_text,
)
from bfcl_pipeline.show.compare.sides import Choice, read_sides
from bfcl_pipeline.show.compare.tables import check_form, write_comparisons, write_flips
from bfcl_pipeline.show.compare.trials import read_averaged


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "sides",
        nargs="+",
        metavar="SIDE",
        help="RUN:MODEL, or RUN for all its models, or with --run a model; RUN may be an archive "
        "(FILE.zip). The others are compared with the first; of whole runs, models of the same name",
    )
    about = "the run, or archive, of sides that are models"
    parser.add_argument("--run", type=Path, metavar="RUN", dest="run_dir", help=about)
    add_rules(parser, "rule set of the verdicts")
    add_names(parser, "--category", "categories", "compare only these categories or groups (default: all)")
    pairs = parser.add_mutually_exclusive_group()
    pairs.add_argument("--all-pairs", action="store_true", help="compare every side with every other")
    modes = "compare each model X-FC with X, function calling with prompts"
    pairs.add_argument("--modes", action="store_true", help=modes)
    pairs.add_argument(
        "--group",
        nargs="+",
        action="append",
        metavar="MODEL",
        dest="named",
        help="compare the other models of this group with its first; may be repeated",
    )
    about = "print the ratio of each score to that of the first side, with its interval"
    parser.add_argument("--recovery", action="store_true", help=about)
    about = "one model at several addresses: whether hosts call alike, fit the schemas, tokens, latency"
    parser.add_argument("--by", choices=["host"], help=about)
    trials = "compare the mean of a model's trials (MODEL, MODEL~2, ...) instead of the first one"
    parser.add_argument("--trials", action="store_true", help=trials)
    add_omitted(parser, "the first side")
    common = "compare the entries that both sides have, instead of refusing sides that differ in them"
    parser.add_argument("--common", action="store_true", help=common)
    forms = "the suffix chooses the form: .parquet, .csv, .jsonl, .json, .md, .tex"
    add_files(parser, "--out", f"write the comparisons; {forms}")
    flips = "write the entries that only one side has right: .parquet, .csv or .jsonl"
    add_files(parser, "--flips", flips)
    shown = "flipped entries to print of each direction (default: 5)"
    parser.add_argument("--show", type=int, default=5, metavar="N", help=shown)


def run(options: argparse.Namespace) -> int:
    """Prints the comparisons, and writes them where asked."""
    for path in options.out:
        check_form(path)
    for path in options.flips:
        check_form(path, FORMS)
    if options.show < 0:
        raise ConfigError(f"--show: expected 0 or more, got {options.show}.")
    with opened_sides(options.sides, options.run_dir) as choices:
        return _run(options, choices)


def _run(options: argparse.Namespace, choices: Sequence[Choice]) -> int:
    read = read_averaged if options.trials else read_sides
    numbering, sides = read(choices, options.rules, resolve_categories(options.categories))
    if options.by:
        print(hosts_text(numbering, sides))
        return 0
    if options.modes:
        groups = mode_groups(sides)
    elif options.named:
        groups = named_groups(options.named, sides)
    else:
        groups = [list(sides)] if options.all_pairs else default_groups(choices, sides)
    comparer = Comparer(numbering, options.rules, options.common, options.omitted == WORST)
    found = compare_pairs(comparer, pairs_of(groups, options.all_pairs), bool(options.named))
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    if options.recovery and found.pairs:
        print("\n\n".join(recovery_text(comparer, *pair) for pair in found.pairs))
    else:
        print(compared_text(found, options.show, width))
    for first, second in found.apart:
        names = f"{printable(first.label)} and {printable(second.label)}"
        print(f"Not compared: {names} have no entry with a verdict in common.")
    grouped = {side.label for group in groups for side in group}
    lonely = [] if options.named else [side.label for side in sides if side.label not in grouped]
    if lonely:
        print(f"Compared with none: {', '.join(map(printable, lonely))}.")
    for path in options.out:
        write_comparisons(path, found.comparisons)
    for path in options.flips:
        write_flips(path, found.comparisons)
    return 0
