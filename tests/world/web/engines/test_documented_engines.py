"""docs/web.md says of each search engine what the code does."""

from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.config.job import LEADERBOARD_ENGINES, SEARCH_ENGINE_KEYS, SEARCH_ENGINES
from bfcl_pipeline.world.web.engines.ddgs_engine import DdgsEngine
from bfcl_pipeline.world.web.engines.facts import FACTS

PAGE = (Path(__file__).parents[4] / "docs/web.md").read_text(encoding="utf-8")
ROWS = {
    cells[0].strip("`"): cells
    for line in PAGE.splitlines()
    if line.startswith("| `") and len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 8
}


def test_every_engine_has_a_row() -> None:
    """In the order of the config."""
    assert tuple(ROWS) == SEARCH_ENGINES


@pytest.mark.parametrize("name", SEARCH_ENGINES)
def test_a_row_is_true(name: str) -> None:
    """Key, comparability, mark of "no results", pages, longest query, and what ddgs has switched off."""
    _, _, key, comparable, says, pages, longest, used = ROWS[name]
    assert key == (f"`{SEARCH_ENGINE_KEYS[name]}`" if name in SEARCH_ENGINE_KEYS else "none")
    assert comparable == ("yes" if name in LEADERBOARD_ENGINES else "no")
    facts = FACTS.get(name)
    if facts is not None:  # not a paid service
        is_known = bool(facts.nothing) or not facts.complete  # an empty list of JSON is a mark
        assert says == ("yes" if is_known else "not known")
        assert (pages, longest) == (str(facts.pages), f"{facts.longest_query} characters")
        assert used == ("no" if DdgsEngine(name).switched_off else "yes")
