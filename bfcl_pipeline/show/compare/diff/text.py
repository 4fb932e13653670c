"""The difference of two runs as text for a terminal. All that comes from a run is escaped."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from bfcl_pipeline.base.differences import Difference
from bfcl_pipeline.base.text import line_of, plural
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.causes import NOISE, Causes
from bfcl_pipeline.show.compare.diff.difference import RunDifference
from bfcl_pipeline.show.compare.diff.model_difference import ModelDifference, Row, flipped, verdicts
from bfcl_pipeline.show.compare.diff.parting import PartingKind, from_difference, shown_value
from bfcl_pipeline.show.compare.text import comparison_text

_CATEGORIES = 5  # that are named with their numbers in a line
_VALUE = 60  # characters of a value in a line
_LABEL = 11  # width of the first column
_NAMES = ("A", "B")


def difference_text(found: RunDifference, most: int, width: int | None = None) -> str:
    """The whole difference.

    Args:
        found: the difference.
        most: lines of each list.
        width: columns of the terminal; None: any.
    """
    lines = [f"{name}: {_source(run)}" for name, run in zip(_NAMES, found.runs, strict=True)]
    lines += ["", *_made_with(found, most)]
    for model in found.models:
        lines += ["", *_model_lines(model, most)]
        if model.differ and model.comparison is not None:
            lines += ["", comparison_text(model.comparison, most, width)]
        elif model.differ:
            lines += [f"Not compared: {line_of(model.not_compared)}"]
    return "\n".join(lines)


def _source(run: Run) -> str:
    about = f": run {run.metadata.run}, ended {run.metadata.ended}" if isinstance(run, ArchivedRun) else ""
    return f"{line_of(str(run.source))}{about}"


def _made_with(found: RunDifference, most: int) -> Iterator[str]:
    yield from _section("settings", found.config, "the same", most)
    run = found.runs[0]
    if found.software is None:
        yield _line("software", "recorded in archives only; not compared")
    elif isinstance(run, ArchivedRun):
        about = run.metadata
        versions = ", ".join(f"{name} {version}" for name, version in sorted(about.versions.items()))
        same = f"the same: {versions}, commit {about.commit[:12]}"
        yield from _section("software", found.software, same, most)
    version = "" if run.config is None else f": {line_of(run.config.release.version)}"
    yield from _section("release", found.release, f"the same{version}", most)
    if found.entries_not_compared:
        yield _line("", "data of entries not compared: name the staged release of B with --other-data")
    both = plural(len(found.models), "model", "models")
    alone = [
        f"only in {name}: {', '.join(map(line_of, models[:most]))}{_more(len(models), most)}"
        for name, models in zip(_NAMES, found.only_models, strict=True)
        if models
    ]
    yield _line("models", "; ".join([f"{both} on both sides", *alone]))
    if not found.models:
        yield _line("", "no model has the same name on both sides: name pairs with --model NAME=OTHER")


def _model_lines(model: ModelDifference, most: int) -> Iterator[str]:
    name = " | ".join(dict.fromkeys(map(line_of, model.names)))
    counts = Counter(row["difference"] for row in model.entries)
    same = not model.differ and set(counts) <= {PartingKind.SAME}
    requests = f", {model.derived[0].requests:,} requests" if model.with_requests else ""
    yield f"{name}: the same answers and verdicts ({_both(model)}{requests})" if same else name
    for label, changed in (("row", model.row), ("made by", model.made_by)):
        yield from _section(label, changed, "", most)
    if same:
        yield from _section("options", model.options, "", most)
        return
    yield _line("explained", model.explained)
    yield from _attributed(model)
    yield from _entries(model, most)
    yield from _requests(model, counts, most)
    other = [row["category"] for row in model.entries if not row["same_answer"]]
    differ = f"{len(other):,} of {len(model.entries):,} differ ({_counts(other)})"
    yield _line("answers", differ if other else "the same")
    yield from _verdicts(model)
    yield from _partings(model, counts, most)


_ASKED, _ANSWERED = "asked otherwise", "answered otherwise"

_ATTRIBUTED = {
    _ASKED: (PartingKind.ENTRY, PartingKind.REQUEST, PartingKind.RESULT),
    _ANSWERED: (PartingKind.CALLS, PartingKind.TEXT, PartingKind.STATUS),
    "answered the same, judged otherwise": (PartingKind.VERDICT,),
    "the same": (PartingKind.SAME,),
}
"""The entries by what their first difference is in."""


def _attributed(model: ModelDifference) -> Iterator[str]:
    """How many entries were asked, answered or judged otherwise, and what of it repetitions show."""
    label = "attributed"
    for name, kinds in _ATTRIBUTED.items():
        if rows := [row for row in model.entries if row["difference"] in kinds]:
            same, judged = sum(row["same_answer"] for row in rows), len([*filter(flipped, rows)])
            counts = {"the same answer": same if name == _ASKED else 0, "another verdict": judged}
            shown = ", ".join(f"{count:,} with {what}" for what, count in counts.items() if count)
            asked = "asked the same, " if name == _ANSWERED and model.with_requests else ""
            yield _line(label, f"{len(rows):,} {asked}{name}" + (f": {shown}" if shown else ""))
            label = ""
    flips = [(row["category"], row["entry_id"]) for row in model.entries if flipped(row)]
    noise = "not known (no trials): `diff` two runs of the same settings"
    if model.explained == NOISE:
        noise = "all of it: these are the same settings, run twice"
    elif model.flaky is not None:
        flaky = len(model.flaky.intersection(flips))
        noise = f"{flaky:,} of {len(flips):,} other verdicts: entries that trials judge both ways"
    yield _line("noise", noise)


def _both(model: ModelDifference) -> str:
    """How many entries and sessions both sides have."""
    sessions = sum(row["session"] for row in model.entries)
    entries = plural(len(model.entries) - sessions, "entry", "entries")
    return f"{entries} and {plural(sessions, 'memory session', 'memory sessions')}" if sessions else entries


def _entries(model: ModelDifference, most: int) -> Iterator[str]:
    both = _both(model)
    alone = [[one.response for one in side if not one.session] for side in model.only]
    yield _line("entries", f"{both} on both sides" if any(alone) else f"the same: {both}")
    for name, side in zip(_NAMES, alone, strict=True):
        if side:
            ids = ", ".join(line_of(one.entry_id) for one in side[:most])
            counts = _counts(one.category for one in side)
            yield _line("", f"only in {name}: {len(side):,} ({counts}): {ids}{_more(len(side), most)}")


def _requests(model: ModelDifference, counts: Counter[str], most: int) -> Iterator[str]:
    for name, side in zip(_NAMES, model.derived, strict=True):
        if side.not_derived:
            what = plural(side.not_derived, "conversation", "conversations")
            yield _line("requests", f"not derived from the journals of {name}: {what}; {line_of(side.why)}")
    if not model.with_requests:
        missing = next((side.why for side in model.derived if side.why), "no journal has them")
        yield _line("requests", f"not compared: {line_of(missing)}")
        return
    yield from _section("options", model.options, "the same", most)
    kinds = ((PartingKind.REQUEST, "the request"), (PartingKind.RESULT, "what a call returned"))
    parted = [f"{counts[kind]:,} times {what}" for kind, what in kinds if counts[kind]]
    if parted:
        total = plural(len(model.entries), "conversation", "conversations")
        yield _line("requests", f"of {total}, the first difference is {', '.join(parted)}")
    elif any(counts[kind] for kind in (PartingKind.CALLS, PartingKind.TEXT, PartingKind.STATUS)):
        yield _line("requests", "the same until answers differ")
    else:
        yield _line("requests", f"the same: {model.derived[0].requests:,}")


def _verdicts(model: ModelDifference) -> Iterator[str]:
    by_text: dict[str, list[str]] = {}
    judged = False
    for rules in Rules:
        pairs = [(row["category"], verdicts(row, rules)) for row in model.entries]
        judged = judged or any(pair != (None, None) for _, pair in pairs)
        changed = [(category, pair) for category, pair in pairs if pair[0] is not pair[1]]
        if changed:
            by_text.setdefault(_flips(changed), []).append(rules)
    for text, names in by_text.items():
        yield _line("verdicts", f"{', '.join(names)}: {text}")
    if not by_text:
        yield _line("verdicts", "the same" if judged else "none")


def _flips(changed: Sequence[tuple[str, tuple[bool | None, bool | None]]]) -> str:
    """Verdicts that are not the same, counted."""
    parts = []
    for name, want in (("A", (True, False)), ("B", (False, True))):
        flips = [category for category, pair in changed if pair == want]
        parts.append(f"only {name} right {len(flips):,}" + (f" ({_counts(flips)})" if flips else ""))
    one_sided = sum(None in pair for _, pair in changed)
    return ", ".join([*parts, *([f"a verdict on one side only {one_sided:,}"] if one_sided else [])])


def _partings(model: ModelDifference, counts: Counter[str], most: int) -> Iterator[str]:
    shown = [kind for kind in PartingKind if counts[kind]]
    if shown == [PartingKind.SAME]:
        return
    counted = ", ".join(f"{kind} {counts[kind]:,}" for kind in shown)
    yield _line("parts at", f"first difference of each entry: {counted}")
    for kind in shown:
        if kind is PartingKind.SAME:
            continue
        yield f"    {kind}"
        rows = [row for row in model.entries if row["difference"] == kind]
        yield from (f"      {line_of(row['entry_id'])}  {_parting_text(row)}" for row in rows[:most])
        if len(rows) > most:
            yield f"      and {len(rows) - most:,} more (--show, --out FILE)"


def _parting_text(row: Row) -> str:
    """A first difference in one line: its place, then both values."""
    request = [] if row["request"] is None else [f"request {row['request']} (turn {row['turn'] + 1})"]
    place = [line_of(row["place"])] if row["place"] else []
    values = " | ".join(line_of(row[side], _VALUE) for side in ("first_value", "second_value"))
    return ": ".join([*request, *place, values])


def made_lines(found: Causes, most: int) -> list[str]:
    """The settings that differ, and what can explain a difference."""
    same = "not recorded of both" if found.changed is None else "the same"
    return [
        *_section("settings", found.changed or (), same, most),
        _line("explained", found.explained),
    ]


def _section(label: str, changed: Sequence[Difference], same: str, most: int) -> Iterator[str]:
    """Values that differ, under their number; `same` if there are none, unless it is empty."""
    if not changed:
        yield from [_line(label, same)] if same else []
        return
    yield _line(label, plural(len(changed), "difference", "differences"))
    for one in changed[:most]:
        both = from_difference(shown_value(one.first), shown_value(one.second))
        yield _line("", f"{line_of(one.path)}: {' | '.join(line_of(value, _VALUE) for value in both)}")
    if len(changed) > most:
        yield _line("", f"and {len(changed) - most:,} more (--show)")


def _line(label: str, text: str) -> str:
    return f"  {label.ljust(_LABEL)} {text}"


def _counts(categories: Iterable[str]) -> str:
    """Categories with their numbers, the first _CATEGORIES of them."""
    counts = Counter(categories)
    shown = ", ".join(f"{line_of(name)} {count:,}" for name, count in islice(counts.items(), _CATEGORIES))
    more = len(counts) - _CATEGORIES
    return shown + (f" and {plural(more, 'other category', 'other categories')}" if more > 0 else "")


def _more(number: int, most: int) -> str:
    return f" and {number - most:,} more" if number > most else ""
