"""TradingBot: an account for trading stocks.

Covers orders, the balance of the account, a watch list and stock data. The market is static: no order is
executed and no price changes. Source: the function docs and the behaviour of the release's trading_bot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any, Self

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import WorldConfig, changes, reads, refuse_call
from bfcl_pipeline.world.tools.state import copy_value, fill
from bfcl_pipeline.world.tools.trading.market import (
    NOW_ON_THE_CLOCK,
    SECTORS,
    Fillers,
    day,
    drawn_moment,
    read_moment,
)

Record = dict[str, Any]

_MODULE = "trading_bot"


@dataclass(slots=True)
class TradingState:
    """The state that the checker compares."""

    orders: dict[Any, Any]  # by id; some entries have keys that are not ids
    account_info: Record  # account_id, balance, binding_card
    authenticated: bool  # whether a user is logged in
    market_status: str  # withdrawals need "Open"
    order_counter: int  # id of the next order
    stocks: dict[str, Record]  # by symbol
    watch_list: list[str]  # symbols
    transaction_history: list[Record]  # deposits and withdrawals, oldest first
    long_context: bool  # whether fillers are added to results


class TradingBot:
    """The trading system."""

    def __init__(
        self,
        state: TradingState,
        symbols: Mapping[str, str],
        random: Random,
        fillers: Fillers | None = None,
    ) -> None:
        self.state = state
        self._symbols = symbols  # by company name
        self._random = random  # draws the times of transactions
        self._fillers = fillers  # in a long context, else None

    @classmethod
    def load(cls, initial: Mapping[str, Json], config: WorldConfig) -> Self:
        """The initial account of an entry; order ids become numbers."""
        constants = config.constants
        table = constants.table(_MODULE, "DEFAULT_STATE")
        defaults = {**table, "orders": dict(table["orders"])}  # staged as pairs, since the ids are numbers
        state = fill(TradingState, {**initial, "long_context": config.long_context}, defaults)
        state.orders = {_order_id(key): order for key, order in state.orders.items()}
        seed = initial.get("random_seed", defaults["random_seed"])
        if not isinstance(seed, int | float | str):
            raise MalformedRelease(
                f"initial state of TradingState: random_seed: expected a number, got {seed!r}"
            )
        return cls(
            state,
            symbols=constants.table(_MODULE, "TradingBot.get_symbol_by_name.symbol_map"),
            random=Random(seed),  # noqa: S311  # the release's generator of timestamps
            fillers=Fillers.of(constants) if config.long_context else None,
        )

    @reads
    def get_current_time(self) -> dict[str, str]:
        """The time of day, which is constant."""
        return {"current_time": NOW_ON_THE_CLOCK}

    @reads
    def get_symbol_by_name(self, name: str) -> dict[str, str]:
        """The symbol of a company, by its exact name."""
        return {"symbol": self._symbols.get(name, "Stock not found")}

    @reads
    def get_stock_info(self, symbol: str) -> Record:
        """Price, change, volume and moving averages of a stock."""
        if symbol not in self.state.stocks:
            return refuse_call(f"Stock with symbol '{symbol}' not found.")
        stock = self.state.stocks[symbol]
        return stock if self._fillers is None else self._fillers.stock(stock)

    @reads
    def get_order_details(self, order_id: int) -> Record:
        """The order with that id."""
        orders = self.state.orders
        if order_id not in orders:
            return refuse_call(
                f"Order with ID {order_id} not found.Here is the list of orders_id: {list(orders.keys())}"
            )
        order: Record = orders[order_id]
        return order if self._fillers is None else self._fillers.details(order)

    @changes
    def cancel_order(self, order_id: int) -> Record:
        """Sets the status of an order that is not completed to Cancelled."""
        orders = self.state.orders
        if order_id not in orders:
            return refuse_call(f"Order with ID {order_id} not found.")
        if orders[order_id]["status"] == "Completed":
            return refuse_call(f"Can't cancel order {order_id}. Order is already completed.")
        orders[order_id]["status"] = "Cancelled"
        return {"order_id": order_id, "status": "Cancelled"}

    @changes
    def place_order(self, order_type: str, symbol: str, price: float, amount: int) -> Record:
        """Adds an open order, which the result calls pending; a purchase must not exceed the balance."""
        state = self.state
        if not state.authenticated:
            return _unauthenticated("place an order")
        if symbol not in state.stocks:
            return refuse_call(f"Invalid stock symbol: {symbol}")
        if price <= 0 or amount <= 0:
            return refuse_call("Price and amount must be positive values.")
        if order_type.lower() == "buy":
            cost = float(price) * int(amount)
            balance = state.account_info.get("balance", 0)
            if cost > balance:
                return refuse_call(
                    f"Insufficient funds: required ${cost:.2f} but only ${balance:.2f} available."
                )
        order = {
            "id": state.order_counter,
            "order_type": order_type,
            "symbol": symbol,
            "price": float(price),
            "amount": amount,
            "status": "Open",
        }
        state.orders[state.order_counter] = order
        state.order_counter += 1
        return {
            "order_id": order["id"],
            "order_type": order_type,
            "status": "Pending",
            "price": order["price"],
            "amount": amount,
        }

    @changes
    def withdraw_funds(self, amount: float) -> Record:
        """Subtracts an amount from the balance, if the market is open."""
        state = self.state
        if not state.authenticated:
            return _unauthenticated("make a transaction")
        if state.market_status != "Open":
            return refuse_call("Market is closed. Transactions are not allowed.")
        if amount <= 0:
            return refuse_call("Transaction amount must be positive.")
        if amount > state.account_info["balance"]:
            return refuse_call("Insufficient funds for withdrawal.")
        state.account_info["balance"] -= amount
        return self._recorded("withdrawal", amount, "Withdrawal successful")

    @reads
    def get_account_info(self) -> Record:
        """Id, balance and card of the account."""
        if not self.state.authenticated:
            return _unauthenticated("view account information")
        return self.state.account_info

    @changes
    def trading_login(self, username: str, password: str) -> dict[str, str]:  # noqa: ARG002  # not checked
        """Logs in with any name and password."""
        if self.state.authenticated:
            return {"status": "Already logged in"}
        self.state.authenticated = True
        return {"status": "Logged in successfully"}

    @reads
    def trading_get_login_status(self) -> dict[str, bool]:
        """Whether a user is logged in."""
        return {"status": bool(self.state.authenticated)}

    @changes
    def trading_logout(self) -> dict[str, str]:
        """Logs out the current user."""
        if not self.state.authenticated:
            return {"status": "No user is currently logged in"}
        self.state.authenticated = False
        return {"status": "Logged out successfully"}

    @changes
    def fund_account(self, amount: float) -> Record:
        """Adds an amount to the balance, even if the market is closed."""
        if not self.state.authenticated:
            return _unauthenticated("fund the account")
        if amount <= 0:
            return refuse_call("Funding amount must be positive.")
        self.state.account_info["balance"] += amount
        return self._recorded("deposit", amount, "Account funded successfully")

    @changes
    def remove_stock_from_watchlist(self, symbol: str) -> dict[str, str]:
        """Removes a stock from the watch list."""
        state = self.state
        if not state.authenticated:
            return _unauthenticated("modify the watchlist")
        if symbol not in state.watch_list:
            return refuse_call(f"Stock {symbol} not found in watchlist.")
        state.watch_list.remove(symbol)
        return {"status": f"Stock {symbol} removed from watchlist successfully."}

    @reads
    def get_watchlist(self) -> Record | list[Any]:
        """The watch list; in a long context it is the result itself, without a mapping around it."""
        if not self.state.authenticated:
            return ["Error: User not authenticated. Please log in to view the watchlist."]
        if self._fillers is not None:
            return [*self.state.watch_list, *self._fillers.watch_list]
        return {"watchlist": self.state.watch_list}

    @reads
    def get_order_history(self) -> Record | list[Record]:
        """The ids of all orders."""
        if not self.state.authenticated:
            return [_unauthenticated("view order history")]
        return {"history": list(self.state.orders.keys())}

    @reads
    def get_transaction_history(
        self, start_date: str | None = None, end_date: str | None = None
    ) -> Record | list[Record]:
        """The transactions from the start of one day to the start of another."""
        if not self.state.authenticated:
            return [_unauthenticated("view transaction history")]
        start = day(start_date) if start_date else datetime.min
        end = day(end_date) if end_date else datetime.max
        history = self.state.transaction_history
        selected = [entry for entry in history if start <= read_moment(entry["timestamp"]) <= end]
        if self._fillers is not None:
            selected += copy_value(self._fillers.transactions)
        return {"transaction_history": selected}

    @reads
    def get_available_stocks(self, sector: str) -> dict[str, list[str]]:
        """The symbols of a sector."""
        fillers = {} if self._fillers is None else self._fillers.sectors
        return {"stock_list": [*SECTORS.get(sector, ()), *fillers.get(sector, ())]}

    @reads
    def filter_stocks_by_price(
        self, stocks: list[str], min_price: float, max_price: float
    ) -> dict[str, list[str]]:
        """The stocks with a price in a range; the price of an unknown stock is 0."""
        prices = ((symbol, self.state.stocks.get(symbol, {}).get("price", 0)) for symbol in stocks)
        return {
            "filtered_stocks": [
                symbol for symbol, price in prices if price >= min_price and price <= max_price
            ]
        }

    @changes
    def add_to_watchlist(self, stock: str) -> dict[str, list[str]]:
        """Adds a known stock to the watch list, once; no login is needed."""
        state = self.state
        if stock not in state.watch_list and stock in state.stocks:
            state.watch_list.append(stock)
        return {"watchlist": state.watch_list}

    @reads
    def notify_price_change(self, stocks: list[str], threshold: float) -> dict[str, str]:
        """The stocks that have changed by `threshold` percent or more, up or down."""
        known = self.state.stocks
        moved = [
            name for name in stocks if name in known and abs(known[name]["percent_change"]) >= threshold
        ]
        if not moved:
            return {"notification": "No significant price changes in the selected stocks."}
        return {"notification": f"Stocks {', '.join(moved)} have significant price changes."}

    def _recorded(self, kind: str, amount: float, status: str) -> Record:
        """Records a transaction and returns its result."""
        state = self.state
        state.transaction_history.append(
            {"type": kind, "amount": amount, "timestamp": drawn_moment(self._random)}
        )
        return {"status": status, "new_balance": state.account_info["balance"]}


def _order_id(key: Any) -> Any:
    return int(key) if isinstance(key, str) and key.isdigit() else key


def _unauthenticated(what: str) -> Record:
    return refuse_call(f"User not authenticated. Please log in to {what}.")
