"""`bfcl-pipeline plan`: which sample is precise enough, what it costs, and how long it takes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from bfcl_pipeline.ask.jobs.options import add_models
from bfcl_pipeline.ask.jobs.web_effort import HOPS_OF_A_QUESTION, effort_text
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import plural, printable, text_table
from bfcl_pipeline.benchmark.config import KINDS, SampleBy, WebChoice, load_models, model_row
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.records import Json, Rules
from bfcl_pipeline.cli.options import add_rules
from bfcl_pipeline.cli.runs import RUN_HELP
from bfcl_pipeline.runs.folders import newest_first
from bfcl_pipeline.runs.run import Run, open_run
from bfcl_pipeline.show.planning import (
    PUBLISHED,
    Goal,
    ModelEffort,
    SamplePlan,
    Scatter,
    assumed_scatter,
    complete_scatter,
    completed_figures,
    config_of,
    effort,
    make_plan,
    measure_scatter,
    plan_document,
    points,
    whole,
)
from bfcl_pipeline.show.planning.samples import shares_of

_ASSUMED = (
    "assumed: accuracies of 50 % on multi-turn and agentic categories and 85 % on the others, with the "
    "correlations of published results"
)

_TITLES = {SampleBy.SIZE: "by size", SampleBy.WEIGHT: "by weight"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument(
        "--within",
        type=_points,
        required=True,
        metavar="POINTS",
        help="half of the 95 %% interval that is wanted, in percentage points",
    )
    parser.add_argument(
        "--of",
        dest="score",
        default="overall",
        metavar="SCORE",
        help="a score of the V4 table or a category of V4 (default: overall)",
    )
    parser.add_argument(
        "--difference",
        action="store_true",
        help="of the difference of two models on the same entries, instead of the score of one",
    )
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        dest="model_names",
        metavar="NAME",
        help="a row of the models file, for its prices, limits and recorded tokens; may be repeated",
    )
    add_models(parser)
    parser.add_argument(
        "--from",
        dest="from_run",
        type=Path,
        metavar="RUN",
        help="measure how verdicts scatter instead of assuming it, on the models given with --model, or "
        f"on all if the run lacks them: {RUN_HELP}",
    )
    add_rules(parser, "rule set of the verdicts of --from")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the plan as JSON, too")


def _points(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of points between 0 and 100")
    return value / 100


def run(options: argparse.Namespace) -> int:
    """Prints the plan."""
    goal = Goal(options.score, options.within, options.difference)
    shares_of(goal.score)  # a wrong name fails before a run is read
    scatter, basis = _scatter(goal, options.from_run, options.rules, options.model_names)
    plan = make_plan(goal, scatter)
    needs = _needs(plan, options.model_names, options.models)
    if options.out:
        write_text(options.out, json.dumps(plan_document(plan, basis, needs), indent=2) + "\n")
    _print(plan, basis, needs)
    return 0


def _scatter(goal: Goal, from_run: Path | None, rules: Rules, models: list[str]) -> tuple[Scatter, str]:
    """How verdicts scatter, and where that comes from."""
    usual = assumed_scatter(goal.difference)
    if from_run is None:
        return usual, _ASSUMED
    from bfcl_pipeline.show.planning.measured_run import outcomes, paired_differences, read_verdicts

    run = open_run(from_run)
    verdicts = read_verdicts(run, rules)
    wanted = 2 if goal.difference else 1
    if len(verdicts) < wanted:
        raise ConfigError(
            f"{run.folder}: a difference needs verdicts of two models; it has {', '.join(verdicts)}."
        )
    named = [name for name in dict.fromkeys(models) if name in verdicts]
    chosen = named if len(named) >= wanted else list(verdicts)
    found = (
        {
            f"{a} - {b}": measure_scatter(paired_differences(verdicts[a], verdicts[b]))
            for a, b in combinations(chosen, 2)
        }
        if goal.difference
        else {name: measure_scatter(outcomes(verdicts[name])) for name in chosen}
    )
    shares = shares_of(goal.score)
    widest = max(found, key=lambda name: whole(shares, complete_scatter(found[name], usual)).half_width)
    lacks = [name for name in shares if name not in found[widest].variance]
    of_several = " (the widest of several)" if len(found) > 1 else ""
    others = f"; {', '.join(lacks)}: {_ASSUMED}" if lacks else ""
    return (
        complete_scatter(found[widest], usual),
        f"measured in {run.folder}, {rules.value} rules, on {widest}{of_several}{others}",
    )


def _needs(plan: SamplePlan, names: list[str], files: list[Path] | None) -> list[ModelEffort]:
    """What the models need; of no model in particular if none is named."""
    if not names:
        efforts = {by: effort(one.entries, PUBLISHED, None) for by, one in plan.samples.items()}
        return [ModelEffort(None, PUBLISHED.source, efforts)]
    from bfcl_pipeline.show.planning.measured_run import consumption

    rows = load_models(files)
    needs = []
    for name in dict.fromkeys(names):
        row = model_row(rows, name)
        if KINDS[row.kind].embedded or row.recorded:
            needs.append(ModelEffort(name, "makes no requests", {}))
            continue
        recorded = consumption(name, map(Run, newest_first()))
        used = PUBLISHED if recorded is None else completed_figures(recorded)
        efforts = {by: effort(one.entries, used, row) for by, one in plan.samples.items()}
        needs.append(ModelEffort(name, used.source, efforts))
    return needs


def _print(plan: SamplePlan, basis: str, needs: list[ModelEffort]) -> None:
    what = "the difference of two models on the same entries" if plan.goal.difference else "one model"
    print(f"{points(plan.goal.within)} points (95 %) on {plan.goal.score}, {what}.")
    print(f"Scatter of verdicts: {printable(basis)}.\n")
    rows = [
        [name, f"{100 * share:.1f} %", f"{plan.whole.entries[name]:,}"]
        + [f"{sample.entries[name]:,}" for sample in plan.samples.values()]
        for name, share in plan.shares.items()
    ]
    samples = [plan.whole, *plan.samples.values()]
    rows.append(["entries", "", *(f"{sample.total:,}" for sample in samples)])
    rows.append(["95 % interval", "", *(points(sample.half_width) for sample in samples)])
    if plan.goal.difference:
        rows.append(["shown with 80 % power", "", *(f"{100 * one.detectable:.2f}" for one in samples)])
    headings = ["category", "share", "all", *(_TITLES[by] for by in plan.samples)]
    print(text_table(headings, rows, right=range(1, len(headings))))
    print("\nThe sample by weight, in a config:")
    for key, value in config_of(plan).items():
        print(f"  {key}: {_in_yaml(value)}")
    print()
    print(_efforts(needs))
    for source in dict.fromkeys(need.source for need in needs if need.efforts):
        print(f"Tokens and times: {source}.")
    for need in needs:
        if not need.efforts:
            print(f"{need.model} {need.source}: no tokens, no cost.")
    for line in _of_the_web(plan):
        print(line)


def _of_the_web(plan: SamplePlan) -> Iterator[str]:
    """What the web questions of each sample need of the real web."""
    samples: dict[int, list[str]] = {}  # how they are divided, by their web questions
    for by, sample in plan.samples.items():
        questions = sum(sample.entries.get(name, 0) for name in GROUPS["web_search"])
        samples.setdefault(questions, []).append(_TITLES[by])
    web = WebChoice()
    for questions, titles in samples.items():
        if questions:
            needed = effort_text(HOPS_OF_A_QUESTION * questions, web)
            yield (
                f"Of the real web (web: record), {' and '.join(titles)}: "
                f"{plural(questions, 'web question', 'web questions')}, {needed}; one of each for a hop, "
                "models often need more."
            )


def _in_yaml(value: Json) -> str:
    """A list or mapping of plain words on one line of YAML."""
    if isinstance(value, list):
        return f"[{', '.join(map(str, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {one}' for key, one in value.items())}}}"
    return str(value)


def _efforts(needs: list[ModelEffort]) -> str:
    headings = ["model", "sample", "requests", "tokens in", "tokens out", "US dollars", "time, about"]
    rows = [
        [
            need.model or "any",
            _TITLES[by],
            f"{one.requests:,.0f}",
            f"{one.input_tokens:,.0f}",
            f"{one.output_tokens:,.0f}",
            "no prices" if one.dollars is None else f"{one.dollars:,.2f}",
            _duration(one.seconds),
        ]
        for need in needs
        for by, one in need.efforts.items()
    ]
    return text_table(headings, rows, right=range(2, len(headings))) if rows else ""


def _duration(seconds: float) -> str:
    """A time for people: `45 s`, `12 min`, `3.4 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
