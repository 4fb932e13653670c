"""The verdicts of models of runs, on one common numbering of entries.

Covers finding the table of a model in a run, and refusing verdicts that cannot be compared. Not covered:
which sides are compared with which (`pairs`).
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.records import Rules, Status
from bfcl_pipeline.benchmark.tables import read_table, with_types
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES, VERDICTS
from bfcl_pipeline.runs.run import Run, run_labels
from bfcl_pipeline.show.compare.settings import Settings, requested_web, run_settings, searched_web

NO_EXCHANGE = 0
"""The number of an answer without measured exchanges, as those of embedded models are."""


def exchange_numbers(run: Run, model: str, entries: Sequence[tuple[str, str]]) -> NDArray[np.int64]:
    """A number for the exchanges of each entry: equal ones are the same exchanges.

    The latency of an exchange is recorded with its answer, to fractions of a microsecond, so that two
    exchanges do not have the same one: turns and latencies identify the exchanges of a response.

    Args:
        run: the run; without its responses, no exchange is known.
        model: its model.
        entries: the category and the id of each.

    Raises:
        TableError: its responses cannot be read.
    """
    numbers: dict[tuple[str, str | None], int] = {}
    for category in dict.fromkeys(category for category, _ in entries):
        path = run.responses(model, category)
        if not path.is_file():
            continue
        ids = read_table(path, ["entry_id"]).column("entry_id").to_pylist()
        try:
            steps = with_types(path, read_table(path, ["steps"]), RESPONSES).column("steps").to_pylist()
        except TableError:  # of results that others made
            continue
        for entry_id, exchanges in zip(ids, steps, strict=True):
            made = [(step["turn"], step["latency_seconds"]) for step in exchanges or ()]
            if made and all(latency is not None for _, latency in made):
                numbers[category, entry_id] = hash(tuple(made))
    return np.array([numbers.get(entry, NO_EXCHANGE) for entry in entries], np.int64)


_COLUMNS = ("model", "category", "entry_id", "rules", "valid", "status", "unread_call")

WRONG, RIGHT, UNJUDGED, ABSENT = 0.0, 1.0, -1.0, -2.0
"""The marks of an entry: its verdict, or none because there is no answer, or it was not run.

A mark between 0 and 1 is the share of trials that have it right.
"""


@dataclass(frozen=True, slots=True)
class Numbering:
    """A number for each entry of any side, in the order in which they are first seen."""

    entries: list[tuple[str, str]] = field(default_factory=list)  # category and id of each number
    places: dict[tuple[str, str], int] = field(default_factory=dict)  # the number of each

    def number(self, category: str, entry_id: str) -> int:
        """The number of an entry; a new one gets the next."""
        place = self.places.setdefault((category, entry_id), len(self.entries))
        if place == len(self.entries):
            self.entries.append((category, entry_id))
        return place


@dataclass(frozen=True, slots=True)
class Side:
    """One model of one run under one rule set."""

    run: Run
    model: str
    settings: Settings  # what it was made with
    label: str  # its name beside the other sides: the model, with the run where models repeat
    numbers: NDArray[np.int64]  # of its entries
    marks: NDArray[np.float64]  # of the same entries: WRONG, RIGHT, a share between them, or UNJUDGED
    trials: int = 1  # trials of which the marks are the means
    exchanges: NDArray[np.int64] | None = None  # of these entries (`exchange_numbers`); None: of one run
    answers: int = 0  # with a verdict, of all trials
    unread: tuple[str, ...] = ()  # entries of those with a call in their text that was not read

    def spread_over(self, entries: int) -> NDArray[np.float64]:
        """The marks by number of entry; ABSENT where it has no row."""
        marks = np.full(entries, ABSENT)
        marks[self.numbers] = self.marks
        return marks

    def exchanges_over(self, entries: int) -> NDArray[np.int64]:
        """The exchanges by number of entry; NO_EXCHANGE where none is known."""
        exchanges = np.full(entries, NO_EXCHANGE, np.int64)
        if self.exchanges is not None:
            exchanges[self.numbers] = self.exchanges
        return exchanges


@dataclass(frozen=True, slots=True)
class Choice:
    """What one argument of a comparison names."""

    run: Run
    model: str | None = None  # None: all models of the run


def read_sides(
    choices: Sequence[Choice], rules: Rules, only: Collection[str] = ()
) -> tuple[Numbering, list[Side]]:
    """The sides that are named, each once, in the order of their names.

    Args:
        choices: models of runs.
        rules: the rule set; entries that it leaves out are not read.
        only: the categories to read; all if empty.

    Raises:
        TableError: there is no such model, it has no verdict under `rules`, or a table cannot be read.
        ConfigError: the recorded config or rows of a run cannot be read.
    """
    numbering = Numbering()
    sides: dict[tuple[Run, str], Side] = {}
    several = len({choice.run for choice in choices}) > 1  # models of one run share no exchange
    for choice in choices:
        recorded = run_settings(choice.run)
        for model, verdicts in _verdicts(choice, rules, set(only or CATEGORIES)).items():
            if (choice.run, model) in sides:
                continue
            _check(choice.run, model, verdicts, rules)
            categories = {category for category, _ in verdicts.entries}
            searched = not categories.isdisjoint(GROUPS["web_search"])
            executed = any(CATEGORIES[category].executes for category in categories)
            sides[choice.run, model] = Side(
                choice.run,
                model,
                replace(
                    recorded,
                    web=searched_web(choice.run, model, recorded.web) if searched else None,
                    requests=requested_web(choice.run, model) if executed else None,
                ),
                model,
                np.array([numbering.number(*entry) for entry in verdicts.entries], np.int64),
                np.array(verdicts.marks, np.float64),
                exchanges=exchange_numbers(choice.run, model, verdicts.entries) if several else None,
                answers=sum(mark != UNJUDGED for mark in verdicts.marks),
                unread=tuple(verdicts.unread),
            )
    return numbering, list(label_sides(list(sides.values())))


@dataclass(frozen=True, slots=True)
class _Verdicts:
    """The verdicts of one model under the chosen rules and categories."""

    entries: list[tuple[str, str]] = field(default_factory=list)  # category and id
    marks: list[float] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)  # entries with a call that was not read
    rules: set[str] = field(default_factory=set)  # the rule sets with any row


def _verdicts(choice: Choice, rules: Rules, only: Collection[str]) -> dict[str, _Verdicts]:
    """The verdicts of the chosen models, by name in order."""
    where = f"{choice.run.source}/verdicts"
    paths = sorted((choice.run.folder / "verdicts").glob("*.parquet"))
    if not paths:
        raise TableError(
            f"{where}: no verdicts. Score the responses of the run first (bfcl-pipeline score)."
        )
    if choice.model is None:
        return _by_model(paths, rules, only)
    likely = [path for path in paths if path.stem == model_folder(choice.model)]
    for some in (likely, paths):
        found = _by_model(some, rules, only)
        if choice.model in found:
            return {choice.model: found[choice.model]}
    raise TableError(f"{where}: {unknown_name('model', choice.model, found)}")


def _by_model(paths: Sequence[Path], rules: Rules, only: Collection[str]) -> dict[str, _Verdicts]:
    """The verdicts of each model in some tables; rows without a model have that of the file's name."""
    found: dict[str, _Verdicts] = {}
    for path in paths:
        table = with_types(path, read_table(path, _COLUMNS), VERDICTS)
        rows = zip(*(table.column(name).to_pylist() for name in _COLUMNS), strict=True)
        for model, category, entry_id, of_rules, valid, status, unread in rows:
            verdicts = found.setdefault(path.stem if model is None else model, _Verdicts())
            verdicts.rules.add(of_rules)
            if of_rules != rules.value or status == Status.LEFT_OUT.value:
                continue
            if category not in CATEGORIES:
                raise TableError(f"{path}: {unknown_name('category', category, CATEGORIES)}")
            if category in only:
                verdicts.entries.append((category, entry_id))
                verdicts.marks.append(UNJUDGED if valid is None else RIGHT if valid else WRONG)
                if unread and valid is not None:
                    verdicts.unread.append(entry_id)
    return dict(sorted(found.items()))


def _check(run: Run, model: str, verdicts: _Verdicts, rules: Rules) -> None:
    """Raises TableError if there is no verdict under some rules, or several on one entry."""
    where = f"{run.source}/verdicts:"
    if not verdicts.marks and rules.value in verdicts.rules:
        raise TableError(
            f"{where} model {model!r} has no verdict on these categories; name others, or run them."
        )
    if not verdicts.marks:
        there = ", ".join(sorted(map(str, verdicts.rules)))
        raise TableError(f"{where} model {model!r} has no verdict under {rules} rules, only under {there}.")
    ((_, entry_id), number) = Counter(verdicts.entries).most_common(1)[0]
    if number > 1:
        raise TableError(
            f"{where} entry {entry_id!r} of model {model!r} has several verdicts under {rules} rules; "
            "expected one. Remove the file that does not belong to this run."
        )


def label_sides(sides: Sequence[Side]) -> Iterator[Side]:
    """The sides with labels that differ: the model alone, unless another run has a model of this name."""
    names = [side.model for side in sides]
    runs = list(dict.fromkeys(side.run for side in sides))
    labels = dict(zip(runs, run_labels(runs), strict=True))
    for side in sides:
        repeats = names.count(side.model) > 1
        yield replace(side, label=f"{labels[side.run]}:{side.model}" if repeats else side.model)
