"""`bfcl-pipeline gate`: whether a run is no worse than a baseline, as an exit status for nightly jobs."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError, PipelineError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition.leaderboard import GROUP, SINGLE_TURN
from bfcl_pipeline.cli.options import WORST, add_names, add_omitted, add_rules, print_to_stderr
from bfcl_pipeline.cli.sides import opened_sides
from bfcl_pipeline.show.compare.compare import Comparer
from bfcl_pipeline.show.compare.gate import Gate, gate, unread_calls
from bfcl_pipeline.show.compare.gate_forms import gate_markdown, junit
from bfcl_pipeline.show.compare.sides import Side, read_sides
from bfcl_pipeline.show.compare.tables import write_gate
from bfcl_pipeline.show.compare.text import gate_line
from bfcl_pipeline.show.compare.trials import known_flaky, read_averaged

UNUSABLE = 2
"""Exit status where nothing could be decided: a wrong option, missing or different verdicts."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.add_argument("run_side", metavar="RUN", help="a run, an archive (FILE.zip), or RUN:MODEL")
    against = "the run or archive to compare with, or RUN:MODEL"
    parser.add_argument("--against", required=True, metavar="BASELINE", help=against)
    margin = "the largest loss that is accepted, in percentage points"
    parser.add_argument("--no-worse", type=float, required=True, metavar="POINTS", help=margin)
    scores = (
        "decide on all of these categories or groups (default: overall, or with --sentinel single_turn)"
    )
    add_names(parser, "--category", "scores", scores)
    add_names(parser, "--model", "models", "only these models of both runs (default: all models of RUN)")
    parser.add_argument(
        "--undecided",
        choices=("pass", "fail"),
        default="fail",
        help="the outcome where the 95 %% interval of the difference contains the margin (default: fail)",
    )
    parser.add_argument(
        "--max-unread",
        type=float,
        metavar="PERCENT",
        help="the largest part of a model's answers that may have a call in their text that its server did "
        "not read, in any category (default: any)",
    )
    trials = "decide on the mean of a model's trials (MODEL, MODEL~2, ...), instead of on each trial"
    parser.add_argument("--trials", action="store_true", help=trials)
    sentinel = "the entries are those of `plan --gate`: fail if a loss is shown; --no-worse has its power"
    parser.add_argument("--sentinel", action="store_true", help=sentinel)
    add_rules(parser, "rule set of the verdicts")
    add_omitted(parser, "RUN")
    common = "decide on the categories and entries that both have, instead of refusing what only one has"
    parser.add_argument("--common", action="store_true", help=common)
    document = "write the decision and its numbers as JSON"
    parser.add_argument("--json", type=Path, metavar="FILE", help=document)
    report = "write a JUnit report, with a test case for each model and score"
    parser.add_argument("--junit", type=Path, metavar="FILE", help=report)
    summary = "write the decisions as Markdown, for the summary of a CI job"
    parser.add_argument("--markdown", type=Path, metavar="FILE", help=summary)


def run(options: argparse.Namespace) -> int:
    """Prints one line. Returns 0 if the gate is passed, 1 if not, UNUSABLE after an error."""
    try:
        decided = _decide(options)
        if options.json:
            write_gate(options.json, decided)
        for path, text in ((options.junit, junit), (options.markdown, gate_markdown)):
            if path:
                write_text(path, text(decided))
    except (PipelineError, OSError) as error:
        print_to_stderr(f"bfcl-pipeline gate: {error}")
        return UNUSABLE
    print(gate_line(decided))
    return 0 if decided.passes else 1


def _decide(options: argparse.Namespace) -> Gate:
    for name, share in (("--no-worse", options.no_worse), ("--max-unread", options.max_unread or 0)):
        if not 0 <= share <= 100:
            raise ConfigError(f"{name}: expected 0 to 100, got {share}.")
    scores = list(dict.fromkeys(options.scores)) or [SINGLE_TURN.name if options.sentinel else "overall"]
    known = [*GROUP, *CATEGORIES, *([SINGLE_TURN.name] if options.sentinel else [])]
    for name in scores:
        if name not in known:
            raise ConfigError(unknown_name("score", name, known))
    with opened_sides([options.run_side, options.against]) as (new, old):
        if (new.run.folder.resolve(), new.model) == (old.run.folder.resolve(), old.model):
            raise ConfigError("RUN and --against are the same; name the run that is the baseline.")
        read = read_averaged if options.trials else read_sides
        numbering, sides = read([new, old], options.rules)
    mine, theirs = (
        [side for side in sides if side.run == of.run and of.model in (None, side.model)]
        for of in (new, old)
    )
    pairs = _pairs(mine, theirs, options.models)
    absent = {side.model for side in theirs} - {second.model for _, second in pairs}
    if absent and not options.models and (new.model, old.model) == (None, None):
        print_to_stderr(f"Not in the run, so not decided on: {', '.join(sorted(absent))}.")
    margin = options.no_worse / 100
    comparer = Comparer(numbering, options.rules, options.common, options.omitted == WORST, margin)
    if options.sentinel:
        from bfcl_pipeline.show.noise.loss import sentinel_gate  # of another wing

        decided = sentinel_gate(comparer, pairs, scores, margin)
    else:
        compared = [comparer.compare(*pair) for pair in pairs]
        flaky = [known_flaky(pair, options.rules) for pair in pairs]
        decided = gate(compared, scores, margin, options.undecided == "pass", flaky, options.common)
    if options.max_unread is None:
        return decided
    unread = [unread_calls(side) for side, _ in pairs]
    return replace(decided, max_unread=options.max_unread / 100, unread=unread)


def _pairs(mine: Sequence[Side], theirs: Sequence[Side], models: Sequence[str]) -> list[tuple[Side, Side]]:
    """Each model of the run and its baseline: the model of the same name, or the only one of both."""
    for name in models:
        if name not in [side.model for side in mine]:
            raise ConfigError(unknown_name("model", name, [side.model for side in mine]))
    chosen = [side for side in mine if not models or side.model in models]
    if len(chosen) == 1 and len(theirs) == 1:
        return [(chosen[0], theirs[0])]
    baseline = {side.model: side for side in theirs}
    for side in chosen:
        if side.model not in baseline:
            raise ConfigError(
                f"the baseline has no model {side.model!r}, only {', '.join(baseline)}. Choose models with "
                "--model, or name one on each side as RUN:MODEL."
            )
    return [(side, baseline[side.model]) for side in chosen]
