"""What the trading bot knows of the market beside its state: the hour, sectors, names, fillers.

Covers telling and drawing points in time and what a result is filled up with in long context. Source:
the behaviour of the release's trading_bot. Time has no zone: it is computed as if in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any, Self

from bfcl_pipeline.tools.constants import Constants
from bfcl_pipeline.tools.state import copied

NOW = datetime(2024, 9, 1, 10, 30)
"""When every conversation takes place."""

NOW_ON_THE_CLOCK = "10:30 AM"

SECTORS = {"Technology": ("AAPL", "GOOG", "MSFT", "NVDA"), "Automobile": ("TSLA", "F", "GM")}
"""Symbols by sector."""

_DAY_SECONDS = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Fillers:
    """What results are filled up with in long context. Whoever shows one copies it (`state.copied`)."""

    watch_list: list[Any]  # symbols; the last item is Python's `...`
    transactions: list[Any]
    averages: dict[str, list[Any]]  # by name of the moving average
    sectors: dict[str, list[Any]]  # further symbols by sector
    order: dict[str, str]  # templates of an order's metadata, with {symbol}

    @classmethod
    def of(cls, constants: Constants) -> Self:
        """The fillers of the release."""

        def items(name: str) -> list[Any]:
            return constants.items("long_context", name)

        return cls(
            watch_list=items("WATCH_LIST_EXTENSION"),
            transactions=items("TRANSACTION_HISTORY_EXTENSION"),
            averages={"MA(5)": items("MA_5_EXTENSION"), "MA(20)": items("MA_20_EXTENSION")},
            sectors={
                "Technology": items("TECHNOLOGY_EXTENSION"),
                "Automobile": items("AUTOMOBILE_EXTENSION"),
            },
            order=constants.table("long_context", "ORDER_DETAIL_EXTENSION"),
        )

    def stock(self, stock: dict[str, Any]) -> dict[str, Any]:
        """A stock as shown: its moving averages are the fillers."""
        averages: dict[str, Any] = copied(self.averages)
        return stock.copy() | averages

    def details(self, order: dict[str, Any]) -> dict[str, Any]:
        """An order as shown: with texts about its symbol."""
        shown = order.copy()
        symbol = shown["symbol"]
        shown["metadata"] = {name: text.format(symbol=symbol) for name, text in self.order.items()}
        return shown


def drawn_moment(random: Random) -> str:
    """A moment of the day that begins now, as text: one draw of seconds from `random`."""
    moment = NOW + timedelta(seconds=random.randint(0, _DAY_SECONDS))
    return moment.isoformat(sep=" ", timespec="seconds")


def moment(text: str) -> datetime:
    """The moment that `drawn_moment` writes so. Raises ValueError if `text` is none."""
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S")


def day(text: str) -> datetime:
    """The first moment of a day. Raises ValueError if `text` is not one in the form YYYY-MM-DD."""
    return datetime.strptime(text, "%Y-%m-%d")
