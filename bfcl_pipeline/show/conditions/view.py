"""What each condition of a run changes, as text for a terminal and as rows of a table.

A change is shown if the exact sign test over clusters finds it at 5 % for all tests of the run together:
equal conditions differ as often in either direction, so the test needs no measured noise. Tests that could
show nothing, because too few clusters differ, do not count among them (Tarone 1990).
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import limit_points, plural, probability, signed_points, text_table
from bfcl_pipeline.benchmark.config.conditions import AGAIN, FIRST, LAST, split_condition
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables.text_forms import write_any_form
from bfcl_pipeline.judge.scoring.intervals import pooled_layout
from bfcl_pipeline.judge.scoring.statistics.clustered import Layout
from bfcl_pipeline.judge.scoring.statistics.paired import Paired, compare_paired
from bfcl_pipeline.judge.scoring.statistics.power import by_test
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.text import percent
from bfcl_pipeline.show.conditions.answers import ACCURACY, MEASURES, Answers, read_answers

LEVEL = 0.05
"""The probability of any false finding in a run whose conditions are equal, at most."""


@dataclass(frozen=True, slots=True)
class ConditionEffect:
    """One measure of one condition against another, over the entries that both have."""

    condition: str
    against: str  # empty: the row as it is
    measure: str  # one of MEASURES
    entries: int
    share: float  # of the condition
    difference: float  # from the other
    low: float  # of the 95 % interval of the difference, clustered
    high: float
    more: int  # entries that only the condition has
    fewer: int  # entries that only the other has
    p: float  # exact, over clusters
    least_p: float  # if all clusters that differ did so in one direction
    shown: bool = False
    detectable: float | None = None  # accuracy: the least true difference that is shown with 80 % power


def effects(asked: Sequence[Answers]) -> list[ConditionEffect]:
    """The effects of the conditions of one model: on each measure that differs anywhere, and on accuracy.

    asked: the answers under each condition, those of the row as it is among them.
    """
    of = {one.condition: one for one in asked}
    pairs = [(one, of.get(FIRST if one.condition == LAST else "")) for one in asked]
    tests = [
        test
        for one, other in pairs
        if other is not None and one.condition not in ("", FIRST)
        for measure in MEASURES
        if (test := _tested(one, other, measure)) is not None
    ]
    count = _counting([effect.least_p for effect, _, _ in tests])
    found = []
    for effect, pair, where in tests:
        least = None
        if effect.measure == ACCURACY:  # a loss is added to the noise, and its test to those that count
            least = by_test(pair, 0, where, LEVEL / (count + 1), added=True)
        found.append(replace(effect, shown=effect.p <= LEVEL / count, detectable=least))
    return found


def _tested(one: Answers, other: Answers, measure: str) -> tuple[ConditionEffect, Paired, Layout] | None:
    """The effect on one measure; None if no entry has it under both conditions."""
    both = [key for key in one.marks if measure in one.marks[key] and measure in other.marks.get(key, ())]
    if not both:
        return None
    mine, others = (np.array([each.marks[key][measure] for key in both], float) for each in (one, other))
    where = pooled_layout(both)
    pair = compare_paired(mine, others, where)
    effect = ConditionEffect(
        condition=one.condition,
        against=other.condition,
        measure=measure,
        entries=len(both),
        share=float(mine.mean()),
        difference=float(pair.of.mean[0]),
        low=pair.limits[0].low,
        high=pair.limits[0].high,
        more=int(pair.only_first[0]),
        fewer=int(pair.only_second[0]),
        p=pair.clusters_p[0],
        least_p=min(1.0, 2 * 0.5 ** int(np.count_nonzero(pair.by_cluster[0]))),
    )
    return effect, pair, where


def _counting(least: Sequence[float]) -> int:
    """By what the level is divided: the least number that no more tests than it could then pass."""
    return next(k for k in range(1, len(least) + 2) if sum(p <= LEVEL / k for p in least) <= k)


@dataclass(frozen=True, slots=True)
class Varied:
    """One model and its conditions."""

    model: str
    asked: Sequence[Answers]  # under each condition, in the order of asking
    effects: Sequence[ConditionEffect]


def read_varied(run: Run, rules: Rules) -> list[Varied]:
    """The models of a run that were asked under conditions, in their order.

    Raises:
        ConfigError: there is none.
        TableError, JournalError: a file is damaged.
    """
    asked: dict[str, list[Answers]] = {}
    for name in run.models:
        model, condition = split_condition(name)
        asked.setdefault(model, []).append(read_answers(run, name, condition, rules))
    found = [Varied(model, of, effects(of)) for model, of in asked.items() if len(of) > 1]
    if not found:
        raise ConfigError(
            f"{run.folder}: no model was asked under conditions. Ask with `bfcl-pipeline run --conditions "
            "stream,load=1:16` (docs/conditions.md)."
        )
    return found


def varied_lines(varied: Varied, rules: Rules) -> Iterator[str]:
    """What each condition changes, and how fast it was answered, in at most 80 columns."""
    base = next(one for one in varied.asked if not one.condition)
    accuracy = {each.condition: each for each in varied.effects if each.measure == ACCURACY}
    about = f"{plural(len(base.marks), 'entry', 'entries')}, {rules.value} rules, per cent"
    yield f"{varied.model}: {about}"
    headings = ["condition", "right", "change", "95 % interval", "lost", "won", "p"]
    as_it_is = [shown(""), _share(base, ACCURACY), *[""] * 5]
    yield text_table(headings, [as_it_is, *map(_change, accuracy.values())], range(1, len(headings)))
    headings = ["condition", *MEASURES[1:], "req/s", "tok/s", "p50 s", "p95 s"]
    rates = [_rates(one) for one in varied.asked if one.condition not in (FIRST, LAST)]
    yield f"\n{text_table(headings, rates, range(1, len(headings)))}\n"
    changed = [each for each in varied.effects if each.shown]
    for each in changed:
        by = f"{signed_points(each.difference)} points ({_interval(each)})"
        yield f"Shown: {shown(each.condition)} changes {each.measure} by {by}."
    calm = dict.fromkeys(each.condition for each in varied.effects)
    for each in changed:
        calm.pop(each.condition, None)
    if calm:
        yield f"No change is shown: {', '.join(map(shown, calm))}."
    if again := accuracy.get(AGAIN):
        yield f"Asked twice as it is, {again.more + again.fewer} of {again.entries} entries differ."
    if last := accuracy.get(LAST):
        sent = sum(one.speed.requests for one in varied.asked if one.speed)
        yield f"Canary: {last.entries} entries before and after all others, of {sent:,} requests."
    for noise in (again, last):
        if noise and noise.detectable is not None:
            points = f"{noise.detectable * 100:.1f} points of accuracy"
            yield f"Of {shown(noise.condition)}, a change of {points} is shown with 80 % power."
    for one in varied.asked:
        if one.speed and one.speed.disordered:
            streams = plural(one.speed.disordered, "stream has", "streams have")
            yield f"{shown(one.condition)}: {streams} calls that begin in another order than their numbers."


def write_rows(path: Path, found: Sequence[Varied]) -> None:
    """Writes a row for each effect, shares from 0 to 1, with the speed of its condition, atomically."""
    rows = []
    for varied in found:
        speeds = {one.condition: one.speed for one in varied.asked}
        for each in varied.effects:
            speed = speeds[each.condition]
            rows.append({"model": varied.model, **asdict(each), **({} if speed is None else asdict(speed))})
    write_any_form(path, pa.Table.from_pylist(rows))


def shown(condition: str) -> str:
    """A condition as it is shown."""
    return {"": "as it is", LAST: "canary"}.get(condition, condition)


def _change(effect: ConditionEffect) -> list[str]:
    counts = (f"{effect.fewer:,}", f"{effect.more:,}", probability(effect.p))
    change = (percent(effect.share), signed_points(effect.difference), _interval(effect))
    return [shown(effect.condition), *change, *counts]


def _interval(effect: ConditionEffect) -> str:
    return f"{limit_points(effect.low)} to {limit_points(effect.high)}"


def _rates(one: Answers) -> list[str]:
    speed, rates = one.speed, ["-"] * 4
    if speed is not None:
        rates = [f"{rate:,.1f}" for rate in (speed.requests_per_second, speed.tokens_per_second)]
        rates += [f"{seconds:.3f}" for seconds in (speed.median_seconds, speed.p95_seconds)]
    return [shown(one.condition), *(_share(one, measure) for measure in MEASURES[1:]), *rates]


def _share(one: Answers, measure: str) -> str:
    share = one.share(measure)
    return "-" if share is None else percent(share)
