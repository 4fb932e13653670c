"""Web questions joined over sides and over the two web categories: experiments, question by question.

A column is one side on one web category, so that a model is compared with itself: with and without
snippets, with and without tools, with more and more failing fetches. Scores are over the questions that
have a verdict in every column, in total and by hops (annotated steps from a question to its answer). Each
question counts once in a column, so questions are independent.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.judge.scoring.statistics.clustered import Limits
from bfcl_pipeline.judge.scoring.statistics.paired import difference_limits
from bfcl_pipeline.judge.scoring.web_use import hop_count
from bfcl_pipeline.show.compare.settings import (
    OFF,
    SettingDifference,
    Settings,
    setting_differences,
    web_differs,
)
from bfcl_pipeline.show.compare.sides import RIGHT, UNJUDGED, Numbering, Side

WITH_SNIPPETS, WITHOUT_SNIPPETS = GROUPS["web_search"]
"""The two categories, which ask the same questions."""


@dataclass(frozen=True, slots=True)
class QuestionColumn:
    """One side on one web category; its questions by the keys of their clusters."""

    label: str  # of the side
    category: str
    settings: Settings
    ids: Mapping[str, str]  # of the questions that were asked
    judged: Collection[str]  # those with a verdict
    right: Collection[str]

    def __str__(self) -> str:
        known = str(self.settings)
        return f"{self.label}, {self.category}" + (f" ({known})" if known else "")

    def named(self, keys: Iterable[str]) -> tuple[str, ...]:
        """The ids of those questions that it has right."""
        return tuple(self.ids[key] for key in keys if key in self.right)


@dataclass(frozen=True, slots=True)
class HopScores:
    """The right answers to the questions of one number of hops."""

    hops: int | None  # None: all questions
    questions: int
    right: tuple[int, ...]  # by column


@dataclass(frozen=True, slots=True)
class ColumnDifference:
    """Two columns on the same questions. Shares; ids of the column that has the question right."""

    first: int  # number of a column
    second: int  # number of a later column
    settings: tuple[SettingDifference, ...]  # in which they differ
    difference: float  # accuracy of the first minus the second
    limits: Limits  # its paired 95 % interval
    only_first: tuple[str, ...]  # questions that only the first has right
    only_second: tuple[str, ...]  # questions that only the second has right


@dataclass(frozen=True, slots=True)
class WebQuestions:
    """The web questions of some sides."""

    rules: Rules
    columns: tuple[QuestionColumn, ...]
    scores: tuple[HopScores, ...]  # by hops, then all questions
    differences: tuple[ColumnDifference, ...]
    without_tools: Mapping[int, tuple[str, ...]]  # by column without web tools: questions it has right
    left_out: int  # questions without a verdict in some column


def read_hops(data: Path) -> dict[str, int]:
    """The number of hops of each web question, by the key of its cluster.

    data: the staged release. Raises TableError if the questions are not staged.
    """
    path = entries_path(data, WITH_SNIPPETS)
    if not path.is_file():
        raise TableError(
            f"{path}: not staged, and it has the number of hops of each question. Run `bfcl-pipeline "
            "stage`, or name the staged data with --data."
        )
    return {cluster_of(entry.category, entry.entry_id): hop_count(entry) for entry in read_entries(path)}


def web_questions(
    numbering: Numbering, sides: Sequence[Side], rules: Rules, hops: Mapping[str, int]
) -> WebQuestions:
    """Joins the web questions of some sides.

    Args:
        numbering: of the entries of the sides.
        sides: one or more; those without web questions are left out.
        rules: their rule set.
        hops: of each question, by the key of its cluster.

    Raises:
        TableError: fewer than two columns, no question in common, or a simulated and the real web.
    """
    columns = [column for side in sides for column in _columns(numbering, side)]
    if len(columns) < 2:
        raise TableError(
            f"{', '.join(side.label for side in sides)}: expected web questions of two or more sides, "
            f"or of one with {WITH_SNIPPETS} and {WITHOUT_SNIPPETS}; found {len(columns)}."
        )
    for one, two in combinations(columns, 2):
        if web_differs(one.settings, two.settings):
            raise TableError(
                f"{one.label} and {two.label} searched different webs: {one.settings}, "
                f"{two.settings}. Scores from a simulated web say nothing about the real one."
            )
    common = [key for key in columns[0].ids if all(key in column.judged for column in columns)]
    if not common:
        raise TableError(
            f"{', '.join(map(str, columns))}: no web question has a verdict in all of them. Run the same "
            "questions in each."
        )
    numbers = {key: hops.get(key, 0) for key in common}
    by_hops: list[tuple[int | None, list[str]]] = [
        (number, [key for key in common if numbers[key] == number])
        for number in sorted({*numbers.values()})
    ]
    return WebQuestions(
        rules=rules,
        columns=tuple(columns),
        scores=tuple(
            HopScores(number, len(keys), tuple(len(column.named(keys)) for column in columns))
            for number, keys in (*by_hops, (None, common))
        ),
        differences=tuple(
            _difference(one, two, columns, common)
            for one, two in combinations(range(len(columns)), 2)
            if _belongs_together(columns, one, two)
        ),
        without_tools={
            place: column.named(common)
            for place, column in enumerate(columns)
            if column.settings.web == OFF
        },
        left_out=len({key for column in columns for key in column.ids}) - len(common),
    )


def _columns(numbering: Numbering, side: Side) -> Iterator[QuestionColumn]:
    """The columns of a side, one for each web category that it ran."""
    marks = [
        (*numbering.entries[number], mark) for number, mark in zip(side.numbers, side.marks, strict=True)
    ]
    for wanted in GROUPS["web_search"]:
        ids: dict[str, str] = {}
        of: dict[str, float] = {}
        for category, entry_id, mark in marks:
            if category == wanted:
                key = cluster_of(category, entry_id)
                ids[key], of[key] = entry_id, mark
        if ids:
            judged = {key for key, mark in of.items() if mark != UNJUDGED}
            right = {key for key, mark in of.items() if mark == RIGHT}
            yield QuestionColumn(side.label, wanted, side.settings, ids, judged, right)


def _belongs_together(columns: Sequence[QuestionColumn], one: int, two: int) -> bool:
    """Whether two columns are one side on both categories, or the first side and another on one category.

    Sides that ran different categories are compared, too.
    """
    first, second = columns[one], columns[two]
    if first.label == second.label or first.label != columns[0].label:
        return first.label == second.label
    categories = [
        {column.category for column in columns if column.label == label}
        for label in (first.label, second.label)
    ]
    return first.category == second.category or not set.intersection(*categories)


def _difference(
    one: int, two: int, columns: Sequence[QuestionColumn], common: Sequence[str]
) -> ColumnDifference:
    first, second = columns[one], columns[two]
    only_first = first.named(key for key in common if key not in second.right)
    only_second = second.named(key for key in common if key not in first.right)
    settings = list(setting_differences(first.settings, second.settings))
    if first.category != second.category:
        shown = ("on" if column.category == WITH_SNIPPETS else "off" for column in (first, second))
        settings.append(SettingDifference("snippets", *shown))
    number = len(common)
    return ColumnDifference(
        one,
        two,
        tuple(settings),
        (len(only_first) - len(only_second)) / number,
        difference_limits(len(only_first), len(only_second), number, number),
        only_first,
        only_second,
    )
