"""The categories in words: they agree with the release and with the leaderboard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, category_of, resolve_categories
from bfcl_pipeline.benchmark.definition.categories import FORMER
from bfcl_pipeline.benchmark.definition.descriptions import (
    DESCRIPTIONS,
    GENERATIONS,
    MEMORY_SCENARIOS,
    WEB_HOPS,
    composition,
    overall_weights,
)
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables.entries import read_examples


def test_every_category_is_described() -> None:
    """Each category has a version and an example of its own, in the order of the leaderboard."""
    assert list(DESCRIPTIONS) == list(CATEGORIES)
    assert {described.generation for described in DESCRIPTIONS.values()} == GENERATIONS.keys()
    assert [category_of(described.example) for described in DESCRIPTIONS.values()] == list(CATEGORIES)


def test_the_weights_sum_to_the_overall_score() -> None:
    """The weights are 100 % together, and those of the leaderboard's five terms."""
    weights = overall_weights()
    assert sum(weights.values()) == pytest.approx(1)
    assert sum(weights[name] for name in GROUPS["agentic"]) == pytest.approx(0.4)
    assert sum(weights[name] for name in GROUPS["multi_turn"]) == pytest.approx(0.3)
    assert [name for name, weight in weights.items() if not weight] == [
        "live_relevance",
        "format_sensitivity",
        *GROUPS["executable"],
    ]


@pytest.mark.parametrize("category", GROUPS["web_search"])
def test_the_hops_are_those_of_the_release(category: str, entries: Callable[[str], list[Entry]]) -> None:
    """The composition of web search counts the annotated steps of each question."""
    assert Counter(len(entry.source or ()) for entry in entries(category)) == WEB_HOPS
    assert sum(WEB_HOPS.values()) == CATEGORIES[category].entries


@pytest.mark.parametrize("category", GROUPS["memory"])
def test_the_scenarios_are_those_of_the_release(
    category: str, entries: Callable[[str], list[Entry]]
) -> None:
    """The composition of memory counts the questions of each scenario, in the order of the release."""
    scenarios = [entry.scenario for entry in entries(category) if not entry.prerequisite]
    assert list(Counter(scenarios).items()) == list(MEMORY_SCENARIOS.items())


def test_only_annotated_categories_have_a_composition() -> None:
    """Single-turn and multi-turn categories have none."""
    assert [name for name in CATEGORIES if composition(name)] == list(GROUPS["agentic"])


def test_examples_are_staged_questions(staged: Path, tmp_path: Path) -> None:
    """Each category has an example in the release; without the release there are none."""
    examples = read_examples(staged)
    assert list(examples) == list(CATEGORIES)
    assert all(example and "\n" not in example for example in examples.values())
    assert read_examples(tmp_path) == {}


@pytest.mark.parametrize(("former", "instead"), FORMER.items())
def test_a_former_name_is_answered_with_the_name_of_today(former: str, instead: tuple[str, ...]) -> None:
    """A name of an earlier version is refused with how it is called now, or that it is gone."""
    assert set(instead) <= {*CATEGORIES, *GROUPS}
    hint = f"It is '{instead[0]}'" if instead else "V4 has no such category any more"
    with pytest.raises(ConfigError, match=f"unknown category '{former}'. {hint}"):
        resolve_categories([former])
