"""The table, the section and the lines on the executable categories of V1."""

from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition import GROUPS, V4_CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Rules
from bfcl_pipeline.benchmark.tables import entries_path, write_entries
from bfcl_pipeline.judge.scoring import rest as rest_module
from bfcl_pipeline.judge.scoring.aggregate import Count, leaderboard_scores
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.figures.draw import draw_run
from bfcl_pipeline.show.report.notes import is_biased
from bfcl_pipeline.show.report.page.executable import ast_and_executed
from bfcl_pipeline.show.report.page.run_tables import read_run_tables
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run
from bfcl_pipeline.show.report.tables.executable import EXECUTABLE_SCORES, SCORES
from bfcl_pipeline.show.report.terminal import WIDTH, terminal_table
from bfcl_pipeline.world.executables import network
from tests.support.executable_run import RETIRED_MARKS, V4_MARKS, executable_models, without_executable
from tests.support.made_up_models import HOSTILE
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks
from tests.support.written_run import page_of, rows

V4_TABLES = ("leaderboard", "intervals", "ceilings", "formats", "trials", "pass_k")

MIRROR = "BFCL_RESULTS_MIRROR"
"""Environment variable: a checkout of the published results of 2024, with 2024-07-06/score-BFCL."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of `executable_models` with its tables; read-only."""
    return made_up_tables(tmp_path_factory.mktemp("executable"), executable_models())


def row_of(run: Path, model: str) -> dict[str, Any]:
    """The row of a model under official rules."""
    (row,) = rows(run, "executable", model=model, rules="official")
    return row


def test_every_score_has_the_formula_of_its_time(run: Path) -> None:
    """The summary of 2025 averages four numbers; August 2024 counts every judged entry alike."""
    row = row_of(run, "whole")
    simple = (3 / 4 + 1 / 2) / 2
    assert (row["exec_simple"], row["rest"], row["simple_exec"]) == (0.75, 0.5, simple)
    assert row["exec_summary"] == pytest.approx((simple + 1 / 2 + 1 + 0) / 4, abs=1e-15)
    assert (row["sql"], row["chatable"]) == (0.5, pytest.approx(2 / 3))
    assert row["simple_exec_august_2024"] == pytest.approx(4 / 6, abs=1e-15)
    assert row["exec_summary_august_2024"] == pytest.approx((4 / 6 + 1 / 2 + 1 + 0) / 4, abs=1e-15)
    assert row["overall_august_2024"] == pytest.approx((11 + 7) / (19 + 12), abs=1e-15)


def test_rest_has_the_three_metrics_of_the_release(tmp_path: Path) -> None:
    """Each is a share of the judged answers, and contains the one after it."""
    kinds = ("execution_error", "wrong_status_code", "wrong_type", "response_format_error", "wrong_key")
    errors = [f"executable_checker_rest:{kind}" for kind in kinds]
    asked = Marks([False] * 5 + [True] * 3 + [None], error_types=errors)
    run = made_up_tables(tmp_path, [MadeUpModel("m", {"rest": asked}), MadeUpModel("n", {"sql": marks(1)})])
    metrics = ("rest_executed", "rest_response_type", "rest_keys", "rest")
    assert [row_of(run, "m")[name] for name in metrics] == [6 / 8, 4 / 8, 3 / 8, 3 / 8]
    assert [row_of(run, "n")[name] for name in metrics] == [None] * 4
    page = page_of(run)
    assert re.search(r"REST answered.*?75\.00.*?50\.00.*?37\.50", page, re.DOTALL)


def test_every_error_of_a_rest_answer_has_its_metrics() -> None:
    """An error type that the checker writes about an answer of the API says how far it got."""
    text = Path(rest_module.__file__).read_text(encoding="utf-8")
    written = set(re.findall(r"(?:_CHECKER\}:|value_error:)(\w+)", text))
    before = {"execution_error", "other_host", "wrong_status_code"}
    assert written - before == {kind.partition(":")[2] for kind in rest_module.FULFILLED}


def test_ast_and_executed_accuracy_stand_beside_each_other(run: Path) -> None:
    """Of models with both kinds of categories; a figure has the same."""
    tables = read_run_tables(Run(run), Rules.OFFICIAL)
    table = ast_and_executed(tables)
    assert table is not None
    cells = {row[0].plain_text: [cell.plain_text for cell in row[1:]] for row in table.rows}
    assert cells["whole"] == ["75.0", "75.0", "25.0", "50.0", "100", "100", "50.0", "0.0"]
    assert (len(cells), table.left_out) == (2, [])
    (figure,) = (figure for figure in draw_run(tables) if figure.name == "ast_executed")
    assert "multiple: executed whole 50.0" in figure.inline


def test_intervals_contain_their_scores(run: Path) -> None:
    """Every score that is known has limits around it, those of a category as in `categories`."""
    for row in rows(run, "executable"):
        for name in SCORES:
            limits = row[f"{name}_ci_low"], row[f"{name}_ci_high"]
            if row[name] is None:
                assert limits == (None, None)
            else:
                assert 0 <= limits[0] <= row[name] <= limits[1] <= 1
    of_category = {row["category"]: row for row in rows(run, "categories", model="whole", rules="official")}
    row = row_of(run, "whole")
    for name in GROUPS["executable"]:
        assert row[f"{name}_ci_low"] == of_category[name]["ci_low"]
        assert row[f"{name}_ci_high"] == of_category[name]["ci_high"]


def test_a_mean_of_what_was_not_evaluated_is_null(run: Path) -> None:
    """Unlike on the leaderboard, a missing category does not count 0."""
    row = row_of(run, HOSTILE)
    assert (row["exec_simple"], row["sql"]) == (0.5, 1.0)
    groups = ("exec_summary", "simple_exec", "rest", "simple_exec_august_2024", "overall_august_2024")
    assert [row[name] for name in groups] == [None] * 5
    assert row_of(run, "retired")["exec_summary"] == 1.0
    assert row_of(run, "retired")["overall_august_2024"] is None


def test_rows_are_in_the_order_of_the_summary(run: Path) -> None:
    """Highest summary first, models without one last; a model without these categories has no row."""
    assert [row["model"] for row in rows(run, "executable", rules="official")] == [
        "retired",
        "whole",
        HOSTILE,
    ]
    assert [row["rules"] for row in rows(run, "executable")[::3]] == [rules.value for rules in Rules]
    with (run / "tables" / "executable.csv").open(encoding="utf-8", newline="") as lines:
        assert next(csv.reader(lines)) == EXECUTABLE_SCORES.schema.names


def test_what_lacks_a_verdict_and_what_answered_requests_is_named(run: Path) -> None:
    """Entries without a verdict, those that need an unrecorded answer, and the web."""
    row = row_of(run, "whole")
    counts = ("entries", "answered", "not_answered", "not_recorded")
    assert [row[name] for name in counts] == [20, 17, 3, 2]
    assert (row["web"], row_of(run, HOSTILE)["web"]) == ("replay", "simulated")
    webs = {row["category"]: row["web"] for row in rows(run, "categories", model="whole")}
    assert (webs["rest"], webs["sql"], webs["chatable"], webs["simple_python"]) == ("replay", *[None] * 3)


def test_verdicts_that_rest_on_the_web_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judged entries whose expected calls request the web, and those that the simulated web answered."""
    monkeypatch.setattr(network, "NETWORK_FUNCTIONS", {"get_weather_data": None})
    models = [
        MadeUpModel("a", {"exec_simple": marks(1, 1), "rest": marks(1, 1, 1)}, webs={"rest": "replay"}),
        MadeUpModel("b", {"exec_simple": marks(1, 1)}, webs={"exec_simple": "record"}),
    ]
    run = made_up_tables(tmp_path, models)
    assert row_of(run, "a")["with_requests"] is None, "the release is not staged"
    turns = (({"role": "user", "content": "?"},),)
    calls = ("math_gcd(a=1, b=2)", "get_weather_data(coordinates=['1', '2'])")
    truths = [[{"call": call, "match": "exact_match"}] for call in calls]
    for category, of in (("exec_simple", truths), ("rest", [{"request": "", "response": {}}] * 3)):
        entries = [
            Entry(f"{category}_{place}", category, turns, (), truth=truth) for place, truth in enumerate(of)
        ]
        write_entries(entries_path(tmp_path / "data", category), entries)
    aggregate_run(Run(run, data=tmp_path / "data"), tmp_path / "models.yaml", Rules.OFFICIAL)
    counts = [(row_of(run, model)["with_requests"], row_of(run, model)["simulated"]) for model in "ab"]
    assert counts == [(3, 1), (1, 0)]


@pytest.mark.parametrize("trials", [False, True])
def test_no_table_of_v4_contains_them(tmp_path: Path, trials: bool) -> None:
    """The scores of V4 are the same bytes in a run without these categories."""
    models = [model for model in executable_models() if model.name != "retired"]
    if trials:
        second = {**V4_MARKS, "parallel": marks(1, 1), "exec_simple": marks(2, 2)}
        models = [MadeUpModel("m", {**V4_MARKS, **RETIRED_MARKS}), MadeUpModel("m~2", second)]
    with_them = made_up_tables(tmp_path / "with", models)
    without = made_up_tables(tmp_path / "without", without_executable(models))
    compared = [f"{name}.csv" for name in V4_TABLES] + [
        f"official/{path.name}" for path in (without / "tables" / "official").iterdir()
    ]
    for name in compared:
        paths = [folder / "tables" / name for folder in (with_them, without)]
        there = trials or name not in ("trials.csv", "pass_k.csv")
        assert [path.is_file() for path in paths] == [there, there]
        if there:
            assert paths[0].read_bytes() == paths[1].read_bytes(), name
    assert (with_them / "tables" / "executable.parquet").is_file()
    assert not (without / "tables" / "executable.parquet").exists()


def test_flaky_entries_of_them_are_listed(tmp_path: Path) -> None:
    """Trials of these categories are compared entry by entry, too."""
    trials = {"m": marks(2), "m~2": marks(1, 1)}
    models = [
        MadeUpModel(name, {"simple_python": marks(1), "exec_simple": of}) for name, of in trials.items()
    ]
    run = made_up_tables(tmp_path, models)
    assert [row["entry_id"] for row in rows(run, "flaky", rules="official")] == ["exec_simple_1"]
    assert {row["score"] for row in rows(run, "pass_k")}.isdisjoint(GROUPS["executable"])
    page = page_of(run)
    assert "<code>exec_simple_1</code>" in page


def test_a_model_of_these_categories_alone_has_no_rank(run: Path) -> None:
    """It is in the leaderboard without a score, and not among the models without answers."""
    (row,) = rows(run, "leaderboard", model="retired", rules="official")
    assert (row["rank"], row["overall"], row["entries"]) == (None, None, 0)
    assert not (run / "tables" / "unanswered.parquet").exists()
    official = (run / "tables" / "official" / "data_overall.csv").read_text(encoding="utf-8")
    assert "retired" not in official
    assert "modern" in official


def test_a_run_of_these_categories_alone_is_shown(tmp_path: Path) -> None:
    """Its page and its lines in the terminal have these scores, and no overall under any rules."""
    run = made_up_tables(tmp_path, [MadeUpModel("m", {name: marks(1, 1) for name in GROUPS["executable"]})])
    text = terminal_table(Run(run), Rules.OFFICIAL)
    assert "Overall by rules" not in text
    assert "Executable (V1)" in text
    page = page_of(run)
    assert "0 of 22" in page
    assert '<section id="executable">' in page


def test_cost_and_latency_of_the_leaderboard_are_those_of_v4(tmp_path: Path) -> None:
    """Requests of these categories are in `usage` only."""
    given = {"simple_python": [1.0], "exec_simple": [9.0]}
    models = [MadeUpModel("m", {name: marks(1) for name in given}, latencies=given)]
    run = made_up_tables(tmp_path, models)
    (row,) = rows(run, "leaderboard", rules="official")
    assert row["latency_mean_seconds"] == 1.0
    used = {row["category"]: row["exchange_mean_seconds"] for row in rows(run, "usage")}
    assert used == {"simple_python": 1.0, "exec_simple": 9.0}


def test_an_earlier_table_is_removed(tmp_path: Path) -> None:
    """A run that no longer has these categories has no such table."""
    run = made_up_tables(tmp_path, [MadeUpModel("m", {"simple_python": marks(1), "sql": marks(1)})])
    assert (run / "tables" / "executable.csv").is_file()
    made_up_tables(tmp_path, [MadeUpModel("m", {"simple_python": marks(1)})])
    assert not (run / "tables" / "executable.csv").exists()


def test_the_page_has_a_section_of_its_own(run: Path) -> None:
    """The section says that nothing of it is part of V4; simulated and missing answers are shown."""
    page = page_of(run)
    section = page[page.index('<section id="executable">') :]
    section = section[: section.index("</section>")]
    assert 'href="#executable"' in page
    assert "not part of V4" in section
    assert "The Overall of August 2024 counts" in section
    assert "2 not recorded" in section
    assert "\N{DAGGER} simulated web" in section
    assert "50.00\N{DAGGER}" in section  # exec_simple of the hostile model
    assert "<script>" not in section
    assert "&lt;script&gt;" in section
    assert section.index("retired") < section.index("whole")


def test_without_them_the_page_has_no_trace(tmp_path: Path) -> None:
    """A run of V4 alone lists neither the section nor the categories."""
    run = made_up_tables(tmp_path, [MadeUpModel("m", {"simple_python": marks(1, 1)})])
    page = page_of(run)
    for name in ("executable", "Executable", *GROUPS["executable"]):
        assert f">{name}" not in page
    assert len(terminal_table(Run(run), Rules.OFFICIAL).split("Executable")) == 1


def test_the_heat_map_lists_the_categories_that_were_asked(run: Path, tmp_path: Path) -> None:
    """Those that were asked have a column; of V4, the others are named beneath the table."""
    page = page_of(run)
    named = re.findall(r'id="categories".*?no row has a value: (.*?)\.</p>', page, re.DOTALL)[0].split(", ")
    assert all((f"<span>{name}</span>" in page) != (name in named) for name in V4_CATEGORIES)
    assert all(f"<span>{name}</span>" in page for name in GROUPS["executable"])
    other = made_up_tables(tmp_path, [MadeUpModel("m", {"simple_python": marks(1), "sql": marks(1)})])
    page = page_of(other)
    assert "<span>sql</span>" in page
    assert "<span>rest</span>" not in page


def test_the_terminal_prints_a_table_of_its_own(run: Path) -> None:
    """Aligned lines of limited width beneath the table of V4, with what they rest on."""
    text = terminal_table(Run(run), Rules.OFFICIAL)
    lines = text.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("Executable (V1)"))
    table = lines[start : start + 4]
    assert lines[start - 1] == ""
    assert len({len(line) for line in table}) == 1
    assert len(table[0]) <= WIDTH
    assert [line.split()[0] for line in table[1:3]] == ["retired", "whole"]
    assert table[2].split()[1] == "53.12"
    assert table[2].split()[3:] == ["75.00", "50.00", "50.00", "100.00", "0.00", "50.00", "66.67"]
    assert lines[start + 4].startswith("Not part of V4.")
    assert "In no score: 3 entries without a verdict, of which 2 not recorded." in lines
    assert "\N{DAGGER} simulated web, not the real one: not comparable with the leaderboard." in lines
    assert "\u202e" not in text
    narrow = terminal_table(Run(run), Rules.OFFICIAL, 60)
    table = narrow[narrow.index("Executable (V1)") :].splitlines()[:4]
    assert len(table[0]) <= 60
    assert table[0].split()[-1] == "REST"
    assert "Not shown in 60 columns: Mult, Par, ParMult, SQL, Chat." in narrow


@pytest.mark.parametrize(
    ("web", "missing", "biased"), [("simulated", 1, True), ("simulated", 0, False), ("off", 1, False)]
)
def test_rest_without_verdicts_of_the_simulated_web_is_called_biased(
    web: str, missing: int, biased: bool
) -> None:
    """Rows of Parquet and of CSV are read alike."""
    assert is_biased([{"web": f"replay, {web}", "not_recorded": missing}]) is biased
    rows = [{"web": "", "not_recorded": "0"}, {"web": web, "not_recorded": str(missing)}]
    assert is_biased(rows) is biased


def test_a_damaged_table_is_refused(run: Path, tmp_path: Path) -> None:
    """The error names the table and the command that makes it again."""
    copy = made_up_tables(tmp_path, [MadeUpModel("m", {"simple_python": marks(1), "sql": marks(1)})])
    (copy / "tables" / "executable.csv").write_text("rules\nofficial\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"not a table `executable`.*bfcl-pipeline aggregate"):
        terminal_table(Run(copy), Rules.OFFICIAL)


FILES = {
    "simple_python": "simple",
    "simple_java": "java",
    "simple_javascript": "javascript",
    "multiple": "multiple_function",
    "parallel": "parallel_function",
    "parallel_multiple": "parallel_multiple_function",
    "exec_simple": "executable_simple",
    "exec_multiple": "executable_multiple_function",
    "exec_parallel": "executable_parallel_function",
    "exec_parallel_multiple": "executable_parallel_multiple_function",
    "rest": "rest",
    "irrelevance": "relevance",
}
"""The names of the published score files of July 2024, by category."""

PUBLISHED = {
    "Overall Acc": "overall_august_2024",
    "Exec Summary": "exec_summary_august_2024",
    "Simple Function Exec": "simple_exec_august_2024",
    "Multiple Functions Exec": "exec_multiple",
    "Parallel Functions Exec": "exec_parallel",
    "Parallel Multiple Exec": "exec_parallel_multiple",
}
"""The column of the published table that a score reproduces."""


@pytest.mark.skipif(MIRROR not in os.environ, reason=f"{MIRROR} is not set")
def test_published_scores_of_2024_are_reproduced() -> None:
    """Six columns of the published table of 49 models follow from the counts of their score files."""
    folder = Path(os.environ[MIRROR]) / "2024-07-06" / "score-BFCL"
    found: dict[tuple[str, ...], str] = {}
    for scored in sorted(path for path in folder.iterdir() if path.is_dir()):
        counts = {}
        for category, name in FILES.items():
            with (scored / f"{name}_score.json").open(encoding="utf-8") as lines:
                head = json.loads(next(lines))
            counts[category] = Count(head["total_count"], head["correct_count"])
        scores = leaderboard_scores(counts)
        found[tuple(f"{scores[score].accuracy * 100:.2f}%" for score in PUBLISHED.values())] = scored.name
    with (folder / "data.csv").open(encoding="utf-8", newline="") as lines:
        published = [tuple(row[name] for name in PUBLISHED) for row in csv.DictReader(lines)]
    assert len(published) == 49
    assert [row for row in published if row not in found] == []
