"""`bfcl-pipeline verify`: check the archive of a run, derive its results again, and compare."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Iterable
from pathlib import Path

from bfcl_pipeline.ask.jobs.options import add_models
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.cli.options import add_cache, add_cores, add_data
from bfcl_pipeline.cli.runs import ARCHIVE_HELP, archive_file
from bfcl_pipeline.cli.sign import add_trust, attestation
from bfcl_pipeline.cli.steps import StepsShown
from bfcl_pipeline.runs.archived.findings import FurtherCheck
from bfcl_pipeline.share.archive.verify import verify_archive
from bfcl_pipeline.share.asked_again.check import AskAgain
from bfcl_pipeline.share.official.check import OfficialCheck

_LARGEST_SEED = 2**32


def add_asking_options(parser: argparse.ArgumentParser) -> None:
    """Declares the options; `only_to_ask` are those that have no effect without --ask-again."""
    group = parser.add_argument_group(
        "asking again",
        "Send requests of the archive to the same models again, with your own rows, keys or weights, and "
        "compare whether the archive's answers could come from them (docs/ask_again.md).",
    )
    add = group.add_argument

    def add_list(option: str, metavar: str, text: str, dest: str | None = None) -> argparse.Action:
        *short, long = option.split()
        dest = dest or long.removeprefix("--")
        return add(*short, long, action="append", default=[], dest=dest, metavar=metavar, help=text)

    add("--ask-again", type=int, metavar="N", help="draw N requests of each model and ask them again")
    only_to_ask = [
        add("--seed", type=int, metavar="S", help="decides which are drawn (default: drawn and printed)"),
        add_list("-m --model", "NAME", "ask only this model of the archive (default: all behind an API)"),
        add_list(
            "--as",
            "NAME=OWN",
            "your row for the model NAME of the archive (default: your row of the same name)",
            "renamed",
        ),
        add_models(group),
        add("--budget", type=float, metavar="DOLLARS", help="stop once asking a model has cost DOLLARS"),
        add(
            "--endpoint-from",
            type=Path,
            metavar="FILE",
            help="status file of `bfcl-pipeline serve`, for a model that vLLM serves",
        ),
        add(
            "--asked-out", type=Path, metavar="FILE", help="write requests, answers and comparison as JSON"
        ),
        add(
            "-n", "--dry-run", action="store_true", help="only print what would be sent, its cost and time"
        ),
    ]
    parser.set_defaults(only_to_ask=only_to_ask)
    add_cache(parser, "your cache directory: has the journals of answers in asked_again/")


def asking_checks(options: argparse.Namespace) -> list[FurtherCheck]:
    """The check that the options describe; none without --ask-again. Raises ConfigError."""
    if options.ask_again is None:
        for action in options.only_to_ask:
            if getattr(options, action.dest) != action.default:
                raise ConfigError(f"{action.option_strings[-1]} is only for --ask-again N.")
        return []

    seed = secrets.randbelow(_LARGEST_SEED) if options.seed is None else options.seed
    if options.seed is None:
        print(f"Seed of the draw: {seed}. If this is interrupted, go on with --seed {seed}.", flush=True)
    return [
        AskAgain(
            count=options.ask_again,
            seed=seed,
            models=tuple(options.model),
            renamed=_renamed(options.renamed),
            models_files=tuple(options.models or ()),
            cache=options.cache,
            budget=options.budget,
            endpoint_from=options.endpoint_from,
            dry_run=options.dry_run,
            out=options.asked_out,
        )
    ]


def _renamed(texts: Iterable[str]) -> dict[str, str]:
    """By name in the archive, the own name; the last one of a name counts."""
    pairs = {}
    for text in texts:
        name, equals, own = text.rpartition("=")
        if not equals or not name or not own:
            raise ConfigError(f"--as: expected NAME=OWN; got {text!r}.")
        pairs[name] = own
    return pairs


def add_official_options(parser: argparse.ArgumentParser) -> None:
    """Declares the options."""
    group = parser.add_argument_group(
        "the official scorer",
        "Have the official package judge the answers too, in an environment of its own, and compare every "
        "verdict (docs/archive.md).",
    )
    group.add_argument("--official", action="store_true", help="compare with the official scorer")
    about = (
        "a Python that has bfcl-eval (default: an environment in official/ of --cache, made once with pip)"
    )
    group.add_argument("--official-python", type=Path, metavar="PYTHON", help=about)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.description = (
        "Check the archive of a run, derive its results again offline, and compare. Exit status: 0, all "
        "results were derived and are identical; 1, the archive was refused, or something differs or was "
        "demanded and is missing; 3, not all "
        "results could be derived."
    )
    parser.add_argument("file", type=Path, metavar="FILE", help=ARCHIVE_HELP)
    add_data(parser)
    add_cores(parser)
    add_trust(parser)
    add_asking_options(parser)
    add_official_options(parser)


def run(options: argparse.Namespace) -> int:
    """Prints what was derived again, what is attested and by whom, and what is not covered."""
    file = archive_file(options.file)
    further = asking_checks(options)
    if options.official or options.official_python is not None:
        further.insert(0, OfficialCheck(options.official_python, options.cache, options.cores))
    with StepsShown() as steps:
        done = verify_archive(
            file,
            data=options.data,
            cores=options.cores,
            log=steps.print,
            step_log=steps,
            further=further,
            attestation=attestation(options),
        )
        return done.verification
