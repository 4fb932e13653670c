"""The tables of trials, their section on the page and their lines in the terminal."""

from __future__ import annotations

import math
import statistics
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.statistics.clustered import wilson
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.comparison import MOST_FLAKY
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run
from bfcl_pipeline.show.report.tables.trials import read_trials
from bfcl_pipeline.show.report.terminal import terminal_table
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks
from tests.support.written_run import page_of, rows

TRIAL_TABLES = ("trials", "pass_k", "flaky")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with three trials, the last without one category, and a model with one."""
    web = {"web_search_base": "simulated"}
    models = [
        MadeUpModel("priced", {"multiple": marks(2, 2), "web_search_base": marks(1)}, webs=web),
        MadeUpModel("priced~2", {"multiple": marks(3, 1), "web_search_base": marks(0, 1)}, webs=web),
        MadeUpModel("priced~3", {"multiple": marks(4)}),
        MadeUpModel("oracle", {"multiple": marks(1)}),
    ]
    return made_up_tables(tmp_path_factory.mktemp("trials"), models)


def section(run: Path) -> str:
    """The section on trials of the page."""
    page = page_of(run)
    return page[page.index('<section id="trials">') :].split("</section>")[0]


def test_scores_have_their_mean_and_spread(run: Path) -> None:
    """Accuracies of 0.5, 0.75 and 1 have a mean of 0.75 and a standard deviation of 0.25."""
    # Of four entries two are right in every trial, one in two of three and one in one of three.
    variance = statistics.variance([1, 1, 2 / 3, 1 / 3]) / 4
    within = (2 * (1 / 3) / 3) / 4**2  # two entries with a sample variance of 1/3, over three trials
    limits = wilson(0.75, 0.75 * 0.25 * 4 / 3 / variance)
    found = {row["score"]: row for row in rows(run, "trials", rules="official")}
    assert found["multiple"] == {
        "run": "made-up",
        "rules": "official",
        "model": "priced",
        "score": "multiple",
        "trials": 3,
        "mean": 0.75,
        "std": pytest.approx(0.25),
        "min": 0.5,
        "max": 1.0,
        "ci_low": pytest.approx(limits.low),
        "ci_high": pytest.approx(limits.high),
        "between": pytest.approx(math.sqrt(variance - within)),
        "within": pytest.approx(math.sqrt(within)),
        "entries": 4,
        "flaky": 2,
    }
    every = pq.read_table(run / "tables/trials.parquet").to_pylist()
    assert [row["mean"] for row in every if row["score"] == "multiple"] == [0.75] * 3  # rule sets


def test_a_trial_without_a_score_is_left_out_of_its_mean(run: Path) -> None:
    """Two of three trials have the web category; a score of no trial has no row."""
    found = {row["score"]: row for row in rows(run, "trials", rules="official")}
    assert (found["web_search_base"]["trials"], found["web_search_base"]["mean"]) == (2, 0.5)
    assert "memory" not in found


def test_a_score_whose_trials_lack_categories_has_no_interval(run: Path) -> None:
    """The overall score of the trial without web search counts it 0; both trials of web search have it."""
    found = {row["score"]: row for row in rows(run, "trials", rules="official")}
    assert (found["overall"]["ci_low"], found["overall"]["between"]) == (None, None)
    assert (found["overall"]["entries"], found["overall"]["flaky"]) == (5, 3)
    assert found["web_search"]["within"] == pytest.approx(0.5 * math.sqrt(0.5 / 2))


def test_the_chance_of_repeated_success(run: Path) -> None:
    """pass^k and pass@k are means over entries of shares of subsets of k trials; groups are weighted."""
    found = {(row["score"], row["k"]): row for row in rows(run, "pass_k", rules="official")}
    shown = [(found["multiple", k]["pass_k"], found["multiple", k]["pass_at_k"]) for k in (1, 2, 3)]
    assert shown == [
        pytest.approx((0.75, 0.75)),
        pytest.approx(((1 + 1 + 1 / 3 + 0) / 4, (1 + 1 + 1 + 2 / 3) / 4)),
        pytest.approx((0.5, 1.0)),
    ]
    for row in found.values():
        assert row["ci_low"] <= row["pass_k"] <= row["ci_high"]
    assert found["non_live", 3]["pass_k"] == pytest.approx(0.5 / 4)
    once = next(row for row in rows(run, "trials", rules="official") if row["score"] == "multiple")
    for limit in ("ci_low", "ci_high"):
        assert found["multiple", 1][limit] == pytest.approx(once[limit])


def test_repetitions_end_where_a_category_has_fewer(run: Path) -> None:
    """One trial lacks web search, so no score with it has three repetitions."""
    found = [(row["score"], row["k"]) for row in rows(run, "pass_k", rules="official")]
    for name, trials in (("web_search_base", 2), ("overall", 2), ("multiple", 3)):
        assert [k for score, k in found if score == name] == list(range(1, trials + 1))


def test_flaky_entries_are_listed(run: Path) -> None:
    """They are those with different verdicts, in benchmark order, with the trials that are right."""
    assert [
        (row["entry_id"], row["trials"], row["right"]) for row in rows(run, "flaky", rules="official")
    ] == [
        ("multiple_2", 3, 2),
        ("multiple_3", 3, 1),
        ("web_search_base_0", 2, 1),
    ]
    assert {(row["model"], row["run"]) for row in rows(run, "flaky", rules="official")} == {
        ("priced", "made-up")
    }


def test_an_entry_without_a_verdict_in_a_trial_counts_with_the_others(tmp_path: Path) -> None:
    """It is neither wrong nor flaky because of the missing verdict, and not in pass^2."""
    first, second = Marks([True, None, False, None]), Marks([True, True, True, None])
    models = [MadeUpModel("priced", {"multiple": first}), MadeUpModel("priced~2", {"multiple": second})]
    run = made_up_tables(tmp_path, models)
    of_category = next(row for row in rows(run, "trials", rules="official") if row["score"] == "multiple")
    assert (of_category["entries"], of_category["flaky"]) == (2, 1)
    found = {
        row["k"]: (row["entries"], row["pass_k"])
        for row in rows(run, "pass_k", rules="official")
        if row["score"] == "multiple"
    }
    assert found == {1: (3, pytest.approx(2.5 / 3)), 2: (2, pytest.approx(0.5))}


def test_verdicts_in_other_order_give_the_same_tables(tmp_path: Path) -> None:
    """The order of the categories of a trial and the order in which trials were run do not matter."""
    marked = {"multiple": Marks([True, False, True]), "live_simple": Marks([True, None])}
    flipped = {"multiple": Marks([True, True, False]), "live_simple": Marks([False, True])}
    backwards = {name: marked[name] for name in reversed(marked)}
    one = made_up_tables(tmp_path / "one", [MadeUpModel("a", marked), MadeUpModel("a~2", flipped)])
    other = made_up_tables(tmp_path / "other", [MadeUpModel("a~2", flipped), MadeUpModel("a", backwards)])
    for name in TRIAL_TABLES:
        assert (one / f"tables/{name}.csv").read_text() == (other / f"tables/{name}.csv").read_text()


def test_questions_of_a_memory_scenario_share_what_is_random() -> None:
    """The sessions of a trial filled one memory for all of them; other entries share nothing."""
    entries = [("memory_kv", f"memory_kv_{number}-customer-{number}") for number in range(3)]
    entries += [("multiple", "multiple_0"), ("multiple", "multiple_1")]
    categories, ids = zip(*entries, strict=True)
    frames = [
        pl.DataFrame({"category": categories, "entry_id": ids, "valid": [valid] * 5})
        for valid in (True, False)
    ]
    found = read_trials(frames)
    assert found is not None
    draw = dict(zip(found.entries, found.repeated.draw.tolist(), strict=True))
    assert len({draw[entry] for entry in entries[:3]}) == 1
    assert len(set(draw.values())) == 3


def test_each_trial_is_a_model_of_the_leaderboard(run: Path) -> None:
    """Each trial has a row with its own name and the properties of its model."""
    shown = {row["model"]: (row["display_name"], row["kind"]) for row in rows(run, "leaderboard")}
    assert shown["priced"] == ("priced", "openai_chat")
    assert shown["priced~2"] == ("priced (trial 2)", "openai_chat")
    assert shown["priced~3"] == ("priced (trial 3)", "openai_chat")


def test_the_page_shows_mean_deviation_and_limits(run: Path) -> None:
    """The section has the columns and marks of the leaderboard."""
    first = section(run).split("</table>")[0]
    assert first.count('scope="row"') == 1
    limits = next(row for row in rows(run, "trials", rules="official") if row["score"] == "non_live")
    shown = f"{limits['ci_low'] * 100:.1f}–{limits['ci_high'] * 100:.1f}"
    assert f"18.75* ± 6.25<small>{shown}</small>" in first  # non-live: multiple is a quarter of it
    assert 'title="lowest and highest: 12.5–25.0"' in first
    assert "25.00*† ± 35.36" in first  # web search: half of two categories, in one of two trials


def test_the_page_shows_repetitions_and_flaky_entries(run: Path) -> None:
    """One line for each model, and a folded list of entries."""
    _, second, folded, _ = section(run).split("</table>")
    assert second.count('scope="row"') == 1
    assert "Pass^2" in second
    assert "Pass@2" in second
    assert ">3<small>of 5</small>" in second  # flaky entries
    assert "(3)</summary>" in folded
    assert folded.count("<code>") == 3


def test_the_page_names_a_bounded_number_of_flaky_entries(tmp_path: Path) -> None:
    """Where there are more it names the table that has all."""
    asked = MOST_FLAKY + 1
    models = [
        MadeUpModel(name, {"multiple": marks(*counts)})
        for name, counts in {
            "a": (asked,),
            "a~2": (0, asked),
            "b": (asked,),
            "b~2": (1, MOST_FLAKY),
        }.items()
    ]
    found = section(made_up_tables(tmp_path, models))
    each = MOST_FLAKY // 2
    shown = f"at most {each} of each model are shown, the table flaky has all"
    assert f"({asked + MOST_FLAKY}; {shown})" in found
    assert found.count("<code>") == MOST_FLAKY


def test_the_terminal_shows_the_repeated_models(run: Path) -> None:
    """Below the table each has a line with what is known: here its mean, deviation and flaky entries."""
    lines = terminal_table(Run(run), Rules.OFFICIAL, 80).splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("Trials of"))
    assert lines[place - 1] == ""
    overall = next(row for row in rows(run, "trials", rules="official") if row["score"] == "overall")
    mean, std = (f"{overall[name] * 100:.2f}" for name in ("mean", "std"))
    assert lines[place + 1].split() == ["priced", "3", f"{mean}*†", std, "3"]
    assert all(len(line) <= 80 for line in lines[place : place + 4])


def test_a_first_trial_without_answers_does_not_hide_the_marks(tmp_path: Path) -> None:
    """The mean is that of the other trials, and partial as theirs."""
    models = [
        MadeUpModel("a", {"multiple": Marks([None] * 4)}),
        MadeUpModel("a~2", {"multiple": marks(3, 1)}),
    ]
    text = terminal_table(Run(made_up_tables(tmp_path, models)), Rules.OFFICIAL, 80)
    assert "\na          1  1.88*" in text


def test_without_trials_there_is_neither_table_nor_section(run: Path, tmp_path: Path) -> None:
    """Tables that an earlier configuration left are deleted."""
    alone = made_up_tables(tmp_path, [MadeUpModel("priced", {"multiple": marks(1)})])
    for name in TRIAL_TABLES:
        (alone / f"tables/{name}.csv").write_text("left\n")
    aggregate_run(Run(alone, data=tmp_path / "data"), tmp_path / "models.yaml", Rules.OFFICIAL)
    assert not [name for name in TRIAL_TABLES if list((alone / "tables").glob(f"{name}.*"))]
    assert 'id="trials"' not in page_of(alone)
    assert "Trials of" not in terminal_table(Run(alone), Rules.OFFICIAL)
