"""Comparisons of planted and of staged verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Rules, Status
from bfcl_pipeline.benchmark.tables import read_table, write_table
from bfcl_pipeline.benchmark.tables.schemas import VERDICTS
from bfcl_pipeline.judge.scoring.aggregate import Count, leaderboard_scores
from bfcl_pipeline.judge.scoring.statistics.paired import mcnemar
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.compare.compare import Comparer, Comparison, ScoreDifference
from bfcl_pipeline.show.compare.sides import RIGHT, WRONG, Choice, read_sides
from bfcl_pipeline.show.compare.text import comparison_text
from tests.support.synthetic_run import MadeUpModel, Marks, marks, write_run


def compared(
    run: Path, first: str, second: str, rules: Rules = Rules.OFFICIAL, common: bool = False
) -> Comparison:
    """The comparison of two models of one run."""
    numbering, sides = read_sides([Choice(Run(run), first), Choice(Run(run), second)], rules)
    return Comparer(numbering, rules, common).compare(*sides)


def two(folder: Path, first: Mapping[str, Marks], second: Mapping[str, Marks]) -> Path:
    """A run of the models `a` and `b`."""
    return write_run(folder, [MadeUpModel("a", first), MadeUpModel("b", second)])


def multiple(found: Comparison) -> ScoreDifference:
    """The score of the category of most tests."""
    score = found.of("multiple")
    assert score is not None
    return score


def write_verdicts(run: Path, model: str, entries: Sequence[Entry], valid: Sequence[bool]) -> None:
    """A table of verdicts of one model on real entries, under official rules."""
    rows = [
        {
            "run": "planted",
            "model": model,
            "category": entry.category,
            "entry_id": entry.entry_id,
            "mode": "fc",
            "rules": "official",
            "valid": right,
            "status": Status.ANSWERED.value,
        }
        for entry, right in zip(entries, valid, strict=True)
    ]
    write_table(run / "verdicts" / f"{model}.parquet", pa.Table.from_pylist(rows, schema=VERDICTS))


@pytest.fixture
def planted(tmp_path: Path, entries: Callable[[str], list[Entry]]) -> Path:
    """A run of two models on the whole benchmark; verdicts depend on the question and the model."""
    asked = [
        entry
        for name, category in CATEGORIES.items()
        if category.scored
        for entry in entries(name)
        if not entry.prerequisite
    ]
    random = np.random.default_rng(14)
    base = random.random(len(asked)) < 0.6
    flip = random.random(len(asked)) < 0.1
    write_verdicts(tmp_path, "new", asked, (base ^ flip).tolist())
    write_verdicts(tmp_path, "old", asked, base.tolist())
    return tmp_path


def test_the_scores_are_those_of_the_leaderboard(planted: Path) -> None:
    """Each accuracy equals the leaderboard's, and the difference is that of the two."""
    found = compared(planted, "new", "old")
    numbering, sides = read_sides([Choice(Run(planted))], Rules.OFFICIAL)
    for side, accuracy in ((sides[0], "first"), (sides[1], "second")):
        counts = dict.fromkeys(CATEGORIES, Count(0, 0))
        for number, mark in zip(side.numbers, side.marks, strict=True):
            name = numbering.entries[number][0]
            counts[name] = Count(counts[name].answered + 1, counts[name].correct + int(mark))
        scores = leaderboard_scores(counts)
        for row in found.scores:
            assert getattr(row, accuracy) == pytest.approx(scores[row.score].accuracy, abs=1e-12)
    assert all(row.difference == pytest.approx(row.first - row.second, abs=1e-12) for row in found.scores)
    assert all(row.low <= row.difference <= row.high for row in found.scores)
    assert all(row.complete for row in found.scores)


def test_the_clusters_of_the_release_are_used(planted: Path) -> None:
    """The scores have the clusters of the release's scenarios and questions."""
    found = compared(planted, "new", "old")
    clusters = {row.score: row.clusters for row in found.scores}
    assert clusters["live"] == 451
    assert clusters["multi_turn"] == 200
    assert clusters["memory"] == 155
    assert clusters["web_search"] == 100
    assert clusters["live_irrelevance"] == 369
    memory = found.of("memory")
    assert memory is not None
    assert found.memory_range is not None
    assert found.memory_range.scenarios == 5
    assert found.memory_range.low < memory.difference < found.memory_range.high


def test_swapping_the_sides_mirrors_everything(planted: Path) -> None:
    """The second minus the first is minus the first minus the second, with mirrored limits and flips."""
    one, other = compared(planted, "new", "old"), compared(planted, "old", "new")
    for here, there in zip(one.scores, other.scores, strict=True):
        assert there.difference == pytest.approx(-here.difference)
        assert (there.low, there.high) == pytest.approx((-here.high, -here.low))
        assert (there.only_first, there.holm_p) == (here.only_second, pytest.approx(here.holm_p))
    assert [flip.entry_id for flip in one.flips] == [flip.entry_id for flip in other.flips]
    assert all(a.first_right is not b.first_right for a, b in zip(one.flips, other.flips, strict=True))


def test_flips_are_the_entries_that_one_side_has_right(tmp_path: Path) -> None:
    """Each direction has its entries, and the exact test counts them."""
    first, second = Marks([True, True, False, True, False]), Marks([True, False, False, False, True])
    found = compared(two(tmp_path, {"multiple": first}, {"multiple": second}), "a", "b")
    flips = {flip.entry_id: flip.first_right for flip in found.flips}
    assert flips == {"multiple_1": True, "multiple_3": True, "multiple_4": False}
    row = multiple(found)
    assert (row.only_first, row.only_second, row.mcnemar_p) == (2, 1, mcnemar(2, 1))
    assert row.difference == pytest.approx(0.2)


def test_entries_without_a_verdict_are_in_no_score(tmp_path: Path) -> None:
    """An outage on one side takes the entry out of both scores and is counted."""
    first, second = Marks([True, None, True, None]), Marks([True, False, None, None])
    found = compared(two(tmp_path, {"multiple": first}, {"multiple": second}), "a", "b")
    row = multiple(found)
    assert (row.entries, row.first, row.second, found.unjudged) == (1, 1.0, 1.0, 3)


def test_entries_without_a_verdict_are_tested_and_bound_the_difference(tmp_path: Path) -> None:
    """Ten that only the first lacks: numbers of each side, an exact test, the extremes, what they turn."""
    first, second = Marks([None] * 10 + [True] * 90), Marks([True] * 10 + [False] * 8 + [True] * 82)
    run = two(tmp_path, {"multiple": first}, {"multiple": second})
    found = compared(run, "a", "b")
    assert found.omitted is not None
    assert (found.omitted.first, found.omitted.second, found.omitted.p) == (10, 0, mcnemar(10, 0))
    row = multiple(found)
    assert row.difference == pytest.approx(8 / 90)
    extremes = [each["multiple"].difference for each in (found.omitted.against, found.omitted.favour)]
    assert extremes == pytest.approx([-2 / 100, 8 / 100])
    assert found.omitted.turns(row)
    text = comparison_text(found, 0)
    assert "No verdict: A 10, B 0; exact test of the difference: p 0.002." in text
    assert "These could turn overall, non_live, multiple (--omitted worst counts them against A)." in text
    numbering, sides = read_sides([Choice(Run(run), "a"), Choice(Run(run), "b")], Rules.OFFICIAL)
    worst = Comparer(numbering, Rules.OFFICIAL, worst=True).compare(*sides).of("multiple")
    assert worst == found.omitted.against["multiple"]


def test_a_score_without_all_its_categories_is_incomplete(tmp_path: Path) -> None:
    """The overall of a run of one category says so; groups without any category are absent."""
    found = compared(two(tmp_path, {"multiple": marks(3, 1)}, {"multiple": marks(3, 1)}), "a", "b")
    complete = [(row.score, row.complete) for row in found.scores]
    assert complete == [("overall", False), ("non_live", False), ("multiple", True)]


def test_p_values_are_adjusted_over_the_scored_categories(tmp_path: Path) -> None:
    """With two tested categories the smaller p-value is doubled."""
    first, second = marks(10), marks(0, 10)
    same = {"parallel": marks(5)}
    found = compared(two(tmp_path, {"multiple": first, **same}, {"multiple": second, **same}), "a", "b")
    assert [row.holm_p for row in found.scores if row.holm_p is not None] == [2 * mcnemar(10, 0), 1.0]


@pytest.mark.parametrize(
    ("first", "second", "message", "left_out"),
    [
        (
            {"multiple": 3, "parallel": 2},
            {"multiple": 3},
            r"differ in categories: only a has parallel\. .*--common",
            {"parallel": 2},
        ),
        (
            {"multiple": 9},
            {"multiple": 4},
            r"b lacks 5 entries of the other \(multiple_4, multiple_5, multiple_6 and 2 more",
            {"multiple": 5},
        ),
        # Models in FC mode have no format sensitivity; they are compared with those in prompt mode.
        ({"multiple": 3, "format_sensitivity": 26}, {"multiple": 3}, "", {"format_sensitivity": 26}),
    ],
)
def test_what_one_side_did_not_run_is_refused_or_left_out(
    first: dict[str, int], second: dict[str, int], message: str, left_out: dict[str, int], tmp_path: Path
) -> None:
    """Scored categories and entries are refused, whichever side lacks them; or counted, with `common`."""
    sides = [{name: marks(count) for name, count in counts.items()} for counts in (first, second)]
    run = two(tmp_path, *sides)
    for pair in (("a", "b"), ("b", "a")) if message else ():
        with pytest.raises(TableError, match=message):
            compared(run, *pair)
    found = compared(run, "a", "b", common=bool(message))
    assert (found.scores[-1].score, multiple(found).entries) == ("multiple", second["multiple"])
    assert found.left_out == left_out


def test_each_rule_set_has_its_verdicts(tmp_path: Path) -> None:
    """Corrected verdicts are compared under corrected rules, and entries left out are not compared."""
    first = Marks([True, True], corrected=[True, False], left_out=[0])
    run = two(tmp_path, {"multiple": first}, {"multiple": Marks([True, True], left_out=[0])})
    flips = {rules: len(compared(run, "a", "b", rules).flips.numbers) for rules in Rules}
    assert flips == {Rules.OFFICIAL: 0, Rules.CORRECTED: 1, Rules.VERIFIED: 1}
    assert multiple(compared(run, "a", "b", Rules.VERIFIED)).entries == 1


def test_two_verdicts_on_one_entry_are_refused(tmp_path: Path) -> None:
    """A model whose entry has two verdicts is refused, naming the entry."""
    run = write_run(tmp_path, [MadeUpModel("a", {"multiple": marks(3)})])
    table = run / "verdicts" / "a.parquet"
    table.rename(run / "verdicts" / "b.parquet")
    write_run(tmp_path, [MadeUpModel("a", {"multiple": marks(3)})])
    with pytest.raises(TableError, match=r"entry 'multiple_0' of model 'a' has several verdicts"):
        read_sides([Choice(Run(run))], Rules.OFFICIAL)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("valid", math.nan, "column 'valid' has numbers"),
        ("entry_id", ["multiple_0"], "not of the documented type"),
        ("category", ["multiple"], "not of the documented type"),
        ("rules", None, "not of the documented type"),
        ("model", ["a"], "not of the documented type"),
    ],
)
def test_columns_of_another_type_are_refused(
    tmp_path: Path, column: str, value: object, message: str
) -> None:
    """A table from elsewhere is not read as if NaN were a valid answer, and no row is guessed."""
    run = write_run(tmp_path, [MadeUpModel("a", {"multiple": Marks([True])})])
    path = run / "verdicts/a.parquet"
    table = read_table(path)
    values = pa.array([value] * len(table))
    write_table(path, table.set_column(table.column_names.index(column), column, values))
    with pytest.raises(TableError, match=message):
        read_sides([Choice(Run(run))], Rules.OFFICIAL)


def test_verdicts_as_text_are_read_as_what_they_say(tmp_path: Path) -> None:
    """The text `false`, as some programs write it, is a wrong answer."""
    run = write_run(tmp_path, [MadeUpModel("a", {"multiple": Marks([False, True])})])
    path = run / "verdicts/a.parquet"
    table = read_table(path)
    texts = table.column("valid").cast(pa.string())
    write_table(path, table.set_column(table.column_names.index("valid"), "valid", texts))
    assert read_sides([Choice(Run(run))], Rules.OFFICIAL)[1][0].marks.tolist() == [WRONG, RIGHT]
