"""What the travel agency holds, how it starts, and how much a model may put into it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

from bfcl_pipeline.records import Json
from bfcl_pipeline.tools.api import Setting
from bfcl_pipeline.tools.limits import BoundExceeded
from bfcl_pipeline.tools.state import copied, fill

MAX_KEPT = 200_000
"""Characters and values that a conversation may leave in names, scopes and cards, all together."""

Record = dict[str, Any]


@dataclass(slots=True)
class TravelState:
    """The agency as far as the checker compares it."""

    credit_card_list: dict[str, Record]  # by card id, not by card number
    booking_record: dict[str, Record]  # by booking id
    access_token: str | None
    token_type: str | None
    token_expires_in: int | None  # 0 if expired, None if nobody authenticated
    token_scope: str | None
    user_first_name: str | None
    user_last_name: str | None
    budget_limit: float | None  # US dollars
    long_context: bool  # whether fillers are added


@dataclass(slots=True)
class _Hidden:
    random_seed: int


def start(initial: Mapping[str, Json], setting: Setting) -> tuple[TravelState, Random]:
    """The agency that an entry starts with, and what ids and balances are drawn from.

    In a long context cards and bookings are added whose ids the entry does not use. The release shares
    them among all its conversations; here each conversation has its own.
    """
    defaults = setting.constants.table("travel_booking", "DEFAULT_STATE")
    state = fill(TravelState, {**initial, "long_context": setting.long_context}, defaults)
    if setting.long_context:
        _add_missing(state.credit_card_list, setting, "CREDIT_CARD_EXTENSION")
        _add_missing(state.booking_record, setting, "BOOKING_RECORD_EXTENSION")
    seed = fill(_Hidden, initial, defaults).random_seed
    return state, Random(seed)  # noqa: S311  # the draws of the release, no secrets


class Room:
    """How much more a conversation may leave in the state.

    Without it a result that repeats the state could be put into the state, and so on.
    """

    def __init__(self) -> None:
        self._left = MAX_KEPT

    def keep(self, *values: Any) -> list[Any]:
        """A copy of each, sharing nothing with the state. Raises BoundExceeded if there is no room."""
        left = self._left
        unseen = [*values]
        while unseen:
            one = unseen.pop()
            left -= 1 + (len(one) if isinstance(one, str) else 0)
            if left < 0:
                raise BoundExceeded("no room left for what the call puts into the state")
            if isinstance(one, dict):
                unseen += [*one.keys(), *one.values()]
            elif isinstance(one, list | tuple):
                unseen += one
        kept = deepcopy([*values])
        self._left = left
        return kept


def _add_missing(records: dict[str, Record], setting: Setting, filler: str) -> None:
    for key, record in setting.constants.table("long_context", filler).items():
        if key not in records:
            records[key] = copied(record)
