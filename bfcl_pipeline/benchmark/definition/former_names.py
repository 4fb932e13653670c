"""Names that categories had in earlier versions of the benchmark, and what they are called now, as data."""

from collections.abc import Mapping

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
