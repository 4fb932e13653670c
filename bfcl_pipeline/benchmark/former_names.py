"""Names that categories had in earlier versions of the benchmark, and what V4 has instead, as data."""

from collections.abc import Mapping

FORMER: Mapping[str, tuple[str, ...]] = {
    "simple": ("simple_python",),
    "java": ("simple_java",),
    "javascript": ("simple_javascript",),
    "relevance": ("live_relevance",),
    "ast": ("non_live", "live"),
    "multi_turn_composite": (),
}
"""Each former name of a category or group with those of V4; empty if V4 has none."""


def former_name_hint(name: str) -> str:
    """What V4 has instead of a category with this name, as a sentence; empty if the name never was one."""
    if name not in FORMER:
        return ""
    instead = " and ".join(map(repr, FORMER[name]))
    return f"In V4 it is {instead}." if instead else "V4 has no such category any more."
