"""`bfcl-pipeline plan`: which sample is precise enough, what it costs, and how long it takes."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from textwrap import fill, indent

import yaml

from bfcl_pipeline.ask.jobs.effort import PUBLISHED, searches_text
from bfcl_pipeline.ask.jobs.options import add_models
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import text_table
from bfcl_pipeline.benchmark.config import KINDS, WebChoice, load_models, model_row
from bfcl_pipeline.benchmark.definition.leaderboard import SINGLE_TURN
from bfcl_pipeline.benchmark.definition.scatter import ASSUMED, assumed_scatter
from bfcl_pipeline.cli.options import add_data, add_names
from bfcl_pipeline.runs.folders import newest_first
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.planning.plan import (
    Goal,
    PlannedModel,
    SamplePlan,
    config_of,
    make_plan,
    plan_document,
    points,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    goals = parser.add_mutually_exclusive_group()
    width = "half of the 95 %% interval that is wanted, in percentage points"
    goals.add_argument("--within", type=_points, metavar="POINTS", help=width)
    loss = (
        "choose the fewest entries that find a loss of so many points with 80 %% power (`gate --sentinel`)"
    )
    goals.add_argument("--gate", type=_points, metavar="POINTS", help=loss)
    preset = "the entries of another benchmark's gate, and what its band is worth"
    goals.add_argument("--preset", choices=["mlperf-edge"], help=preset)
    minutes = "what can be shown in M minutes for each model; with --gate, the longest that a run may take"
    parser.add_argument("--minutes", type=_positive, metavar="M", help=minutes)
    rate = "requests per second that the server answers, as `watch` shows them (default: as recorded)"
    parser.add_argument("--rate", type=_positive, metavar="R", help=rate)
    parser.add_argument(
        "--trials", type=int, default=1, metavar="N", help="repeat the benchmark N times (default: once)"
    )
    parser.add_argument(
        "--of",
        dest="score",
        metavar="SCORE",
        help="a score of the V4 table or a category of V4 (default: overall; with --gate single_turn, the "
        "mean of non_live, live and irrelevance_all)",
    )
    records = "with --gate: equal runs (RUN or RUN:MODEL) to choose by, instead of published ones"
    parser.add_argument("--records", nargs="+", default=[], metavar="RUN", help=records)
    parser.add_argument(
        "--difference",
        action="store_true",
        help="of the difference of two models on the same entries, instead of the score of one",
    )
    about = "rows of the models file, for their prices, limits and recorded tokens"
    add_names(parser, "--model", "model_names", about, spaced=False)
    add_models(parser)
    add_data(parser)
    out = "write the plan as JSON, too; of --gate and --preset, the entries as a config"
    parser.add_argument("--out", type=Path, metavar="FILE", help=out)


def _points(text: str) -> float:
    return _positive(text, 100, "a number of points between 0 and 100") / 100


def _positive(text: str, below: float = math.inf, what: str = "a positive number") -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < below:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
    return value


def run(options: argparse.Namespace) -> int:
    """Prints the plan."""
    if not (options.within or options.minutes or options.gate or options.preset):
        raise ConfigError(
            "name what is planned: --within POINTS, --minutes M, --gate POINTS or --preset NAME."
        )
    if options.trials < 1:
        raise ConfigError(f"--trials: expected 1 or more, got {options.trials}.")
    if options.gate or options.preset:
        return _chosen_entries(options)
    if options.within and options.minutes:
        raise ConfigError("--within asks how long, --minutes what can be shown: use one of them.")
    terms = (options.minutes, options.rate, options.trials)
    goal = Goal(options.score or "overall", options.within, options.difference, *terms)
    models = _models(options.model_names, options.models)
    plan = make_plan(goal, assumed_scatter(goal.difference), models)
    if options.out:
        write_text(options.out, json.dumps(plan_document(plan, models), indent=2) + "\n")
    _print(plan, models)
    return 0


def _chosen_entries(options: argparse.Namespace) -> int:
    """Prints a sentinel or a preset, and writes its entries as a config."""
    from bfcl_pipeline.cli.sides import opened_sides  # loads pyarrow
    from bfcl_pipeline.show.noise import mlperf, records, sentinel  # of another wing

    if options.preset:
        preset = mlperf.mlperf_entries(options.data)
        printed = mlperf.mlperf_text(preset)
        written = sentinel.entries_config(preset, options.preset)
    else:
        if not (options.minutes and options.rate):
            raise ConfigError("--gate needs --minutes and --rate, the time that a run may take.")
        with opened_sides(options.records) as choices:
            known = records.own_records(choices) if choices else records.published_records()
        score = options.score or SINGLE_TURN.name
        planned = sentinel.plan_sentinel(score, options.gate, known, bool(options.records))
        printed = sentinel.sentinel_text(planned, options.minutes, options.rate)
        written = sentinel.entries_config(planned.entries, planned.claim)
    print(printed)
    if options.out:
        write_text(options.out, written)
    return 0


def _models(names: list[str], files: list[Path] | None) -> list[PlannedModel]:
    """What is known of the models; no model in particular if none is named."""
    if not names:
        return [PlannedModel(None, PUBLISHED, None)]
    from bfcl_pipeline.show.planning.measured_run import consumption  # loads pyarrow

    rows = load_models(files)
    models = []
    for name in dict.fromkeys(names):
        row = model_row(rows, name)
        silent = KINDS[row.kind].embedded or row.recorded
        used = None if silent else consumption(name, map(Run, newest_first()))
        models.append(PlannedModel(name, used, row))
    return models


def _print(plan: SamplePlan, models: list[PlannedModel]) -> None:
    what = "the difference of two models on the same entries" if plan.goal.difference else "one model"
    goal = plan.goal
    wanted = f"{points(goal.within)} points (95 %) on" if goal.within else f"{goal.minutes:g} minutes for"
    print(f"{wanted} {goal.score}, {what}{f', {goal.trials} trials' if goal.trials > 1 else ''}.")
    _print_wrapped(f"Scatter of verdicts: {ASSUMED}.")
    print()
    rows = [
        [name, f"{100 * share:.1f} %", f"{plan.whole.entries[name]:,}"]
        + [f"{sample.entries[name]:,}" for sample in plan.samples.values()]
        for name, share in plan.shares.items()
    ]
    samples = [plan.whole, *plan.samples.values()]
    rows.append(["entries", "", *(f"{sample.total:,}" for sample in samples)])
    rows.append(["95 % interval", "", *(points(sample.half_width) for sample in samples)])
    if goal.difference:
        rows.append(["shown with 80 % power", "", *(f"{100 * one.detectable:.2f}" for one in samples)])
    headings = ["category", "share", "all", *(f"by {by.value}" for by in plan.samples)]
    print(text_table(headings, rows, right=range(1, len(headings))))
    for by in plan.samples:
        print(f"\nThe sample by {by.value}, in a config:")
        config = yaml.safe_dump(config_of(plan, by), default_flow_style=None, sort_keys=False, width=10_000)
        print(indent(config, "  ").rstrip())
    print()
    for model in models:
        if not model.used:
            print(f"{model.name} makes no requests: no tokens, no cost.")
        for by, one in model.efforts(plan).items():
            web = f"; of the real web {searches_text(one.searches, WebChoice())}" if one.searches else ""
            _print_wrapped(f"{model.name or 'any model'}, by {by.value}: {one}{web}.")
    for source in dict.fromkeys(model.used.source for model in models if model.used):
        _print_wrapped(f"{'Tokens' if goal.rate else 'Tokens and times'}: {source}.")
    if goal.rate:
        print(f"Times: {goal.rate:g} requests per second, with all requests of the row in flight.")
    if goal.trials > 1:
        _print_wrapped(
            "The interval is that of one trial; where trials differ, that of their mean is narrower."
        )


def _print_wrapped(text: str) -> None:
    print(fill(text, 80, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))
