"""Growth of the work for tables and page with the number of models, in function calls."""

from __future__ import annotations

import cProfile
import pstats
from pathlib import Path

from bfcl_pipeline.records import Mode, Rules
from bfcl_pipeline.report.page.render import write_page
from bfcl_pipeline.report.tables.aggregate_run import aggregate_run
from tests.support.synthetic_run import MODELS_FILE, MadeUpModel, marks, write_format_entries, write_run

CATEGORIES = ("simple_python", "multiple", "multi_turn_base", "memory_kv", "web_search_base", "live_simple")
SIZES = (4, 8, 16)


def test_twice_the_models_take_twice_the_work(tmp_path: Path) -> None:
    """The additional calls are proportional to the additional models, not to their square."""
    calls(tmp_path / "first", 1)  # what is loaded once, such as templates, is not counted below
    small, middle, large = (calls(tmp_path / str(models), models) for models in SIZES)
    assert (large - middle) / (middle - small) < 2.2  # 4 if all of it grew with the square


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
        aggregate_run(folder / "run", folder / "data", folder / "models.yaml", Rules.OFFICIAL)
        write_page(folder / "run", Rules.OFFICIAL, folder)
    total: int = pstats.Stats(profile).total_calls  # type: ignore[attr-defined]
    return total
