"""What the travel agency holds, and how it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from bfcl_pipeline.records import Json
from bfcl_pipeline.tools.api import Setting
from bfcl_pipeline.tools.state import copied, fill

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


def _add_missing(records: dict[str, Record], setting: Setting, filler: str) -> None:
    for key, record in setting.constants.table("long_context", filler).items():
        if key not in records:
            records[key] = copied(record)
