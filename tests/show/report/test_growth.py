"""Growth of the work for tables and page with the number of models, in function calls."""

from __future__ import annotations

import cProfile
import pstats
from pathlib import Path

import pytest
from altair.utils.schemapi import debug_mode

from bfcl_pipeline.benchmark.records import Mode, Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.figures.draw import FIGURES
from bfcl_pipeline.show.report.figures.names import Models
from bfcl_pipeline.show.report.page.render import write_page
from bfcl_pipeline.show.report.page.run_tables import read_run_tables
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run
from tests.support.figure_tables import full_tables
from tests.support.synthetic_run import MODELS_FILE, MadeUpModel, marks, write_format_entries, write_run
from tests.support.work import measured

CATEGORIES = ("simple_python", "multiple", "multi_turn_base", "memory_kv", "web_search_base", "live_simple")
SIZES = (2, 4, 8)


@pytest.mark.usefixtures("without_figures")
def test_twice_the_models_take_twice_the_work(tmp_path: Path) -> None:
    """The additional calls are proportional to the additional models, not to their square."""
    calls(tmp_path / "first", 1)  # what is loaded once, such as templates, is not counted below
    small, middle, large = (calls(tmp_path / str(models), models) for models in SIZES)
    assert (large - middle) / (middle - small) < 2.2  # 4 if all of it grew with the square


def test_figures_of_many_models_take_little_more_work(made_up_run: Path) -> None:
    """Charts of eight times as many models take less than twice the calls."""
    tables = read_run_tables(Run(made_up_run), Rules.OFFICIAL)

    def charts(models: int) -> int:
        named = full_tables(tables, [f"model {number:03}" for number in range(models)])
        with debug_mode(False), measured() as work:  # without the checks of altair, of which most calls are
            assert None not in [spec.make(named, Models.of(named)) for spec in FIGURES]
        return work.calls

    assert charts(80) < 2 * charts(10)


def calls(folder: Path, models: int) -> int:
    """The number of function calls that make the tables and the page of a run."""
    asked = {
        **{category: marks(2, 2) for category in CATEGORIES},
        "format_sensitivity": marks(26, 26),
    }
    tokens = dict.fromkeys(CATEGORIES, [(10, 10)] * 4)
    write_format_entries(folder / "data", 2)
    (folder / "models.yaml").write_text(MODELS_FILE, encoding="utf-8")
    write_run(
        folder / "run",
        [MadeUpModel(f"model {number:03}", asked, Mode.PROMPT, tokens=tokens) for number in range(models)],
    )
    with cProfile.Profile() as profile:
        aggregate_run(Run(folder / "run", data=folder / "data"), folder / "models.yaml", Rules.OFFICIAL)
        write_page(Run(folder / "run", folder, folder), Rules.OFFICIAL)
    total: int = pstats.Stats(profile).total_calls  # type: ignore[attr-defined]
    return total
