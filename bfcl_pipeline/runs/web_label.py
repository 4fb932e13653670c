"""The mark of scores from a web that is not the real one, and the note that explains it.

The column `web` of the tables names the web that was searched by its mode.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of

MARK = "\N{DAGGER}"
"""The mark of a score that contains results from such a web."""

SIMULATED = "simulated"
"""The simulated web; also the one with which calls are executed if a response names none."""

UNKNOWN = "unknown"
"""The web of recorded answers, if neither the results nor the model's row names it."""

UNREAL: Mapping[str, str] = {
    SIMULATED: "simulated web, not the real one",
    "off": "no web tools",
    UNKNOWN: "web not recorded",
}
"""The webs whose scores are marked, with their text in the note. All others are the real web."""

_SEPARATOR = ", "


def join_webs(webs: Iterable[str]) -> str | None:
    """The webs in the form of the column `web`; None if there is none."""
    return _SEPARATOR.join(sorted(set(webs))) or None


def split_webs(web: str | None) -> list[str]:
    """The webs in a value of the column `web`."""
    return web.split(_SEPARATOR) if web else []


def unreal(web: str | None) -> list[str]:
    """The webs in a value of the column `web` that are not what the leaderboard searches."""
    return [name for name in split_webs(web) if name in UNREAL]


def mark(web: str | None) -> str:
    """The mark of a number from the webs in a value of the column `web`; empty if all are real."""
    return MARK if unreal(web) else ""


def score_mark(row: Mapping[str, Any], name: str, web: str | None) -> str:
    """The mark of the score `name` of a leaderboard row; empty if it contains no unreal web."""
    searched = [category for category in categories_of(name) if category in GROUPS["web_search"]]
    return mark(web) if any(row[category] is not None for category in searched) else ""


def note(webs: Iterable[str | None]) -> str:
    """The meaning of the mark in one line; empty if none of `webs` is marked."""
    marked = {name for web in webs for name in unreal(web)}
    meaning = ", or ".join(text for name, text in UNREAL.items() if name in marked)
    return f"{MARK} {meaning}: not comparable with the leaderboard" if meaning else ""
