"""Web questions joined over sides and over the two web categories: experiments, question by question.

A column is one side on one web category, so that a model is compared with itself: with and without
snippets, with and without tools, with more and more failing fetches. Scores are over the questions that
have a verdict in every column, in total and by hops (annotated steps from a question to its answer). Each
question counts once in a column, so questions are independent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.judge.scoring.statistics.clustered import Limits, layout
from bfcl_pipeline.judge.scoring.statistics.paired import compare_paired
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
    """One side on one web category."""

    label: str  # of the side
    category: str
    settings: Settings

    def __str__(self) -> str:
        known = str(self.settings)
        return f"{self.label}, {self.category}" + (f" ({known})" if known else "")


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
    marks = {
        QuestionColumn(side.label, category, side.settings): found
        for side in sides
        for category, found in _by_category(numbering, side).items()
    }
    columns = tuple(marks)
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
    asked = set.union(*map(set, marks.values()))
    common = [
        key
        for key in next(iter(marks.values()))
        if all(_judged(of_column, key) for of_column in marks.values())
    ]
    if not common:
        raise TableError(
            f"{', '.join(map(str, columns))}: no web question has a verdict in all of them. Run the same "
            "questions in each."
        )
    right = [tuple(found[key][1] == RIGHT for key in common) for found in marks.values()]
    ids = [[found[key][0] for key in common] for found in marks.values()]
    return WebQuestions(
        rules=rules,
        columns=columns,
        scores=tuple(_scores([hops.get(key, 0) for key in common], right)),
        differences=tuple(
            _difference(one, two, columns, right, ids)
            for one, two in combinations(range(len(columns)), 2)
            if _belongs_together(columns, one, two)
        ),
        without_tools={
            place: _chosen(ids[place], right[place])
            for place, column in enumerate(columns)
            if column.settings.web == OFF
        },
        left_out=len(asked) - len(common),
    )


_Marks = Mapping[str, tuple[str, int]]
"""The id and the mark of each question of a column, by the key of its cluster."""


def _by_category(numbering: Numbering, side: Side) -> dict[str, _Marks]:
    found: dict[str, dict[str, tuple[str, int]]] = {}
    for number, mark in zip(side.numbers, side.marks, strict=True):
        category, entry_id = numbering.entries[number]
        if category in GROUPS["web_search"]:
            found.setdefault(category, {})[cluster_of(category, entry_id)] = entry_id, int(mark)
    return {category: found[category] for category in GROUPS["web_search"] if category in found}


def _judged(marks: _Marks, key: str) -> bool:
    return key in marks and marks[key][1] != UNJUDGED


def _scores(hops: Sequence[int], right: Sequence[Sequence[bool]]) -> Iterator[HopScores]:
    for number in sorted(set(hops)):
        places = [place for place, found in enumerate(hops) if found == number]
        yield HopScores(number, len(places), tuple(sum(of[place] for place in places) for of in right))
    yield HopScores(None, len(hops), tuple(map(sum, right)))


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
    one: int,
    two: int,
    columns: Sequence[QuestionColumn],
    right: Sequence[Sequence[bool]],
    ids: Sequence[Sequence[str]],
) -> ColumnDifference:
    first, second = np.array(right[one]), np.array(right[two])
    found = compare_paired(first, second, layout([0] * len(first), range(len(first))))
    settings = list(setting_differences(columns[one].settings, columns[two].settings))
    if columns[one].category != columns[two].category:
        shown = ("on" if columns[place].category == WITH_SNIPPETS else "off" for place in (one, two))
        settings.append(SettingDifference("snippets", *shown))
    return ColumnDifference(
        one,
        two,
        tuple(settings),
        float(found.of.mean[0]),
        found.limits[0],
        _chosen(ids[one], (first & ~second).tolist()),
        _chosen(ids[two], (second & ~first).tolist()),
    )


def _chosen(ids: Sequence[str], chosen: Sequence[bool]) -> tuple[str, ...]:
    return tuple(entry_id for entry_id, wanted in zip(ids, chosen, strict=True) if wanted)
