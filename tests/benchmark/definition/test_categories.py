"""The categories and groups of V4."""

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.definition import CATEGORIES, FORMATS, GROUPS, parse_format, resolve_categories
from bfcl_pipeline.benchmark.definition.descriptions import DESCRIPTIONS


def test_sizes():
    """5,106 scored entries: 3,641 single-turn, 800 multi-turn, 665 agentic."""
    assert sum(CATEGORIES[name].entries for name in GROUPS["all_scoring"]) == 5_106
    assert sum(CATEGORIES[name].entries for name in GROUPS["single_turn"]) == 3_641
    assert sum(CATEGORIES[name].entries for name in GROUPS["agentic"]) == 665
    assert len(GROUPS["all"]) == 23


def test_groups_hold_categories():
    """Every group consists of known categories, each once."""
    for names in GROUPS.values():
        assert len(set(names)) == len(names)
        assert set(names) <= CATEGORIES.keys()


def test_the_versions_of_the_benchmark_are_groups():
    """v1 to v4 are what each version added, and together all of V4; as the descriptions have it."""
    versions = {name: GROUPS[name] for name in ("v1", "v2", "v3", "v4")}
    assert [name for added in versions.values() for name in added] == list(GROUPS["all"])
    assert all(DESCRIPTIONS[name].generation.lower() == key for key in versions for name in versions[key])


def test_what_a_category_needs_is_data():
    """Backend, fillers and snippets are fields and are not derived from a category's name."""
    assert {name: c.backend for name, c in CATEGORIES.items() if c.backend} == {
        "memory_kv": "MemoryAPI_kv",
        "memory_vector": "MemoryAPI_vector",
        "memory_rec_sum": "MemoryAPI_rec_sum",
    }
    assert [name for name, c in CATEGORIES.items() if c.needs_encoder] == ["memory_vector"]
    assert [name for name, c in CATEGORIES.items() if c.long_context] == ["multi_turn_long_context"]
    assert [name for name, c in CATEGORIES.items() if not c.snippets] == ["web_search_no_snippet"]


def test_names_and_groups_are_resolved():
    """Names and groups may overlap; the result has benchmark order."""
    assert resolve_categories(["parallel", "non_python", "simple_java"]) == (
        "simple_java",
        "simple_javascript",
        "parallel",
    )


def test_an_unknown_name_lists_the_known_ones():
    """The error for a wrong name has the nearest known one and all others."""
    with pytest.raises(ConfigError, match=r"Did you mean 'simple_python'.*live_relevance"):
        resolve_categories(["simple_pyhton"])


def test_formats():
    """There are 26 prompt formats, and each is found by its key."""
    assert len(FORMATS) == len({prompt_format.key for prompt_format in FORMATS}) == 26
    assert [parse_format(prompt_format.key) for prompt_format in FORMATS] == list(FORMATS)
    with pytest.raises(ConfigError, match="expected the form"):
        parse_format("ret_fmt=yaml")
