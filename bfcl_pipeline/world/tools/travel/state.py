"""The state of the travel agency, and its start from an entry."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import WorldConfig
from bfcl_pipeline.world.tools.state import copy_value, fill

Record = dict[str, Any]


@dataclass(slots=True)
class TravelState:
    """The state that the checker compares."""

    credit_card_list: dict[str, Record]  # by card id, not by card number
    booking_record: dict[str, Record]  # by booking id
    access_token: str | None
    token_type: str | None
    token_expires_in: int | None  # 0 if expired, None before any authentication
    token_scope: str | None
    user_first_name: str | None
    user_last_name: str | None
    budget_limit: float | None  # US dollars
    long_context: bool  # whether fillers are added


@dataclass(slots=True)
class _Hidden:
    random_seed: int


def start(initial: Mapping[str, Json], config: WorldConfig) -> tuple[TravelState, Random]:
    """The initial state of an entry, and the generator of ids and balances.

    A long context adds cards and bookings with ids that the entry does not use. In the release all
    conversations share them; here each conversation has its own copies.
    """
    defaults = config.constants.table("travel_booking", "DEFAULT_STATE")
    state = fill(TravelState, {**initial, "long_context": config.long_context}, defaults)
    if config.long_context:
        _add_missing(state.credit_card_list, config, "CREDIT_CARD_EXTENSION")
        _add_missing(state.booking_record, config, "BOOKING_RECORD_EXTENSION")
    seed = fill(_Hidden, initial, defaults).random_seed
    return state, Random(seed)  # noqa: S311  # the release's generator; not for secrets


def _add_missing(records: dict[str, Record], config: WorldConfig, filler: str) -> None:
    for key, record in config.constants.table("long_context", filler).items():
        if key not in records:
            records[key] = copy_value(record)
