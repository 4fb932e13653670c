"""The tables on the three rule sets: errata, ceilings, mended and left-out entries, and their sections."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.errata import Erratum, ErratumStatus, Faithful
from bfcl_pipeline.benchmark.errata.edits import Edit
from bfcl_pipeline.benchmark.errata.faithful_answers import Passing
from bfcl_pipeline.benchmark.records import AnswerClass, Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.run_tables import read_run_tables
from bfcl_pipeline.show.report.tables import aggregate_run, errata_tables
from bfcl_pipeline.show.report.terminal import terminal_table
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks
from tests.support.written_run import page_of, rows

MEND = (Edit(("ground_truth", 0), "replace", "a", "b"),)


def erratum(entry_id: str, status: str = "confirmed", faithful: str = "fails", **more: Any) -> Erratum:
    given = {"defect": "truth", "what": f"{entry_id} is wrong.", "why": "Why.", "evidence": "true", **more}
    return Erratum(entry_id, status=ErratumStatus(status), faithful=Faithful(faithful), **given)


LEDGER = (
    erratum("multiple_0", edits=MEND, record="mine.yaml, record 1"),
    erratum("multiple_1"),
    erratum("multiple_1", defect="calendar"),
    erratum("multiple_2", status="disputed", faithful="may pass"),
    erratum("multiple_3", status="rejected", faithful="passes", record="mine.yaml, record 2"),
    erratum("parallel_99"),
    erratum("parallel_1", status="rejected"),
)


OWN = tuple(one for one in LEDGER if one.record)
"""The records of the run's own file."""


PASSING = {
    "multiple_0": Passing(2, {Rules.OFFICIAL: 0, Rules.CORRECTED: 0, Rules.VERIFIED: 2}),
    "multiple_1": Passing(1, {Rules.OFFICIAL: 0, Rules.CORRECTED: 0}),
    "multiple_2": Passing(2, dict.fromkeys(Rules, 1)),
    "parallel_1": Passing(1, {Rules.OFFICIAL: 0, Rules.CORRECTED: 1, Rules.VERIFIED: 1}),
    "parallel_99": Passing(1, dict.fromkeys(Rules, 0)),
}
"""Faithful answers to entries of the run, and to one that was not asked."""


NAMED = (
    "Verified scores use the errata of mine.yaml on 2 entries: multiple_0 (mended), multiple_3 (as it is)."
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models on four entries of which one is mended, one left out, one disputed and one right."""
    wrong = Marks([False] * 4, verified=[True, False, False, False], left_out=[1])
    right = Marks([True, True, True, None], verified=[False, True, True, None], left_out=[1])
    models = [
        MadeUpModel("wrong", {"multiple": wrong, "parallel": marks(2)}),
        MadeUpModel("right", {"multiple": right}),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(errata_tables, "errata", lambda: LEDGER)
        patch.setattr(
            errata_tables,
            "errata_of_id",
            lambda entry_id, base=None: tuple(one for one in LEDGER if one.entry_id in (entry_id, base)),
        )
        patch.setattr(errata_tables, "own_errata", lambda: OWN)
        patch.setattr(aggregate_run, "passing_in_use", lambda data: PASSING)
        return made_up_tables(tmp_path_factory.mktemp("views"), models)


def test_left_out_entries_count_nowhere(run: Path) -> None:
    """Under verified rules a left-out entry is neither asked, nor answered, nor without an answer."""
    (row,) = rows(run, "categories", model="right", category="multiple", rules="verified")
    assert (row["entries"], row["answered"], row["correct"], row["not_answered"]) == (3, 2, 1, 1)
    (row,) = rows(run, "leaderboard", model="wrong", rules="verified")
    assert (row["entries"], row["answered"], row["not_answered"]) == (5, 5, 0)
    assert {row["status"] for row in rows(run, "coverage")} == {"answered", "infrastructure_error"}


def test_rules_says_what_verified_rules_changed(run: Path) -> None:
    """Mended and left-out entries are counted, and the verdicts that mending changed in each direction."""
    columns = ("verified_accuracy", "left_out", "mended", "verified_to_valid", "verified_to_invalid")
    found = {
        (row["model"], row["category"]): tuple(row[name] for name in columns) for row in rows(run, "rules")
    }
    assert found == {
        ("right", "multiple"): (0.5, 1, 1, 0, 1),
        ("wrong", "multiple"): (1 / 3, 1, 1, 1, 0),
        ("wrong", "parallel"): (1.0, 0, 0, 0, 0),
    }


def test_errata_has_the_verdicts_on_each_listed_entry(run: Path) -> None:
    """Each confirmed or disputed erratum of an entry that ran has a row per model, with three verdicts."""
    columns = ("entry_id", "defect", "treatment", "official_valid", "corrected_valid", "verified_valid")
    found = [tuple(row[name] for name in columns) for row in rows(run, "errata", model="wrong")]
    assert found == [
        ("multiple_0", "truth", "mended", False, False, True),
        ("multiple_1", "truth", "left out", False, False, None),
        ("multiple_1", "calendar", "left out", False, False, None),
        ("multiple_2", "truth", "as it is", False, False, False),
    ]
    assert {row["model"] for row in rows(run, "errata")} == {"right", "wrong"}


def test_corrections_add_up_to_the_verified_score(run: Path) -> None:
    """Rules, truths and left-out entries each have their part: the verdict on the mended entry turned."""
    parts = ("official", "from_rules", "from_truths", "from_left_out")
    found = {row["model"]: row for row in rows(run, "corrections", score="multiple")}
    for model, shares in {"right": (1.0, 0.0, -1 / 3, -1 / 6), "wrong": (0.0, 0.0, 1 / 4, 1 / 12)}.items():
        row = found[model]
        assert [row[name] for name in parts] == pytest.approx(shares), model
        assert row["verified"] == pytest.approx(sum(shares))
        assert row["disputed"] == 1
    assert [found[model]["undisputed"] for model in ("right", "wrong")] == [0.0, 0.5]
    everything = rows(run, "corrections")
    assert all(sum(row[name] for name in parts) == pytest.approx(row["verified"]) for row in everything)


def test_a_ceiling_is_the_share_of_faithful_answers_that_pass(run: Path) -> None:
    """Of an entry counts the share; it is unreachable if none passes, and left out it counts nowhere."""
    columns = ("entries", "unreachable", "ceiling")
    found = {
        (row["rules"], row["score"]): tuple(row[name] for name in columns) for row in rows(run, "ceilings")
    }
    assert found["official", "multiple"] == found["corrected", "multiple"] == (4, 2, 0.375)
    assert found["verified", "multiple"] == (3, 0, pytest.approx(2.5 / 3))
    assert found["official", "parallel"] == (2, 1, 0.5)
    assert found["corrected", "parallel"] == (2, 0, 1.0)
    assert found["official", "overall"] == (6, 3, pytest.approx(0.1 * 0.875 / 4))
    assert ("official", "live") not in found


def test_the_rate_of_unlisted_defects_stands_beside_the_ceiling(run: Path) -> None:
    """It is in each row, and within its interval."""
    for row in rows(run, "ceilings"):
        assert 0 < row["unlisted_low"] < row["unlisted"] < row["unlisted_high"] < 0.1


CLASSES = {
    "irrelevance": (
        AnswerClass.ABSTAINED_IN_WORDS,
        AnswerClass.EMPTY,
        AnswerClass.MALFORMED_CALL,
        AnswerClass.CALLED,
    ),
    "memory_kv": (
        AnswerClass.RIGHT,
        AnswerClass.WRONG,
        AnswerClass.HEDGE,
        AnswerClass.ABSTAINED,
        AnswerClass.NO_ANSWER_FORM,
    ),
}


@pytest.fixture(scope="module")
def classed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with one answer of each class, and a second one of the last class without a verdict."""
    asked = {
        "irrelevance": Marks(
            [True, True, True, False, False], classes=[*CLASSES["irrelevance"], AnswerClass.CALLED]
        ),
        "memory_kv": Marks([True, False, False, False, False], classes=CLASSES["memory_kv"]),
        "multiple": marks(1),
    }
    return made_up_tables(tmp_path_factory.mktemp("classed"), [MadeUpModel("m", asked)])


def test_irrelevance_has_the_four_shares(classed: Path) -> None:
    """Counts and shares of the classes add up to the answered entries, for each rule set."""
    found = rows(classed, "irrelevance")
    assert [row["rules"] for row in found] == [rules.value for rules in Rules]
    names = ("abstained_in_words", "empty", "malformed_call", "called")
    for row in found:
        assert row["answered"] == 5
        assert [row[name] for name in names] == [1, 1, 1, 2]
        assert [row[f"{name}_share"] for name in names] == [0.2, 0.2, 0.2, 0.4]


def test_agentic_answers_are_counted_by_class(classed: Path) -> None:
    """Each class of answers to agentic questions has its count."""
    row = rows(classed, "answers", rules="official")[0]
    assert (row["category"], row["answered"]) == ("memory_kv", 5)
    assert [row[name] for name in ("right", "wrong", "hedge", "abstained", "no_answer_form")] == [
        1,
        1,
        1,
        1,
        1,
    ]


def views_of(text: str) -> list[list[str]]:
    """The words of each line beneath the V4 table and its notes."""
    return [line.split() for line in text.partition("\n\n")[2].splitlines()]


def test_the_terminal_has_the_overall_by_rules_and_its_ceiling(run: Path) -> None:
    """Under the V4 table stand three scores per model, the ceilings, and what verified rules changed."""
    head, first, second, ceiling, note, steps, unlisted, own = views_of(
        terminal_table(Run(run), Rules.OFFICIAL)
    )
    assert " ".join(head) == (
        "Overall by rules Official Corrected Verified Rules Truths Left out Undisputed"
    )
    assert first == ["right", "2.50*", "2.50*", "1.25*", "0.00", "-0.83", "-0.42", "0.00"]
    assert second == ["wrong", "2.50*", "2.50*", "3.33*", "0.00", "+0.62", "+0.21", "3.75"]
    assert ceiling == ["Ceiling", "2.19", "3.44", "4.58", *["N/A"] * 4]
    assert unlisted[:4] == ["Entries", "without", "an", "erratum:"]
    assert " ".join(steps).startswith("Rules, truths, left out: points of each.")
    assert " ".join(note) == "Verified: corrected rules; 1 entry mended, 1 left out (docs/errata.md)."
    assert " ".join(own) == NAMED


def test_verified_scores_name_the_own_errata_beside_them(run: Path, page: str) -> None:
    """The notes under a verified table and both pages have file and entries, as has a table of its own."""
    assert f"\n{NAMED}\n" in terminal_table(Run(run), Rules.VERIFIED)
    assert NAMED in section(page, "rules")
    assert page.count(NAMED) == 1
    assert page_of(run, Rules.VERIFIED).count(NAMED) == 2
    columns = ("file", "entry_id", "status", "treatment")
    assert [tuple(row[name] for name in columns) for row in rows(run, "own_errata")] == [
        ("mine.yaml", "multiple_0", "confirmed", "mended"),
        ("mine.yaml", "multiple_3", "rejected", "as it is"),
    ]


def test_the_terminal_has_no_views_of_one_rule_set(run: Path, tmp_path: Path) -> None:
    """Of a leaderboard with official scores alone nothing is printed beneath the notes."""
    shutil.copytree(run, tmp_path / "run")
    path = tmp_path / "run/tables/leaderboard.csv"
    header, *lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([header, *(line for line in lines if ",official," in line)]))
    assert views_of(terminal_table(Run(tmp_path / "run"), Rules.OFFICIAL)) == []


def test_a_missing_column_names_the_command_that_makes_the_tables_again(run: Path, tmp_path: Path) -> None:
    """A table that lacks a column is an error with `bfcl-pipeline aggregate`."""
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    path = copy / "tables" / "rules.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["verified_accuracy"]), path)
    with pytest.raises(
        TableError, match=rf"'verified_accuracy' is missing.*bfcl-pipeline aggregate {copy}"
    ):
        read_run_tables(Run(copy), Rules.OFFICIAL)


def test_the_terminal_lists_only_the_ceilings_of_many_models(tmp_path: Path) -> None:
    """With more than ten models their scores by rules are left out, so that the table stays short."""
    models = [MadeUpModel(f"m{number:02}", {"multiple": marks(1)}) for number in range(11)]
    lines = views_of(terminal_table(Run(made_up_tables(tmp_path, models)), Rules.OFFICIAL))
    assert [line[0] for line in lines] == ["Overall", "Ceiling", "Entries"]


def section(page: str, name: str) -> str:
    """The text of one section of the page, tags as spaces."""
    (found,) = re.findall(rf'<section id="{name}">.*?</section>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", found).split())


@pytest.fixture(scope="module")
def page(run: Path) -> str:
    """The page of the run with errata."""
    return page_of(run)


def test_the_page_has_the_scores_by_rules_with_their_ceilings(page: str) -> None:
    """Each model has a row for each rule set, in the order of ranks, and each rule set its ceiling."""
    (table,) = re.findall(r'<table class="sortable views">.*?</table>', page, re.DOTALL)
    rows = [re.sub(r"<small>.*?</small>|<[^>]*>", " ", row).split() for row in table.split("<tr>")[2:]]
    assert [row[:3] for row in rows] == [
        ["right", "official", "2.50*"],
        ["right", "corrected", "2.50*"],
        ["right", "verified", "1.25*"],
        ["wrong", "official", "2.50*"],
        ["wrong", "corrected", "2.50*"],
        ["wrong", "verified", "3.33*"],
        ["Ceiling", "official", "2.19"],
        ["Ceiling", "corrected", "3.44"],
        ["Ceiling", "verified", "4.58"],
    ]
    assert 'title="2 of 6 entries: no faithful answer passes">3.44<' in table


def test_the_page_says_what_was_mended_and_left_out(page: str) -> None:
    """The section counts these entries, and lists each defect with the models that failed the entry."""
    text = section(page, "rules")
    assert "Verified rules: entries mended: 1, left out: 1." in text
    assert "(1 as they are, 1 mended, 1 left out)" in text
    assert "multiple_0 multiple_0 is wrong. truth confirmed mended 1 of 2 1 of 2 1 of 2" in text
    assert "multiple_1 multiple_1 is wrong. calendar confirmed left out 1 of 2 1 of 2 \N{EN DASH}" in text
    assert "multiple_3 is wrong" not in text


def test_a_wrong_answer_on_a_listed_entry_is_marked_on_the_page(page: str) -> None:
    """The example of an error has a mark with the defect as its tooltip, and a line explains the mark."""
    title = "defect of the entry: multiple_0 is wrong."
    marked = f'<td data-value="multiple_0" title="{title}"><code><span data-entry>multiple_0'
    assert marked in page
    assert "\N{DOUBLE DAGGER} The entry has a confirmed or disputed defect" in section(page, "errors")


def test_the_page_has_the_classes_of_answers(classed: Path, page: str) -> None:
    """Irrelevance and agentic answers have a section with the share of each class, if there are any."""
    of_classed = page_of(classed)
    assert "m irrelevance 5 20.00 % 1 20.00 % 1 20.00 % 1 40.00 % 2" in section(of_classed, "irrelevance")
    assert "m memory_kv 5 20.00 % 1 20.00 % 1 20.00 % 1 20.00 % 1 20.00 % 1" in section(
        of_classed, "answers"
    )
    assert "\N{DOUBLE DAGGER}" not in of_classed
    assert 'id="irrelevance"' not in page
    assert 'id="answers"' not in page


def test_a_table_without_rows_is_not_written(run: Path, classed: Path) -> None:
    """A run without classed answers has no table of them, a run without listed entries none of errata."""
    written = {path.stem for path in (run / "tables").glob("*.csv")}
    assert {"ceilings", "corrections", "errata", "own_errata"} < written
    assert not {"irrelevance", "answers", "unread_calls"} & written
    assert not (classed / "tables" / "errata.csv").exists()
