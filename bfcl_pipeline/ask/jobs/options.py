"""The options of `bfcl-pipeline generate` that describe its job: from a command line to a `Job`, and back.

The workflow writes them (`to_argv`), the command reads them (`add_job_options`, `job_from`), and both go
by the same table. Defaults are those of the records in `bfcl_pipeline.benchmark.config`.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import (
    MODELS_FILE,
    MY_MODELS_FILE,
    Job,
    JobPaths,
    Selection,
    Shard,
    WebChoice,
    load_models,
    model_row,
)
from bfcl_pipeline.benchmark.config.choices import OPEN_KINDS
from bfcl_pipeline.benchmark.config.job import SEARCH_ENGINES, WEB_MODES

_ENGINES = "search engine of --web record and live; serpapi needs a key in SERPAPI_API_KEY"
_PROXY = "proxy of --web record and live: environment, none, or http(s)://host:port"
_PAUSE = "seconds between two requests of --web record and live to one host"
_OBSERVED = "with --replay: run directory; failures are copied from it where nothing was recorded"
_ENDPOINT = "status file that `bfcl-pipeline serve` writes; required for models that the run serves"


def _shard(text: str) -> Shard:
    try:
        return Shard.parse(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected I/N with I from 1 to N, for example 2/4; got {text!r}"
        ) from None


@dataclass(frozen=True, slots=True)
class Option:
    """One option and the field of a job that it sets."""

    flag: str  # as typed
    field: str  # of Job, or of one of its records: selection.seed
    type: Callable[[str], Any]  # the value that one word stands for; str() is its inverse
    metavar: str | None
    help: str
    choices: Sequence[str] | None = None
    several: bool = False  # takes several words


OPTIONS = (
    Option("--run", "run", str, "NAME", "name of the run, written into each response"),
    Option("--category", "categories", str, "NAME", "categories of the benchmark", several=True),
    Option("--trial", "trial", int, "N", "trial number, from 1"),
    Option("--budget", "budget", float, "DOLLARS", "stop once this model has cost DOLLARS in this run"),
    Option("--seed", "selection.seed", int, "N", "random seed of --sample and --fetch-failures"),
    Option("--entry-ids", "selection.entry_ids", str, "ID", "run only these entries", several=True),
    Option("--shard", "selection.shard", _shard, "I/N", "run only part I of N; keeps chains together"),
    Option("--web", "web.mode", str, None, "what is searched, and asked by executed calls", WEB_MODES),
    Option("--web-record", "web.cache", Path, "DIR", "web cache: outcomes are recorded and replayed there"),
    Option("--fetch-failures", "web.fetch_failures", float, "P", "share of fetches that are made to fail"),
    Option("--search-tool", "web.search_tool", str, "NAME", "name of the search tool as models see it"),
    Option("--search-engine", "web.engine", str, None, _ENGINES, SEARCH_ENGINES),
    Option("--web-proxy", "web.proxy", str, "ADDRESS", _PROXY),
    Option("--web-pause", "web.pause", float, "SECONDS", _PAUSE),
    Option("--data", "paths.data", Path, "DIR", "the staged data"),
    Option("--cache", "paths.journals", Path, "DIR", "journals of exchanges with models behind an API"),
    Option("--encoder-cache", "paths.encoder_cache", Path, "DIR", "embeddings computed before"),
    Option(
        "--weights-cache", "paths.weights_cache", Path, "DIR", "hashes of models' files computed before"
    ),
    Option("--observed", "paths.observed", Path, "RUN_DIR", _OBSERVED),
    Option("--endpoint-from", "paths.endpoint", Path, "FILE", _ENDPOINT),
)
"""Every option that sets one field; --model, --sample, --replay and switches are handled by name."""

_RECORDS = {"selection": Selection, "web": WebChoice, "paths": JobPaths}
"""The fields of a job that are records with options of their own."""


def add_models(parser: argparse._ActionsContainer) -> argparse.Action:
    """`--models`: the models files, as a list of Paths; None without it."""
    return parser.add_argument(
        "--models",
        type=Path,
        action="append",
        metavar="FILE",
        help=f"models file; may be repeated, the last row of a name counts (default: {MODELS_FILE}, "
        f"{MY_MODELS_FILE})",
    )


def add_job_options(parser: argparse.ArgumentParser) -> None:
    """Declares the options. What is not given is absent from the parsed values."""
    add = parser.add_argument
    add("-m", "--model", required=True, help="name of a row of the models file")
    add_models(parser)
    for option in OPTIONS:
        default = _default(option)
        add(
            *(("-c",) if option.field == "categories" else ()),
            option.flag,
            dest=option.field,
            type=option.type,
            metavar=option.metavar,
            choices=option.choices,
            nargs="+" if option.several else None,
            required=default is MISSING,
            default=argparse.SUPPRESS,
            help=option.help + ("" if default in (MISSING, None, ()) else f" (default: {default})"),
        )
    add(
        "--sample",
        dest="selection.sample",
        nargs="+",
        default=(),
        metavar="[CATEGORY=]N",
        help="run only N entries of each category, or of the one named, drawn by --seed",
    )
    add(
        "--weights",
        metavar="DIGEST",
        help="identify the model's weights by DIGEST of a run's record, not by the files of this machine",
    )
    add(
        "--wait-for-lease",
        action="store_true",
        help="wait for another job's lease of the journal instead of failing",
    )
    add(
        "--replay",
        action="store_true",
        help="send and fetch nothing: answer from the journals and the web cache alone",
    )


def job_from(values: Mapping[str, Any]) -> Job:
    """The job that parsed options describe: `vars` of what the parser returned.

    Raises ConfigError if the model is unknown, or options contradict each other or the model.
    """
    given: dict[str, dict[str, Any]] = {"": {}, **{name: {} for name in _RECORDS}}
    for option in OPTIONS:
        if option.field in values:
            record, _, name = option.field.rpartition(".")
            value = values[option.field]
            given[record][name] = tuple(value) if option.several else value
    if "observed" in given["paths"] and not values["replay"]:
        raise ConfigError("--observed is only for --replay: without it, no failure is copied from a run.")
    sample = dict(_counts(values["selection.sample"], given[""]["categories"]))
    row = model_row(load_models(values["models"]), values["model"])
    if values["weights"] is not None:
        if row.kind not in OPEN_KINDS:
            raise ConfigError(
                f"--weights is only for kind {' and '.join(OPEN_KINDS)}; {row.name} is {row.kind}."
            )
        row = replace(row, weights=values["weights"])
    return Job(
        row=row,
        selection=Selection(sample=sample, **given["selection"]),
        web=WebChoice(**given["web"]),
        paths=JobPaths(**given["paths"]),
        replay=values["replay"],
        wait_for_lease=values["wait_for_lease"],
        **given[""],
    )


def to_argv(job: Job, models: Path | None = None) -> list[str]:
    """The options from which `job_from` makes `job`, without those at their defaults.

    models: a file with the row of the job's model; None: one of those that are read without --models.
    """
    argv = [f"--model={job.row.name}"]
    if models is not None:
        argv.append(f"--models={models}")
    if "weights" in job.row.of_weights:
        argv.append(f"--weights={job.row.weights}")
    for option in OPTIONS:
        record, _, name = option.field.rpartition(".")
        value = getattr(getattr(job, record) if record else job, name)
        if value == _default(option):
            continue
        argv += [option.flag, *map(str, value)] if option.several else [f"{option.flag}={value}"]
    if job.selection.sample:
        argv += ["--sample", *(f"{category}={count}" for category, count in job.selection.sample.items())]
    if job.wait_for_lease:
        argv.append("--wait-for-lease")
    if job.replay:
        argv.append("--replay")
    return argv


def _default(option: Option) -> Any:
    """The value that holds without the option; MISSING if it must be given."""
    record, _, name = option.field.rpartition(".")
    return next(column.default for column in fields(_RECORDS.get(record, Job)) if column.name == name)


def _counts(given: Iterable[str], categories: Sequence[str]) -> Iterable[tuple[str, int]]:
    """The pairs of category and count that --sample lists; of two for one category, the last counts."""
    for text in given:
        category, named, count = text.rpartition("=")
        if named and category not in categories:
            raise ConfigError(f"--sample {text}: {category!r} is not one of --category.")
        if not count.isdecimal():
            raise ConfigError(f"--sample must be 0 or more, or CATEGORY=N; got {text}.")
        for name in [category] if named else categories:
            yield name, int(count)
