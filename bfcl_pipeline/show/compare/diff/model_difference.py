"""Everything in which a model of one run and a model of another differ.

Covers entries, requests, answers, verdicts and the paired comparison; finding the first difference of a
conversation is `parting`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from bfcl_pipeline.ask.generation.backends import ReplayedRequest
from bfcl_pipeline.base.errors import ConfigError, PipelineError, TableError
from bfcl_pipeline.base.text import Log, cut
from bfcl_pipeline.benchmark.records import Entry, Json, Request, Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, read_table, with_types
from bfcl_pipeline.benchmark.tables.schemas import VERDICTS
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.compare import Comparer, Comparison
from bfcl_pipeline.show.compare.diff.conversations import (
    Conversation,
    Conversations,
    read_conversations,
    replay_conversations,
    what_was_asked,
)
from bfcl_pipeline.show.compare.diff.parting import (
    Parting,
    PartingKind,
    first_difference,
    request_difference,
)
from bfcl_pipeline.show.compare.diff.settings import Changed, changed_values, making_changes, row_changes
from bfcl_pipeline.show.compare.sides import Choice, read_sides

MOST = 2_000
"""Characters of a value that are kept."""

_OF_REQUESTS = (PartingKind.REQUEST, PartingKind.RESULT)
_VERDICT_COLUMNS = ("category", "entry_id", "rules", "valid")

EntryKey = tuple[str, str]
"""Category and id of an entry."""


@dataclass(frozen=True, slots=True)
class EntryDifference:
    """One entry that both sides have."""

    category: str
    entry_id: str
    session: bool  # a memory session, which is not scored
    parting: Parting
    statuses: tuple[str, str]
    same_answer: bool  # whether the whole answers, and the statuses, are equal
    verdicts: Mapping[str, tuple[bool | None, bool | None]]  # by rule set; None: no verdict


@dataclass(slots=True)
class ModelDifference:
    """A model of the first run and one of the second."""

    names: tuple[str, str]
    row: list[Changed]  # keys of their rows
    made_by: list[Changed]  # what made their answers: versions, machine, weights, server
    options: list[Changed]  # of their requests, the name of the model included
    derived: tuple[Conversations, Conversations]
    only: tuple[list[Conversation], list[Conversation]]  # that the other side did not run
    entries: list[EntryDifference]  # that both ran, in the order of tables
    comparison: Comparison | None  # None: there is none
    not_compared: str = ""  # why

    @property
    def with_requests(self) -> bool:
        """Whether the requests of both sides were made again."""
        return all(side.requests for side in self.derived)

    @property
    def differ(self) -> bool:
        """Whether entries, answers or verdicts differ."""
        return any(self.only) or any(
            not entry.same_answer or _flipped(entry.verdicts.values()) for entry in self.entries
        )


def diff_models(
    first: Run,
    second: Run,
    pair: tuple[str, str],
    rules: Rules,
    log: Log,
) -> ModelDifference:
    """The difference between two models. Arguments and errors as of `difference.diff_runs`."""
    log(f"Reading {pair[0]} of {first.source}")
    one = read_conversations(first, pair[0])
    log(f"Reading {pair[1]} of {second.source}")
    two = read_conversations(second, pair[1])
    common = [key for key in one.by_entry if key in two.by_entry]
    changed = _entry_changes(first, second, dict.fromkeys(category for category, _ in common))
    partings = {}
    for key in common:
        if key in changed:
            place, *values = changed[key]
            partings[key] = Parting(PartingKind.ENTRY, None, None, place, *values)
        else:
            partings[key] = first_difference(one.by_entry[key], two.by_entry[key])
    _add_requests((first, second), pair, partings, log)
    verdicts = [_verdicts(run, name) for run, name in zip((first, second), pair, strict=True)]
    comparison, why = _compared((first, second), pair, rules)
    return ModelDifference(
        pair,
        row_changes(first, second, pair),
        _making_changes(first, second, pair),
        _option_changes(one, two),
        (one, two),
        (_alone(one, two), _alone(two, one)),
        [
            _entry(
                one.by_entry[key],
                two.by_entry[key],
                partings[key],
                [side.get(key, {}) for side in verdicts],
            )
            for key in common
        ],
        comparison,
        why,
    )


def _making_changes(first: Run, second: Run, pair: tuple[str, str]) -> list[Changed]:
    try:
        return making_changes(first, second, pair)
    except PipelineError as error:  # a damaged journal: its answers are compared by the tables
        return [Changed("not readable", None, first.name_source(second.name_source(str(error))))]


def _alone(one: Conversations, two: Conversations) -> list[Conversation]:
    return [held for key, held in one.by_entry.items() if key not in two.by_entry]


def _option_changes(one: Conversations, two: Conversations) -> list[Changed]:
    if one.options is None or two.options is None:
        return []
    return list(changed_values({"model": one.model, **one.options}, {"model": two.model, **two.options}))


def _entry_changes(
    first: Run, second: Run, categories: Iterable[str]
) -> dict[EntryKey, tuple[str, str, str]]:
    """The entries whose data differ between two staged releases: the place, and both values.

    None if both runs have the same one. Raises TableError if a category is not staged.
    """
    found: dict[EntryKey, tuple[str, str, str]] = {}
    if first.data.resolve() == second.data.resolve():
        return found
    for category in categories:
        one, two = (_entries(run, category) for run in (first, second))
        for entry_id in one.keys() & two.keys():
            ours, theirs = asdict(one[entry_id]), asdict(two[entry_id])
            if ours != theirs:
                found[category, entry_id] = _cut(request_difference(ours, theirs))
    return found


def _entries(run: Run, category: str) -> dict[str, Entry]:
    entries = read_entries(entries_path(run.data, category))
    return {entry.entry_id: entry for entry in entries}


def _add_requests(
    runs: tuple[Run, Run],
    pair: tuple[str, str],
    partings: dict[EntryKey, Parting],
    log: Log,
) -> None:
    """Adds the places and values of requests that differ; their conversations are replayed once more."""
    wanted = {key[1]: key for key, parting in partings.items() if parting.kind in _OF_REQUESTS}
    if not wanted:
        return
    log(f"Reading {len(wanted):,} requests that differ")
    requests: list[dict[str, Request]] = []
    for run, name in zip(runs, pair, strict=True):
        requests.append({})

        def received(one: ReplayedRequest, kept: dict[str, Request] = requests[-1]) -> None:
            key = wanted.get(one.entry.entry_id)
            if key is not None and partings[key].number == one.number:
                kept[one.entry.entry_id] = one.request

        replay_conversations(run, name, received, wanted)
    for entry_id, key in wanted.items():
        ours, theirs = (what_was_asked(side[entry_id]) for side in requests)
        place, *values = _cut(request_difference(ours, theirs))
        partings[key] = replace(partings[key], place=_named(place, ours), first=values[0], second=values[1])


def _named(place: str, asked: Mapping[str, Json]) -> str:
    """A place in a request; in the result of a call, with the name of the function."""
    head, _, rest = place.partition("]")
    if not head.startswith("messages[") or not rest:
        return place
    message = asked["messages"][int(head.removeprefix("messages["))]
    return f"{place}, result of {message['name']}" if "name" in message else place


def _cut(difference: tuple[str, str, str]) -> tuple[str, str, str]:
    place, first, second = difference
    return place, cut(first, MOST), cut(second, MOST)


def _entry(
    one: Conversation, two: Conversation, parting: Parting, verdicts: Sequence[Mapping[str, bool | None]]
) -> EntryDifference:
    names = dict.fromkeys((*verdicts[0], *verdicts[1]))
    both = {name: (verdicts[0].get(name), verdicts[1].get(name)) for name in names}
    if parting.kind is PartingKind.SAME and (flipped := _flipped(both.values())):
        parting = Parting(PartingKind.VERDICT, None, None, "", *map(verdict_text, flipped))
    return EntryDifference(
        one.category,
        one.entry_id,
        one.session,
        replace(parting, first=cut(parting.first, MOST), second=cut(parting.second, MOST)),
        (one.status.value, two.status.value),
        (one.status, one.result_json) == (two.status, two.result_json),
        both,
    )


def _flipped(verdicts: Iterable[tuple[bool | None, bool | None]]) -> tuple[bool | None, bool | None] | None:
    """The first two verdicts that differ; None if all are the same."""
    return next((pair for pair in verdicts if pair[0] is not pair[1]), None)


def verdict_text(valid: bool | None) -> str:
    """A verdict in words."""
    return "no verdict" if valid is None else "right" if valid else "wrong"


def _verdicts(run: Run, model: str) -> dict[EntryKey, dict[str, bool | None]]:
    """The verdicts of a model by entry and rule set; none if the run was not scored."""
    path = run.verdicts(run.models[model])
    if not path.is_file():
        return {}
    table = with_types(path, read_table(path, _VERDICT_COLUMNS), VERDICTS)
    found: dict[EntryKey, dict[str, bool | None]] = {}
    columns = (table.column(name).to_pylist() for name in _VERDICT_COLUMNS)
    for category, entry_id, rules, valid in zip(*columns, strict=True):
        if rules in list(Rules):
            found.setdefault((category, entry_id), {})[rules] = valid
    return found


def _compared(runs: tuple[Run, Run], pair: tuple[str, str], rules: Rules) -> tuple[Comparison | None, str]:
    """The paired comparison of two models, or why there is none."""
    choices = [Choice(run, name) for run, name in zip(runs, pair, strict=True)]
    if runs[0].folder.resolve() == runs[1].folder.resolve() and pair[0] == pair[1]:
        return None, "both sides are the same model of the same run"
    try:
        numbering, sides = read_sides(choices, rules)
        return Comparer(numbering, rules, common=True).compare(*sides), ""
    except (TableError, ConfigError) as error:
        return None, runs[0].name_source(runs[1].name_source(str(error)))
