"""The clusters of the staged benchmark, and what entries of different clusters have in common."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.definition.clusters import (
    CLUSTERS,
    ClusterBy,
    cluster_of,
    memory_scenario,
    wider_cluster_of,
)
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of
from bfcl_pipeline.benchmark.records import Entry

Entries = Callable[[str], list[Entry]]


def clusters(entries: Entries, *categories: str) -> Counter[str]:
    """The number of scored entries of each cluster."""
    return Counter(
        cluster_of(category, entry.entry_id, entry.base_entry_id)
        for category in categories
        for entry in entries(category)
        if not entry.prerequisite
    )


@pytest.mark.parametrize(
    ("categories", "number", "largest"),
    [
        (categories_of("live"), 451, 29),
        (("live_irrelevance",), 369, 91),
        (categories_of("multi_turn"), 200, 4),
        (GROUPS["memory"], 155, 3),
        (GROUPS["web_search"], 100, 2),
        (("format_sensitivity",), 200, 26),
        (("simple_python",), 400, 1),
    ],
)
def test_the_release_has_these_clusters(
    entries: Entries, categories: tuple[str, ...], number: int, largest: int
) -> None:
    """The number of clusters, and of entries in the largest, are those counted in the release."""
    found = clusters(entries, *categories)
    assert (len(found), max(found.values())) == (number, largest)


@pytest.mark.parametrize("group", ["memory", "web_search"])
def test_a_cluster_of_agentic_entries_is_one_question(entries: Entries, group: str) -> None:
    """They ask the same words, in memory categories about the same scenario, of which there are five."""
    asked = defaultdict(set)
    for category in GROUPS[group]:
        for entry in entries(category):
            if not entry.prerequisite:
                words = json.dumps([*entry.turns], default=dict)
                asked[cluster_of(category, entry.entry_id)].add((words, memory_scenario(entry.entry_id)))
    assert {len(questions) for questions in asked.values()} == {1}
    scenarios = {scenario for questions in asked.values() for _, scenario in questions} - {None}
    assert len(scenarios) == (5 if group == "memory" else 0)


def test_the_live_categories_number_their_docs_each_for_itself(entries: Entries) -> None:
    """Equal middle numbers of live_simple and live_multiple are different function docs."""
    docs: dict[str, dict[str, set[str]]] = {}
    for category in ("live_simple", "live_multiple"):
        docs[category] = defaultdict(set)
        for entry in entries(category):
            number = cluster_of(category, entry.entry_id).partition(":")[2]
            docs[category][number].add(json.dumps(sorted(str(doc["name"]) for doc in entry.functions)))
    simple, multiple = docs["live_simple"], docs["live_multiple"]
    assert len(simple.keys() & multiple.keys()) > 100
    assert not [number for number in simple if simple[number] & multiple[number]]


def test_a_restated_entry_is_in_the_cluster_of_its_base_entry(entries: Entries) -> None:
    """The base entry comes from the table, or from the id, and both are the same."""
    for entry in entries("format_sensitivity"):
        named = cluster_of("format_sensitivity", entry.entry_id)
        assert named == cluster_of("format_sensitivity", entry.entry_id, entry.base_entry_id)
        assert named == f"format_sensitivity:{entry.base_entry_id}"


def test_parts_of_a_category_have_one_entry_of_each_cluster(entries: Entries) -> None:
    """A prompt format has each base entry once, and memory and web categories each question once.

    Their tables by format, by scenario and by hops may therefore take entries as independent.
    """
    parts: Counter[tuple[str | None, ...]] = Counter()
    for category in ("format_sensitivity", *categories_of("memory"), *categories_of("web_search")):
        parts.update(
            (category, entry.prompt_format, cluster_of(category, entry.entry_id, entry.base_entry_id))
            for entry in entries(category)
            if not entry.prerequisite
        )
    assert set(parts.values()) == {1}
    assert len(parts) == 5200 + 465 + 200


def test_an_id_of_another_form_is_a_cluster_of_its_own() -> None:
    """A made-up id is never put together with others."""
    ids = ["live_simple_x", "multi_turn_base_1_2", "memory_kv_1", "web_search_base_x"]
    categories = ["live_simple", "multi_turn_base", "memory_kv", "web_search_base"]
    assert [cluster_of(*pair) for pair in zip(categories, ids, strict=True)] == ids


def test_every_category_has_a_rule() -> None:
    """Every category has one, and the categories of the live group cluster by function doc."""
    assert set(CLUSTERS) == set(CATEGORIES)
    by_doc = [name for name, by in CLUSTERS.items() if by is ClusterBy.FUNCTION_DOC]
    assert by_doc == [name for name, category in CATEGORIES.items() if category.group == "live"]


LIVE = [name for name in GROUPS["live"] if name != "live_relevance"]


def test_scenarios_of_the_same_apis_are_alike(entries: Entries) -> None:
    """There is one key for each set of APIs, and one set for each key; 20 of each."""
    found = {
        (frozenset(entry.apis), wider_cluster_of(name, entry.entry_id))
        for name in GROUPS["multi_turn"]
        for entry in entries(name)
    }
    assert len(found) == len({apis for apis, _ in found}) == len({key for _, key in found}) == 20


def test_entries_with_functions_of_the_same_names_are_alike(entries: Entries) -> None:
    """A key joins the function docs with a set of names in common, and nothing else."""
    keys: dict[object, set[str]] = {}
    for name in LIVE:
        for entry in entries(name):
            key = wider_cluster_of(name, entry.entry_id)
            names = frozenset(function["name"] for function in entry.functions)
            for shared in ([names] if names else []) + [cluster_of(name, entry.entry_id)]:
                keys.setdefault(shared, set()).add(key)
    assert all(len(found) == 1 for found in keys.values())
    assert len(set.union(*keys.values())) == 457


def test_other_entries_have_the_keys_of_their_clusters() -> None:
    """Web questions and ids of another form; memory questions have their scenario."""
    assert wider_cluster_of("web_search_base", "web_search_base_3") == "web_search:3"
    assert wider_cluster_of("multi_turn_base", "multi_turn_base_700") == "multi_turn:700"
    assert wider_cluster_of("memory_kv", "memory_kv_3-customer-3") == "memory scenario:customer"
