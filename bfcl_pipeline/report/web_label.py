"""How a score from a web that is not the real one is told from others, wherever it is shown.

Covers which webs those are, the mark, and the note that explains it. What web was searched stands in the
column `web` of the tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bfcl_pipeline.benchmark import GROUPS
from bfcl_pipeline.benchmark.leaderboard import categories_of

MARK = "\N{DAGGER}"
"""What marks a score that such a web is part of."""

UNREAL: Mapping[str, str] = {
    "simulated": "simulated web, not the real one",
    "off": "no web tools",
}
"""The webs whose scores are marked, and what the note says of each. All others are the real one."""

_SEPARATOR = ", "


def joined(webs: Iterable[str]) -> str | None:
    """The webs as the column `web` names them; None if there is none."""
    return _SEPARATOR.join(sorted(set(webs))) or None


def split(web: str | None) -> list[str]:
    """The webs in a column `web`."""
    return web.split(_SEPARATOR) if web else []


def unreal(web: str | None) -> list[str]:
    """Those of the webs in a column `web` that are not the real one."""
    return [one for one in split(web) if one in UNREAL]


def mark(web: str | None) -> str:
    """The mark of a number from the webs in a column `web`; empty if all are real or there is none."""
    return MARK if unreal(web) else ""


def score_mark(row: Mapping[str, Any], name: str, web: str | None) -> str:
    """The mark of the score `name` of a leaderboard row; empty if no unreal web is part of it."""
    searched = [category for category in categories_of(name) if category in GROUPS["web_search"]]
    return mark(web) if any(row[category] is not None for category in searched) else ""


def note(webs: Iterable[str | None]) -> str:
    """What the mark means, in one line; empty if none of `webs` is marked."""
    found = {one for web in webs for one in unreal(web)}
    said = ", or ".join(about for one, about in UNREAL.items() if one in found)
    return f"{MARK} {said}: not comparable with the leaderboard" if said else ""
