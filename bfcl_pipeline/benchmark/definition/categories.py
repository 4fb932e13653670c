"""The categories of BFCL V4, the retired ones of V1 in its release, and the group names, as data.

Source: the release's category mapping, its folder of unused data sets and its documentation of the
leaderboard (bfcl-eval 2026.3.23, upstream commit 6ea57973).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import did_you_mean, unknown_name

FORMER: Mapping[str, tuple[str, ...]] = {
    "simple": ("simple_python",),
    "java": ("simple_java",),
    "javascript": ("simple_javascript",),
    "relevance": ("live_relevance",),
    "ast": ("non_live", "live"),
    "multi_turn_composite": (),
    "exec": ("executable",),
    "executable_simple": ("exec_simple",),
    "executable_multiple_function": ("exec_multiple",),
    "executable_parallel_function": ("exec_parallel",),
    "executable_parallel_multiple_function": ("exec_parallel_multiple",),
}
"""Each former name of a category or group with those of today; empty if there is none any more."""


def former_name_hint(name: str) -> str:
    """How a category with this name is called now, as a sentence; empty if the name never was one."""
    if name not in FORMER:
        return ""
    instead = " and ".join(map(repr, FORMER[name]))
    return f"It is {instead} now." if instead else "V4 has no such category any more."


class Language(StrEnum):
    """The language of the values and the syntax of a category's calls."""

    PYTHON = "python"
    JAVA = "java"
    JAVASCRIPT = "javascript"


class Check(StrEnum):
    """The checker that scores a category."""

    SIMPLE = "simple"  # exactly one call of the one function
    MULTIPLE = "multiple"  # exactly one call of the right function among several
    PARALLEL = "parallel"  # several calls in any order
    IRRELEVANCE = "irrelevance"  # no call at all
    RELEVANCE = "relevance"  # at least one call
    FORMAT_SENSITIVITY = "format_sensitivity"  # the check of the restated entry
    MULTI_TURN = "multi_turn"
    MEMORY = "memory"
    WEB_SEARCH = "web_search"
    EXECUTION_SIMPLE = "execution_simple"  # exactly one call; its value is compared
    EXECUTION = "execution"  # several calls in any order; their values are compared
    REST = "rest"  # exactly one HTTP request; the form of its response is compared


class MemoryBackend(StrEnum):
    """The memory of a memory category; the value is the name of its simulated API."""

    KEY_VALUE = "MemoryAPI_kv"
    VECTOR = "MemoryAPI_vector"  # searched by meaning: needs the sentence encoder
    SUMMARY = "MemoryAPI_rec_sum"  # one text


@dataclass(frozen=True, slots=True)
class Category:
    """One category of the benchmark."""

    name: str
    group: str  # non_live, live, multi_turn, agentic, format_sensitivity or executable
    check: Check
    entries: int  # scored entries in the release
    language: Language = Language.PYTHON
    prerequisites: int = 0  # memory: unscored sessions that run before the scored entries
    scored: bool = True  # counts for the leaderboard
    prompt_only: bool = False  # run with prompt-mode models only
    backend: MemoryBackend | None = None  # memory categories: which memory
    long_context: bool = False  # fillers are added to the states of its worlds
    snippets: bool = True  # web search: each result has a snippet

    @property
    def single_turn(self) -> bool:
        """True if a response is one request and one answer."""
        return self.group in ("non_live", "live", "format_sensitivity", "executable")

    @property
    def executes(self) -> bool:
        """True if the calls of an answer are executed to score it, some of them over the network."""
        return self.check in (Check.EXECUTION_SIMPLE, Check.EXECUTION, Check.REST)

    @property
    def needs_encoder(self) -> bool:
        """True if its memory searches by the embeddings of a sentence encoder."""
        return self.backend is MemoryBackend.VECTOR


def _memory(name: str, backend: MemoryBackend) -> Category:
    return Category(name, "agentic", Check.MEMORY, 155, prerequisites=37, backend=backend)


_V4 = (
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
    Category("multi_turn_long_context", "multi_turn", Check.MULTI_TURN, 200, long_context=True),
    _memory("memory_kv", MemoryBackend.KEY_VALUE),
    _memory("memory_vector", MemoryBackend.VECTOR),
    _memory("memory_rec_sum", MemoryBackend.SUMMARY),
    Category("web_search_base", "agentic", Check.WEB_SEARCH, 100),
    Category("web_search_no_snippet", "agentic", Check.WEB_SEARCH, 100, snippets=False),
    Category(
        "format_sensitivity",
        "format_sensitivity",
        Check.FORMAT_SENSITIVITY,
        5200,
        scored=False,
        prompt_only=True,
    ),
)

_EXECUTABLE = tuple(
    Category(name, "executable", check, entries, scored=False)
    for name, check, entries in (
        ("exec_simple", Check.EXECUTION_SIMPLE, 100),
        ("exec_multiple", Check.EXECUTION, 50),
        ("exec_parallel", Check.EXECUTION, 50),
        ("exec_parallel_multiple", Check.EXECUTION, 40),
        ("rest", Check.REST, 70),
        ("sql", Check.SIMPLE, 100),
        ("chatable", Check.IRRELEVANCE, 200),
    )
)

_ALL = (*_V4, *_EXECUTABLE)

CATEGORIES: dict[str, Category] = {category.name: category for category in _ALL}
"""Every category by name: those of V4 in the leaderboard's order, then the retired ones of V1."""

V4_CATEGORIES = tuple(category.name for category in _V4)
"""The categories of V4, in the leaderboard's order."""


def _in_group(*groups: str) -> tuple[str, ...]:
    return tuple(c.name for c in _ALL if c.group in groups)


GROUPS: dict[str, tuple[str, ...]] = {
    "all": V4_CATEGORIES,
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
    "executable": _in_group("executable"),
    "v1": _in_group("non_live"),
    "v2": _in_group("live"),
    "v3": _in_group("multi_turn"),
    "v4": _in_group("agentic", "format_sensitivity"),
}
"""The official group names; `executable`, the retired categories of V1; and what each version added that V4
has. Each with its categories."""


def release_sizes() -> dict[str, int]:
    """The entries that the release has of each category."""
    return {name: category.entries for name, category in CATEGORIES.items()}


def resolve_categories(names: Iterable[str]) -> tuple[str, ...]:
    """The categories in `names` (categories or groups), each once, in benchmark order.

    Raises ConfigError, listing the known names, if one is unknown.
    """
    wanted: set[str] = set()
    for name in names:
        if name in GROUPS:
            wanted.update(GROUPS[name])
        elif name in CATEGORIES:
            wanted.add(name)
        else:
            known = [*GROUPS, *CATEGORIES]
            raise ConfigError(unknown_name("category", name, known, former_name_hint(str(name))))
    return tuple(name for name in CATEGORIES if name in wanted)


def category_of(entry_id: str) -> str:
    """The category in an official entry id. Raises ConfigError if `entry_id` is not such an id."""
    match = re.match(r"(?P<category>[a-z_]+?)(?:_prereq)?_\d", entry_id)
    if match is None or match["category"] not in CATEGORIES:
        raise ConfigError(
            f"{entry_id!r} is not an entry id; expected a category and a number, "
            "for example simple_python_3 or live_simple_0-0-0."
            f"{did_you_mean(entry_id.rpartition('_')[0], CATEGORIES)}"
        )
    return match["category"]
