"""The table of usage by category, and its section on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.agentic_run import write_agentic_run
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks
from tests.support.written_run import page_of, rows


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with prices, tokens, times and a cut-off answer; one with tokens; one without usage."""
    priced = MadeUpModel(
        "priced",
        {"multiple": marks(1, 1, 1), "parallel": marks(1)},
        latencies={"multiple": [1.0, 3.0, None]},
        tokens={"multiple": [(500_000, 10_000), (1_000_000, 20_000), (None, None)]},
        ends={"multiple": ["stop", "length", None]},
    )
    unpriced = MadeUpModel("unpriced", {"multiple": marks(1)}, tokens={"multiple": [(7, 8)]})
    return made_up_tables(
        tmp_path_factory.mktemp("usage"), [priced, unpriced, MadeUpModel("oracle", {"multiple": marks(1)})]
    )


def test_a_category_has_the_usage_of_its_requests(run: Path) -> None:
    """Tokens, dollars at the prices of the model row, seconds and cut-off answers are added up."""
    multiple, parallel, *_ = (row for row in rows(run, "usage") if row["model"] == "priced")
    assert multiple == {
        "run": "made-up",
        "model": "priced",
        "category": "multiple",
        "part": "entries",
        "entries": 3,
        "exchanges": 3,
        "input_tokens": 1_500_000,
        "output_tokens": 30_000,
        "cost_usd": 3.3,
        "exchange_mean_seconds": 2.0,
        "exchange_p95_seconds": pytest.approx(2.9),
        "entry_mean_seconds": 2.0,
        "entry_p95_seconds": pytest.approx(2.9),
        "truncated": 1,
    }
    assert (parallel["exchanges"], parallel["input_tokens"], parallel["truncated"]) == (1, None, None)


def test_a_model_without_prices_has_tokens_and_no_cost(run: Path) -> None:
    """The cost is null and not computed from GPU time."""
    (row,) = (row for row in rows(run, "usage") if row["model"] == "unpriced")
    assert (row["input_tokens"], row["output_tokens"], row["cost_usd"]) == (7, 8, None)


def test_sessions_before_memory_questions_have_rows_of_their_own(tmp_path: Path) -> None:
    """Sessions and entries of a category are separate rows."""
    run = write_agentic_run(tmp_path)
    parts = [(row["category"], row["part"], row["entries"]) for row in rows(run, "usage")]
    assert parts == [
        ("memory_kv", "sessions", 2),
        ("memory_kv", "entries", 3),
        ("web_search_base", "entries", parts[2][2]),
    ]


def test_the_page_shows_the_known_usage(run: Path) -> None:
    """The section has sums by model, and a table by category for each model with known usage."""
    page = page_of(run)
    section = page[page.index('<section id="usage">') :].split("</section>")[0]
    names = re.findall(r'<th scope="row" class="name"><bdi>([^<]*)<', section)
    assert sorted(names) == ["priced", "unpriced"]
    assert 'data-value="3.3">3.30<' in section
    assert 'data-value="2.0">2.00<small>p95 2.90</small>' in section
    assert re.search(r'<td title="1 not asked, not recorded or of unknown cause">1<', section)
    assert section.count("<details>") == 2


def test_without_known_usage_there_is_no_section(tmp_path: Path) -> None:
    """Embedded models report neither tokens nor latencies."""
    run = made_up_tables(tmp_path, [MadeUpModel("oracle", {"multiple": marks(1)})])
    page = page_of(run)
    assert "Cost and latency" not in page
