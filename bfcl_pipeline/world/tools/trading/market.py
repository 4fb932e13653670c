"""The static market data of the trading bot: the time, sectors, and fillers.

Also reads and draws points in time, which have no time zone. Source: the behaviour of the release's
trading_bot.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any, Self

from bfcl_pipeline.benchmark.constants import Constants
from bfcl_pipeline.world.tools.state import copy_value

NOW = datetime(2024, 9, 1, 10, 30)
"""The time of every conversation."""

NOW_ON_THE_CLOCK = "10:30 AM"

SECTORS = {"Technology": ("AAPL", "GOOG", "MSFT", "NVDA"), "Automobile": ("TSLA", "F", "GM")}
"""Symbols by sector."""

_DAY_SECONDS = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Fillers:
    """The additions to results in a long context; copied with `state.copied` before they are returned."""

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
        """A stock with the fillers as its moving averages."""
        averages: dict[str, Any] = copy_value(self.averages)
        return stock.copy() | averages

    def details(self, order: dict[str, Any]) -> dict[str, Any]:
        """An order with filler texts about its symbol."""
        details = order.copy()
        symbol = details["symbol"]
        details["metadata"] = {name: text.format(symbol=symbol) for name, text in self.order.items()}
        return details


def drawn_moment(random: Random) -> str:
    """A random time within 24 hours of NOW, as text; draws one number of seconds from `random`."""
    moment = NOW + timedelta(seconds=random.randint(0, _DAY_SECONDS))
    return moment.isoformat(sep=" ", timespec="seconds")


def read_moment(text: str) -> datetime:
    """The time in a text of `drawn_moment`. Raises ValueError for any other form."""
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S")


def day(text: str) -> datetime:
    """The start of the day `text`. Raises ValueError unless it has the form YYYY-MM-DD."""
    return datetime.strptime(text, "%Y-%m-%d")
