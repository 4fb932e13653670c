"""The categories of BFCL V4 and the official group names, as data.

Source: the release's category mapping and its documentation of the leaderboard (bfcl-eval
2026.3.23, upstream commit 6ea57973).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from bfcl_pipeline.errors import ConfigError


class Language(StrEnum):
    """The language whose values and syntax a category's calls are written in."""

    PYTHON = "python"
    JAVA = "java"
    JAVASCRIPT = "javascript"


class Check(StrEnum):
    """Which checker judges a category."""

    SIMPLE = "simple"  # exactly one call of the one function
    MULTIPLE = "multiple"  # exactly one call of the right function among several
    PARALLEL = "parallel"  # several calls in any order
    IRRELEVANCE = "irrelevance"  # no call at all
    RELEVANCE = "relevance"  # at least one call
    FORMAT_SENSITIVITY = "format_sensitivity"  # the check of the entry that is restated
    MULTI_TURN = "multi_turn"
    MEMORY = "memory"
    WEB_SEARCH = "web_search"


@dataclass(frozen=True, slots=True)
class Category:
    """One category of the benchmark."""

    name: str
    group: str  # non_live, live, multi_turn, agentic or format_sensitivity
    check: Check
    entries: int  # scored entries in the release
    language: Language = Language.PYTHON
    prerequisites: int = 0  # sessions played before the scored entries
    scored: bool = True  # counts for the leaderboard
    prompt_only: bool = False  # asked of prompt-mode models only

    @property
    def single_turn(self) -> bool:
        """True where one request and one answer make the whole response."""
        return self.group in ("non_live", "live", "format_sensitivity")


_ALL = (
    Category("simple_python", "non_live", Check.SIMPLE, 400),
    Category("simple_java", "non_live", Check.SIMPLE, 100, Language.JAVA),
    Category("simple_javascript", "non_live", Check.SIMPLE, 50, Language.JAVASCRIPT),
    Category("multiple", "non_live", Check.MULTIPLE, 200),
    Category("parallel", "non_live", Check.PARALLEL, 200),
    Category("parallel_multiple", "non_live", Check.PARALLEL, 200),
    Category("irrelevance", "non_live", Check.IRRELEVANCE, 240),
    Category("live_simple", "live", Check.SIMPLE, 258),
    Category("live_multiple", "live", Check.MULTIPLE, 1053),
    Category("live_parallel", "live", Check.PARALLEL, 16),
    Category("live_parallel_multiple", "live", Check.PARALLEL, 24),
    Category("live_irrelevance", "live", Check.IRRELEVANCE, 884),
    Category("live_relevance", "live", Check.RELEVANCE, 16),
    Category("multi_turn_base", "multi_turn", Check.MULTI_TURN, 200),
    Category("multi_turn_miss_func", "multi_turn", Check.MULTI_TURN, 200),
    Category("multi_turn_miss_param", "multi_turn", Check.MULTI_TURN, 200),
    Category("multi_turn_long_context", "multi_turn", Check.MULTI_TURN, 200),
    Category("memory_kv", "agentic", Check.MEMORY, 155, prerequisites=37),
    Category("memory_vector", "agentic", Check.MEMORY, 155, prerequisites=37),
    Category("memory_rec_sum", "agentic", Check.MEMORY, 155, prerequisites=37),
    Category("web_search_base", "agentic", Check.WEB_SEARCH, 100),
    Category("web_search_no_snippet", "agentic", Check.WEB_SEARCH, 100),
    Category(
        "format_sensitivity",
        "format_sensitivity",
        Check.FORMAT_SENSITIVITY,
        5200,
        scored=False,
        prompt_only=True,
    ),
)

CATEGORIES: dict[str, Category] = {category.name: category for category in _ALL}
"""Every category by name, in the leaderboard's order."""


def _in_group(*groups: str) -> tuple[str, ...]:
    return tuple(c.name for c in _ALL if c.group in groups)


GROUPS: dict[str, tuple[str, ...]] = {
    "all": tuple(CATEGORIES),
    "all_scoring": tuple(c.name for c in _ALL if c.scored),
    "single_turn": _in_group("non_live", "live"),
    "non_live": _in_group("non_live"),
    "live": _in_group("live"),
    "multi_turn": _in_group("multi_turn"),
    "agentic": _in_group("agentic"),
    "memory": tuple(c.name for c in _ALL if c.check is Check.MEMORY),
    "web_search": tuple(c.name for c in _ALL if c.check is Check.WEB_SEARCH),
    "non_python": ("simple_java", "simple_javascript"),
    "python": tuple(
        c.name for c in _ALL if c.group in ("non_live", "live") and c.language is Language.PYTHON
    ),
}
"""The official group names and the categories each stands for."""


def resolve_categories(names: Iterable[str]) -> tuple[str, ...]:
    """The categories that `names` (categories or groups) stand for, once each, in benchmark order.

    Raises ConfigError, listing the right names, if one is unknown.
    """
    wanted: set[str] = set()
    for name in names:
        if name in GROUPS:
            wanted.update(GROUPS[name])
        elif name in CATEGORIES:
            wanted.add(name)
        else:
            raise ConfigError(unknown_name("category", name, [*GROUPS, *CATEGORIES]))
    return tuple(name for name in CATEGORIES if name in wanted)


def category_of(entry_id: str) -> str:
    """The category that an official entry id names. Raises ConfigError if it names none."""
    match = re.match(r"(?P<category>[a-z_]+?)(?:_prereq)?_\d", entry_id)
    if match is None or match["category"] not in CATEGORIES:
        raise ConfigError(
            f"{entry_id!r} is not an entry id; expected a category and a number, "
            "for example simple_python_3 or live_simple_0-0-0."
        )
    return match["category"]


def unknown_name(kind: str, name: object, known: Iterable[str]) -> str:
    """An error text for an unknown name: the nearest right one, then all of them."""
    known = list(known)
    near = difflib.get_close_matches(str(name), known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"unknown {kind} {name!r}.{hint} Known: {', '.join(known)}."
