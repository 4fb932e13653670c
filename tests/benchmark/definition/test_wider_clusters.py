"""What the entries of different clusters have in common, against the entries of the release."""

from __future__ import annotations

from collections.abc import Callable

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.definition.clusters import cluster_of
from bfcl_pipeline.benchmark.definition.wider_clusters import wider_cluster_of
from bfcl_pipeline.benchmark.records import Entry

LIVE = [name for name in GROUPS["live"] if name != "live_relevance"]


def test_scenarios_of_the_same_apis_are_alike(entries: Callable[[str], list[Entry]]) -> None:
    """There is one key for each set of APIs, and one set for each key; 20 of each."""
    found = {
        (frozenset(entry.apis), wider_cluster_of(name, entry.entry_id))
        for name in GROUPS["multi_turn"]
        for entry in entries(name)
    }
    assert len(found) == len({apis for apis, _ in found}) == len({key for _, key in found}) == 20


def test_entries_with_functions_of_the_same_names_are_alike(entries: Callable[[str], list[Entry]]) -> None:
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
