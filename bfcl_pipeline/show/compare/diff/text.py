"""The difference of two runs as text for a terminal. All that comes from a run is escaped."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from bfcl_pipeline.base.text import line_of, plural
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.diff.difference import RunDifference
from bfcl_pipeline.show.compare.diff.model_difference import ModelDifference
from bfcl_pipeline.show.compare.diff.parting import Parting, PartingKind, from_difference
from bfcl_pipeline.show.compare.diff.settings import Changed, software_names
from bfcl_pipeline.show.compare.text import comparison_text

SHOWN = 5
"""Lines of each list, unless the user asks for another number."""

_CATEGORIES = 5  # that are named with their numbers in a line
_VALUE = 60  # characters of a value in a line
_LABEL = 11  # width of the first column
_NAMES = ("A", "B")


def difference_text(found: RunDifference, most: int = SHOWN, width: int | None = None) -> str:
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
    if not isinstance(run, ArchivedRun):
        return line_of(str(run.source))
    return f"{line_of(str(run.source))}: run {run.metadata.run}, ended {run.metadata.ended}"


def _made_with(found: RunDifference, most: int) -> Iterator[str]:
    yield from _section("settings", found.config, "the same", most)
    metadata = [run.metadata for run in found.runs if isinstance(run, ArchivedRun)]
    if found.software is None:
        yield _line("software", "recorded in archives only; not compared")
    else:
        yield from _section("software", found.software, f"the same: {software_names(metadata)}", most)
    pin = found.runs[0].values.get("release")
    version = f": {line_of(str(pin.get('version')))}" if isinstance(pin, dict) else ""
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
    first, second = map(line_of, model.names)
    name = first if first == second else f"{first} | {second}"
    if not model.differ and all(entry.parting.kind is PartingKind.SAME for entry in model.entries):
        requests = f", {model.derived[0].requests:,} requests" if model.with_requests else ""
        yield f"{name}: the same answers and verdicts ({_both(model)}{requests})"
        yield from _made_of(model, most)
        if model.options:
            yield from _section("options", model.options, "", most)
        return
    yield name
    yield from _made_of(model, most)
    yield from _entries(model, most)
    yield from _requests(model, most)
    yield from _answers(model)
    yield from _verdicts(model)
    yield from _partings(model, most)


def _made_of(model: ModelDifference, most: int) -> Iterator[str]:
    for label, changed in (("row", model.row), ("made by", model.made_by)):
        if changed:
            yield from _section(label, changed, "", most)


def _both(model: ModelDifference) -> str:
    """How many entries and sessions both sides have."""
    sessions = sum(entry.session for entry in model.entries)
    entries = plural(len(model.entries) - sessions, "entry", "entries")
    return f"{entries} and {plural(sessions, 'memory session', 'memory sessions')}" if sessions else entries


def _entries(model: ModelDifference, most: int) -> Iterator[str]:
    both = _both(model)
    alone = [[one for one in side if not one.session] for side in model.only]
    yield _line("entries", f"{both} on both sides" if any(alone) else f"the same: {both}")
    for name, side in zip(_NAMES, alone, strict=True):
        if side:
            ids = ", ".join(line_of(one.entry_id) for one in side[:most])
            counts = _counts(one.category for one in side)
            yield _line("", f"only in {name}: {len(side):,} ({counts}): {ids}{_more(len(side), most)}")


def _requests(model: ModelDifference, most: int) -> Iterator[str]:
    for name, side in zip(_NAMES, model.derived, strict=True):
        if side.not_derived:
            what = plural(side.not_derived, "conversation", "conversations")
            yield _line("requests", f"not derived from the journals of {name}: {what}; {line_of(side.why)}")
    if not model.with_requests:
        missing = next((side.why for side in model.derived if side.why), "no journal has them")
        yield _line("requests", f"not compared: {line_of(missing)}")
        return
    counts = Counter(entry.parting.kind for entry in model.entries)
    yield from _section("options", model.options, "the same", most)
    parted = [
        f"{counts[kind]:,} in {kind}" for kind in (PartingKind.REQUEST, PartingKind.RESULT) if counts[kind]
    ]
    if parted:
        total = plural(len(model.entries), "conversation", "conversations")
        yield _line("requests", f"of {total}, the first difference is {', '.join(_named(parted))}")
    elif any(counts[kind] for kind in (PartingKind.CALLS, PartingKind.TEXT, PartingKind.STATUS)):
        yield _line("requests", "the same until answers differ")
    else:
        yield _line("requests", f"the same: {model.derived[0].requests:,}")


def _named(parted: Sequence[str]) -> Iterator[str]:
    for text in parted:
        count, _, kind = text.partition(" in ")
        yield f"{count} times {'the request' if kind == PartingKind.REQUEST else 'what a call returned'}"


def _answers(model: ModelDifference) -> Iterator[str]:
    other = [entry for entry in model.entries if not entry.same_answer]
    if not other:
        yield _line("answers", "the same")
        return
    counts = _counts(entry.category for entry in other)
    yield _line("answers", f"{len(other):,} of {len(model.entries):,} differ ({counts})")


def _verdicts(model: ModelDifference) -> Iterator[str]:
    rule_sets = dict.fromkeys(rules for entry in model.entries for rules in entry.verdicts)
    by_text: dict[str, list[str]] = {}
    for rules in rule_sets:
        if text := _flips(model, rules):
            by_text.setdefault(text, []).append(rules)
    for text, names in by_text.items():
        yield _line("verdicts", f"{', '.join(names)}: {text}")
    if not by_text:
        yield _line("verdicts", "the same" if rule_sets else "none")


def _flips(model: ModelDifference, rules: str) -> str:
    """The verdicts under one rule set that are not the same, counted; empty if there are none."""
    changed = [entry for entry in model.entries if len(set(entry.verdicts.get(rules, ()))) > 1]
    if not changed:
        return ""
    parts = []
    for name, want in (("A", (True, False)), ("B", (False, True))):
        flips = [entry for entry in changed if entry.verdicts[rules] == want]
        where = f" ({_counts(entry.category for entry in flips)})" if flips else ""
        parts.append(f"only {name} right {len(flips):,}{where}")
    one_sided = sum(None in entry.verdicts[rules] for entry in changed)
    return ", ".join([*parts, *([f"a verdict on one side only {one_sided:,}"] if one_sided else [])])


def _partings(model: ModelDifference, most: int) -> Iterator[str]:
    by_kind = {kind: [one for one in model.entries if one.parting.kind is kind] for kind in PartingKind}
    shown = [kind for kind in PartingKind if kind is not PartingKind.SAME and by_kind[kind]]
    if not shown:
        return
    counts = ", ".join(f"{kind} {len(by_kind[kind]):,}" for kind in PartingKind if by_kind[kind])
    yield _line("parts at", f"first difference of each entry: {counts}")
    for kind in shown:
        yield f"    {kind}"
        for entry in by_kind[kind][:most]:
            yield f"      {line_of(entry.entry_id)}  {parting_text(entry.parting)}"
        if len(by_kind[kind]) > most:
            yield f"      and {len(by_kind[kind]) - most:,} more (--show, --out FILE)"


def parting_text(parting: Parting) -> str:
    """A first difference in one line: its place, then both values."""
    where = []
    if parting.number is not None:
        where.append(f"request {parting.number} (turn {(parting.turn or 0) + 1})")
    if parting.place:
        where.append(line_of(parting.place))
    values = " | ".join(line_of(value, _VALUE) for value in (parting.first, parting.second))
    return ": ".join([*where, values])


def _section(label: str, changed: Sequence[Changed], same: str, most: int) -> Iterator[str]:
    if not changed:
        yield _line(label, same)
        return
    yield _line(label, f"{plural(len(changed), 'difference', 'differences')}")
    for one in changed[:most]:
        both = from_difference(_value(one.first), _value(one.second))
        values = " | ".join(line_of(value, _VALUE) for value in both)
        yield _line("", f"{line_of(one.name)}: {values}")
    if len(changed) > most:
        yield _line("", f"and {len(changed) - most:,} more (--show)")


def _value(value: Json) -> str:
    return "nothing" if value is None else str(value)


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
