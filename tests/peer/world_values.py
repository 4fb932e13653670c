"""Values for the arguments of generated calls: values of the entry, values of the right type, any others.

Covers the sources of likely values (initial states, results so far, truths, function docs) and unusual
values for any argument. `world_calls` chooses the calls.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

_HERE = "current_directory_content"
_FILES = (_HERE, _HERE, _HERE, "contents", "dir_name", "file_name", "matches")
_STOCKS = ("stocks", "watch_list", "watchlist", "stock_list", "symbol")
_ORDERS = ("order_id", "orders", "history", "id")
_USER_IDS = ("user_map.", "user_id")
_NAMES = ("user_map", "username", "following_list", "user_list")

RELATED: Mapping[str, Sequence[str]] = {
    "access_token": ("access_token",) * 4,
    "booking_id": ("booking_id", "booking_record", "booking_history"),
    "card_id": ("card_id", "credit_card_list"),
    "destination": _FILES,
    "dir_name": _FILES,
    "door": ("doorStatus",),
    "file_name": _FILES,
    "file_name1": _FILES,
    "file_name2": _FILES,
    "first_name": ("user_first_name",),
    "folder": _FILES,
    "insurance_id": ("insurance_id",),
    "last_name": ("user_last_name",),
    "mentioned_usernames": _NAMES,
    "name": _FILES,
    "order_id": _ORDERS,
    "password": ("password",),
    "path": _FILES,
    "receiver_id": _USER_IDS,
    "source": _FILES,
    "stock": _STOCKS,
    "stocks": _STOCKS,
    "symbol": _STOCKS,
    "ticket_id": ("id", "ticket_id"),
    "tweet_id": ("tweets", "id"),
    "user": ("user_map", "user_list"),
    "user_id": _USER_IDS,
    "user_name": _NAMES,
    "username": _NAMES,
    "username_to_follow": _NAMES,
    "username_to_unfollow": ("following_list",),
}
"""By parameter: the keys of states and results that contain its values; "x." are the values of x."""

_LENGTHS = ("km", "m", "cm", "mm", "um", "nm")
_CONVERTED = (
    ("cm", "in"),
    ("m", "ft"),
    ("m", "yd"),
    ("km", "miles"),
    ("kg", "lb"),
    ("celsius", "fahrenheit"),
)

KNOWN_CALLS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "si_unit_conversion": [{"value": 2.5, "unit_in": a, "unit_out": b} for a in _LENGTHS for b in _LENGTHS],
    "imperial_si_conversion": [
        {"value": 12, "unit_in": a, "unit_out": b} for pair in _CONVERTED for a, b in (pair, pair[::-1])
    ],
}
"""Arguments that succeed together, of methods that no truth calls."""

KNOWN_TEXTS: Mapping[str, Sequence[str]] = {
    "unit_in": (*_LENGTHS, *(unit for pair in _CONVERTED for unit in pair)),
    "unit_out": (*_LENGTHS, *(unit for pair in _CONVERTED for unit in pair)),
    "name": ("Apple", "Zeta Corp", "Quasar Ltd.", "report", "a", "."),
    "sector": ("Technology", "Automobile"),
    "start_date": ("2024-09-01", "2024-09-02", "2020-02-29", "2023-02-29", "2024-9-1"),
    "end_date": ("2024-09-01", "2024-09-02", "2024-05-01", "01/09/2024"),
    "status": ("Open", "open", "CLOSED", "Resolved"),
    "path": (".", "/", "..", "./", "*"),
    "folder": ("..", "/", ".", "../", "archive/"),
    "date_of_birth": ("1990-01-01", "2008-03-23", "2008-03-24", "2000-02-29"),
    "passport_number": ("US123", "GB123"),
    "pattern": ("e", "the", " "),
    "keyword": ("e", "the", "#"),
}
"""Likely texts that occur in neither a state nor a truth."""

WORDS_BEFORE_BRACKETS = (
    "ls (now)", "call pwd(1) today", "cd(folder='x')", "add(1, 2)", "total (approx.)", "x.sort (y)",
    "(", "É(1)", "mean\n(all)", "f(g(h()))", "post_tweet  (x) and ls(y)", "'ls' (\"x\")", "_a1 (2)",
    "9ls(1)", "ls(",
)  # fmt: skip
"""Texts that the official code alters before it evaluates a call."""

ODD_TEXTS = (
    "", " ", "a", "0", "1", "None", "True", "..", ".", "/", "a/b", "../x", "./x", "x" * 300, "naïve ☃ 😀",
    "O'Brien", 'say "hi"', "line\nbreak\r\nand\x0bmore", "tab\there", "back\\slash", "{x} %s {0}",
    "\u0000", "\ud800", "ß İ ﬁ", "<a|b>", "*?:", "#tag", "@user", "12", "-5", "1e3", "\u2028",
    *WORDS_BEFORE_BRACKETS,
)  # fmt: skip

ODD_NUMBERS = (
    0, 1, -1, 2, 3, 5, 6, 10, 50, 100, 101, 1000, -7, 10**6, 10**18, -(10**18), 2**63, 10**40, True, False,
    0.0, -0.0, 0.5, 1.0, 5.0, -2.25, 0.1, 1e-300, 1e22, 1e300, -1e300, 120.0, 37.5, 0.30000000000000004,
)  # fmt: skip

RARE_NUMBERS = (float("inf"), float("-inf"), float("nan"), 10**400, 10**3000)


class Known:
    """The values that occurred in one trajectory, by their key."""

    def __init__(self, initial: Mapping[str, Any]) -> None:
        self.values: defaultdict[str, list[Any]] = defaultdict(list)
        for state in initial.values():
            self.note(state)
        for top in initial.get("GorillaFileSystem", {}).get("root", {}).values():
            self.values[_HERE] = [*top["contents"]]

    def note(self, value: Any, key: str = "") -> None:
        """Adds `value`, found under `key`, and the values inside it."""
        if isinstance(value, dict):
            for name, item in [*value.items()][:12]:
                self._add(key, int(name) if name.isdigit() and key in ("tweets", "orders") else name)
                self.note(item, name)
                if not isinstance(item, dict | list):
                    self._add(f"{key}.", item)
        elif isinstance(value, list):
            for item in value[:12]:
                self.note(item, key)
        else:
            self._add(key, value)

    def note_result(self, text: str) -> None:
        """Adds the values of a result, if it is short JSON."""
        if text[:1] in "{[" and len(text) < 4_000:
            with suppress(ValueError):  # some are printed by Python
                result = json.loads(text)
                if isinstance(result, dict) and _HERE in result:
                    self.values[_HERE].clear()  # what was here is elsewhere
                self.note(result)

    def of(self, parameter: str, rng: random.Random) -> list[Any]:
        """The likely values of the parameter, from one key, latest last."""
        keys = [key for key in RELATED.get(parameter, (parameter,)) if self.values.get(key)]
        return self.values[rng.choice(keys)] if keys else []

    def _add(self, key: str, value: Any) -> None:
        values = self.values[key]
        if value not in values:
            values.append(value)
            if len(values) > 24:
                del values[0]


def enumerated(description: str) -> list[str]:
    """The values that a parameter's description lists."""
    found = re.search(r"\[Enum\]: *(\[[^]]*\]|[^.]*)", description)
    if found is None:
        return []
    return [one.strip(" \"'[]") for one in found[1].split(",")]


def typed(kind: str, items: str | None, rng: random.Random) -> Any:
    """An arbitrary value of the documented type."""
    match kind:
        case "string":
            return rng.choice(("notes.txt", "Hello world", "draft", "2024-10-01", "Rome", "budget", "x y"))
        case "integer":
            return rng.choice((rng.randint(0, 5), rng.randint(0, 120), rng.randint(1, 5)))
        case "float":
            plain = (
                rng.randint(0, 50),
                rng.random(),
                round(rng.uniform(-20, 200), 2),
                5 * rng.randint(0, 26),
                1.0,
            )
            return rng.choice(plain)
        case "boolean":
            return rng.random() < 0.5
        case "array":
            return [typed(items or "string", None, rng) for _ in range(rng.randint(1, 4))]
    return {rng.choice(("title", "status", "priority", "x")): rng.choice(("Open", 3, None, "new"))}


def edge(kind: str, items: str | None, rng: random.Random) -> Any:
    """An edge-case value of the documented type, or nearly of it."""
    match kind:
        case "string":
            return odd_text(rng)
        case "integer" | "float":
            return rng.choice(RARE_NUMBERS if rng.random() < 0.02 else ODD_NUMBERS)
        case "boolean":
            return rng.choice((True, False, 0, 1, "False"))
        case "array":
            return [edge(items or "string", None, rng) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
    return {odd_text(rng): anything(rng) for _ in range(rng.randint(0, 2))}


def odd_text(rng: random.Random) -> str:
    """A text that is harmless and hard to handle."""
    text = rng.choice(ODD_TEXTS)
    return text + rng.choice(ODD_TEXTS) if rng.random() < 0.1 else text


def anything(rng: random.Random, depth: int = 2) -> Any:
    """A JSON value of any type."""
    match rng.randrange(9 if depth else 6):
        case 0:
            return None
        case 1:
            return rng.random() < 0.5
        case 2 | 3:
            return rng.choice(ODD_NUMBERS)
        case 4 | 5:
            return odd_text(rng)
        case 6 | 7:
            return [anything(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    return {odd_text(rng): anything(rng, depth - 1) for _ in range(rng.randint(0, 2))}


def words(values: Iterable[Any]) -> list[str]:
    """The words of the texts among `values`."""
    return [word for value in values if isinstance(value, str) for word in value.split()]
