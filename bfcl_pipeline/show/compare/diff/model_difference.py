"""Everything in which a model of one run and a model of another differ.

Covers entries, requests, answers, verdicts and the paired comparison; finding the first difference of a
conversation is `parting`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa

from bfcl_pipeline.base.differences import Difference
from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.base.text import Log, cut, valid_unicode
from bfcl_pipeline.benchmark.records import Entry, Request, Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, read_table, with_types
from bfcl_pipeline.benchmark.tables.schemas import VERDICTS, count, mark, text
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.causes import causes
from bfcl_pipeline.show.compare.compare import Comparer, Comparison
from bfcl_pipeline.show.compare.diff.conversations import (
    Conversation,
    Conversations,
    EntryKey,
    read_conversations,
    what_was_asked,
)
from bfcl_pipeline.show.compare.diff.parting import Parting, PartingKind, first_difference, value_difference
from bfcl_pipeline.show.compare.diff.settings import changed_values, making_changes, row_changes
from bfcl_pipeline.show.compare.sides import Choice, read_sides
from bfcl_pipeline.show.compare.trials import Entries, known_flaky

MOST = 2_000
"""Characters of a value that are kept."""

FIRST_DIFFERENCES = pa.schema(
    [
        text("first_model", "the model of A"),
        text("second_model", "the model of B"),
        text("category", "one of the V4 categories"),
        text("entry_id", "id as in the release"),
        mark("session", "whether it is a memory session, which is not scored"),
        text("difference", "what the first difference is in; same: there is none"),
        count("request?", "its request in the conversation, from 1; null: of none"),
        count("turn?", "the turn of the entry, from 0; null: of no request"),
        text("place", "the place in the request or the entry; empty: an answer"),
        text("first_value", "the value of A from shortly before the difference on, cut"),
        text("second_value", "the value of B"),
        mark("same_answer", "whether the whole answers are equal"),
        text("first_status", "answered, or why A has no answer"),
        text("second_status", "answered, or why B has no answer"),
        *(
            mark(f"{side}_{rules}?", f"the verdict of {name} under {rules} rules")
            for rules in Rules
            for side, name in (("first", "A"), ("second", "B"))
        ),
    ]
)
"""One row per pair of models and entry that both have."""

Row = dict[str, Any]
"""A row of FIRST_DIFFERENCES."""


@dataclass(slots=True)
class ModelDifference:
    """A model of the first run and one of the second."""

    names: tuple[str, str]
    row: list[Difference]  # keys of their rows
    made_by: list[Difference]  # what made their answers: versions, machine, weights, server
    options: list[Difference]  # of their requests, the name of the model included
    derived: tuple[Conversations, Conversations]
    only: tuple[list[Conversation], list[Conversation]]  # that the other side did not run
    entries: list[Row]  # that both ran, in the order of tables
    comparison: Comparison | None  # None: there is none
    not_compared: str = ""  # why
    explained: str = ""  # what can explain a difference (`causes`)
    flaky: Entries | None = None  # entries whose verdict differs among trials of a side; None: no trials

    @property
    def with_requests(self) -> bool:
        """Whether the requests of both sides were made again."""
        return all(side.requests for side in self.derived)

    @property
    def differ(self) -> bool:
        """Whether entries, answers or verdicts differ."""
        return any(self.only) or any(not row["same_answer"] or flipped(row) for row in self.entries)


def verdicts(row: Row, rules: str) -> tuple[bool | None, bool | None]:
    """The verdicts of both sides; None: no verdict."""
    return row[f"first_{rules}"], row[f"second_{rules}"]


def flipped(row: Row) -> tuple[bool | None, bool | None] | None:
    """The first two verdicts that differ; None if all are the same."""
    both = (verdicts(row, rules) for rules in Rules)
    return next((pair for pair in both if pair[0] is not pair[1]), None)


def diff_models(first: Run, second: Run, pair: tuple[str, str], rules: Rules, log: Log) -> ModelDifference:
    """The difference between two models. Arguments and errors as of `difference.diff_runs`."""
    runs, sides = (first, second), []
    for run, name in zip(runs, pair, strict=True):
        log(f"Reading {name} of {run.source}")
        sides.append(read_conversations(run, name))
    one, two = sides
    common = {key: (one.by_entry[key], two.by_entry[key]) for key in one.by_entry if key in two.by_entry}
    partings = {key: first_difference(*both) for key, both in common.items()}
    partings |= _entry_changes(first, second, common)
    _add_requests(runs, pair, partings, log)
    found = [_verdicts(run, name) for run, name in zip(runs, pair, strict=True)]
    comparison, why, flaky = _compared(runs, pair, rules)
    known = one.options is not None and two.options is not None
    return ModelDifference(
        pair,
        row_changes(first, second, pair),
        making_changes(first, second, pair) or [],
        changed_values(one.options or {}, two.options or {}) if known else [],
        (one, two),
        (_alone(one, two), _alone(two, one)),
        [
            _row(pair, both, partings[key], (found[0].get(key, {}), found[1].get(key, {})))
            for key, both in common.items()
        ],
        comparison,
        why,
        causes(*runs, pair, comparison).explained,
        flaky,
    )


def _alone(one: Conversations, two: Conversations) -> list[Conversation]:
    return [held for key, held in one.by_entry.items() if key not in two.by_entry]


def _entry_changes(first: Run, second: Run, keys: Iterable[EntryKey]) -> dict[EntryKey, Parting]:
    """The entries whose data differ between two staged releases.

    None if both runs have the same one. Raises TableError if a category is not staged.
    """
    found: dict[EntryKey, Parting] = {}
    if first.data.resolve() == second.data.resolve():
        return found
    entries: dict[str, list[dict[str, Entry]]] = {}
    for category, entry_id in keys:
        if category not in entries:
            paths = (entries_path(run.data, category) for run in (first, second))
            entries[category] = [{entry.entry_id: entry for entry in read_entries(path)} for path in paths]
        ours, theirs = (side.get(entry_id) for side in entries[category])
        if ours is not None and theirs is not None and ours != theirs:
            difference = value_difference(asdict(ours), asdict(theirs))
            found[category, entry_id] = Parting(PartingKind.ENTRY, None, None, *difference)
    return found


def _add_requests(
    runs: tuple[Run, Run], pair: tuple[str, str], partings: dict[EntryKey, Parting], log: Log
) -> None:
    """Adds the places and values of requests that differ; their conversations are replayed once more."""
    wanted = {key[1]: parting.number for key, parting in partings.items() if parting.in_request}
    if not wanted:
        return
    log(f"Reading {len(wanted):,} requests that differ")
    one, two = (
        read_conversations(run, name, wanted, lambda entry_id, number: wanted.get(entry_id) == number)
        for run, name in zip(runs, pair, strict=True)
    )
    for key, parting in partings.items():
        if parting.in_request:
            number = parting.number or 1
            ours, theirs = (side.by_entry[key].asked[number - 1].request for side in (one, two))
            if ours is not None and theirs is not None:
                partings[key] = with_request(parting, ours, theirs)


def with_request(parting: Parting, ours: Request, theirs: Request) -> Parting:
    """A parting with its place and values; in the result of a call, with the name of the function."""
    asked = what_was_asked(ours)
    place, first, second = value_difference(asked, what_was_asked(theirs))
    head, _, rest = place.partition("]")
    if head.startswith("messages[") and rest:
        name = asked["messages"][int(head.removeprefix("messages["))].get("name")
        place += f", result of {name}" if name is not None else ""
    return replace(parting, place=place, first=first, second=second)


def _row(
    pair: tuple[str, str],
    both: tuple[Conversation, Conversation],
    parting: Parting,
    found: tuple[Mapping[str, bool | None], Mapping[str, bool | None]],
) -> Row:
    one, two = (side.response for side in both)
    row: Row = {
        "first_model": pair[0],
        "second_model": pair[1],
        "category": one.category,
        "entry_id": one.entry_id,
        "session": both[0].session,
        "difference": parting.kind.value,
        "request": parting.number,
        "turn": parting.turn,
        "place": valid_unicode(parting.place),
        "first_value": valid_unicode(cut(parting.first, MOST)),
        "second_value": valid_unicode(cut(parting.second, MOST)),
        "same_answer": (one.status, one.result_json) == (two.status, two.result_json),
        "first_status": one.status.value,
        "second_status": two.status.value,
    }
    for rules in Rules:
        row |= {f"first_{rules}": found[0].get(rules), f"second_{rules}": found[1].get(rules)}
    if parting.kind is PartingKind.SAME and (changed := flipped(row)):
        values = ("no verdict" if valid is None else "right" if valid else "wrong" for valid in changed)
        row |= {"difference": PartingKind.VERDICT.value}
        row |= zip(("first_value", "second_value"), values, strict=True)
    return row


def _verdicts(run: Run, model: str) -> dict[EntryKey, dict[str, bool | None]]:
    """The verdicts of a model by entry and rule set; none if the run was not scored."""
    path = run.verdicts(run.models[model])
    found: dict[EntryKey, dict[str, bool | None]] = {}
    if path.is_file():
        columns = ("category", "entry_id", "rules", "valid")
        table = with_types(path, read_table(path, columns), VERDICTS)
        for row in table.to_pylist():
            found.setdefault((row["category"], row["entry_id"]), {})[row["rules"]] = row["valid"]
    return found


def _compared(
    runs: tuple[Run, Run], pair: tuple[str, str], rules: Rules
) -> tuple[Comparison | None, str, Entries | None]:
    """The paired comparison of two models, or why there is none; and the entries flaky in trials."""
    choices = [Choice(run, name) for run, name in zip(runs, pair, strict=True)]
    if runs[0].folder.resolve() == runs[1].folder.resolve() and pair[0] == pair[1]:
        return None, "both sides are the same model of the same run", None
    try:
        numbering, sides = read_sides(choices, rules)
        return Comparer(numbering, rules, common=True).compare(*sides), "", known_flaky(sides, rules)
    except (TableError, ConfigError) as error:
        return None, runs[0].name_source(runs[1].name_source(str(error))), None
