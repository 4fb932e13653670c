"""Options that several commands share, with the same names and meanings everywhere."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.text import printable, unknown_name
from bfcl_pipeline.benchmark.records import Rules


def add_data(parser: argparse.ArgumentParser) -> None:
    """`--data`: the staged data folder, as a Path."""
    parser.add_argument("--data", type=Path, default=Path("data"), help="the staged data (default: data)")


WORST = "worst"
"""The choice of `--omitted` that counts entries without a verdict."""


def add_omitted(parser: argparse.ArgumentParser, against: str) -> None:
    """`--omitted`: what entries without a verdict count as. against: the side that loses by `worst`."""
    about = (
        f"entries that a side has no verdict on: in no score (default), or counted against {against}: "
        "wrong where it lacks the verdict, right for the other where that lacks it"
    )
    parser.add_argument("--omitted", choices=("left-out", WORST), default="left-out", help=about)


def add_rules(parser: argparse.ArgumentParser, about: str, *, recorded: bool = False) -> None:
    """`--rules`: one rule set, by default official.

    about: what it is used for. recorded: None is the default, and stands for the rule set of the run.
    """
    parser.add_argument(
        "--rules",
        type=_rules,
        metavar="{" + ",".join(Rules) + "}",
        default=None if recorded else Rules.OFFICIAL,
        help=f"{about} (default: {'that of the run' if recorded else 'official'})",
    )


def _rules(text: str) -> Rules:
    if text not in [*Rules]:
        raise argparse.ArgumentTypeError(unknown_name("rule set", text, map(str, Rules)))
    return Rules(text)


def add_cache(parser: argparse.ArgumentParser, about: str) -> None:
    """`--cache`: the directory with exchanges/ and web/, as a Path. about: what is read from it."""
    parser.add_argument(
        "--cache", type=Path, default=Path("cache"), metavar="DIR", help=f"{about} (default: cache)"
    )


def add_errata(parser: argparse.ArgumentParser) -> None:
    """`--errata`: files of the user's own errata, as a list of Paths."""
    add_files(parser, "--errata", "your own errata, used beside the shipped ones under verified rules")


def add_cores(parser: argparse.ArgumentParser) -> None:
    """`--cores`: how many processor cores Snakemake may use, as an int."""
    about, cores = "processor cores to use (default: all)", os.cpu_count() or 1
    parser.add_argument("--cores", type=int, default=cores, metavar="N", help=about)


def add_files(parser: argparse.ArgumentParser, flag: str, about: str) -> None:
    """An option that names files, as a list of Paths. about: what they are for."""
    parser.add_argument(
        flag, type=Path, action="append", default=[], metavar="FILE", help=f"{about}; may be repeated"
    )


SHORT = {"--model": "-m", "--category": "-c"}
"""The short forms of options that mean the same in every command."""


def split_names(text: str) -> list[str]:
    """The names in a text, which commas separate."""
    return [name for name in text.split(",") if name]


class _Names(argparse.Action):
    """Adds the names of one use of an option to those of the others."""

    def __call__(self, _parser: Any, namespace: Any, values: Any, _flag: str | None = None) -> None:
        """Adds them. values: a text, or several."""
        texts = [values] if isinstance(values, str) else values
        names = [name for text in texts for name in split_names(text)]
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), *names])


def add_names(
    parser: argparse.ArgumentParser, flags: str, dest: str, about: str, *, spaced: bool = True
) -> None:
    """An option that names models or categories, as a list of texts: repeated, or separated by commas.

    flags: its long form, and a former one. about: what names are for. spaced: spaces separate them, too.
    """
    long = flags.split()
    short = [SHORT[long[0]]] if long[0] in SHORT else []
    words: dict[str, Any] = {"nargs": "+"} if spaced else {}
    words |= {"dest": dest, "metavar": "NAME", "help": f"{about}; repeat, or separate by commas"}
    parser.add_argument(*short, *long, action=_Names, default=[], **words)


def print_to_stderr(line: str) -> None:
    """Prints one line of progress, in which names of files and models may be from anybody."""
    print(printable(line), file=sys.stderr, flush=True)


def add_archiving(parser: argparse.ArgumentParser) -> None:
    """Declares what an archive of a run may have: accepted findings of the secret scan, and authors."""
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="FINGERPRINT",
        help="accept a finding of the secret scan by its fingerprint; may be repeated",
    )
    parser.add_argument(
        "--author",
        action="append",
        default=[],
        metavar="NAME",
        help="author of the run, as 'Name' or 'Name <ORCID>'; may be repeated",
    )
