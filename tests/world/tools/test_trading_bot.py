from __future__ import annotations

import json
from typing import Any

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import Constants, World, WorldConfig
from bfcl_pipeline.world.tools.trading.api import TradingBot

OPEN = {"authenticated": True, "market_status": "Open"}


def bot(setting: WorldConfig, **initial: Any) -> TradingBot:
    return TradingBot.load(OPEN | initial, setting)


@pytest.fixture
def full(constants: Constants) -> WorldConfig:
    """The configuration of an entry of multi_turn_long_context."""
    return WorldConfig(constants, long_context=True)


def test_defaults(setting: WorldConfig) -> None:
    """An entry without a state starts logged out, with two orders under numbers."""
    api = TradingBot.load({}, setting)
    assert api.trading_get_login_status() == {"status": False}
    assert list(api.state.orders) == [12345, 12446]
    assert api.get_order_details(12345)["symbol"] == "AAPL"
    assert api.state.long_context is False


def test_order_ids(setting: WorldConfig) -> None:
    """Order ids that are digits become numbers; the odd keys of some entries stay unchanged."""
    api = bot(setting, orders={"7": {"status": "Open"}, "order_type": "Buy"})
    assert api.get_order_history() == {"history": [7, "order_type"]}
    assert api.cancel_order(7) == {"order_id": 7, "status": "Cancelled"}
    assert api.get_order_details(8) == {
        "error": "Order with ID 8 not found.Here is the list of orders_id: [7, 'order_type']"
    }


def test_cancel_completed(setting: WorldConfig) -> None:
    """A completed order cannot be cancelled."""
    error = {"error": "Can't cancel order 12345. Order is already completed."}
    assert bot(setting).cancel_order(12345) == error


def test_order_is_pending_then_open(setting: WorldConfig) -> None:
    """The result of a new order is pending, its state open; the price is a float, the balance unchanged."""
    api = bot(setting, order_counter=5)
    placed = api.place_order("Buy", "AAPL", 100, 3)
    assert json.dumps(placed) == (
        '{"order_id": 5, "order_type": "Buy", "status": "Pending", "price": 100.0, "amount": 3}'
    )
    assert api.get_order_details(5)["status"] == "Open"
    assert api.state.order_counter == 6
    assert api.get_account_info()["balance"] == 10000.0


@pytest.mark.parametrize(
    ("order", "error"),
    [
        (("Buy", "NONE", 1, 1), "Invalid stock symbol: NONE"),
        (("Buy", "AAPL", 0, 1), "Price and amount must be positive values."),
        (
            ("BUY", "AAPL", 5000.5, 2),
            "Insufficient funds: required $10001.00 but only $10000.00 available.",
        ),
    ],
)
def test_refused_orders(setting: WorldConfig, order: tuple[Any, ...], error: str) -> None:
    """An order for an unknown stock, for zero, or beyond the balance is refused."""
    assert bot(setting).place_order(*order) == {"error": error}


def test_selling_costs_nothing(setting: WorldConfig) -> None:
    """Only purchases are compared with the balance."""
    assert bot(setting).place_order("Sell", "AAPL", 5000, 1000)["status"] == "Pending"


def test_transactions(setting: WorldConfig) -> None:
    """Transactions change the balance, at times that depend on the seed."""
    api = bot(setting)
    assert api.fund_account(500) == {"status": "Account funded successfully", "new_balance": 10500.0}
    assert api.withdraw_funds(0.5) == {"status": "Withdrawal successful", "new_balance": 10499.5}
    history = api.state.transaction_history
    assert [(one["type"], one["amount"]) for one in history] == [("deposit", 500), ("withdrawal", 0.5)]
    again = bot(setting)
    again.fund_account(1)
    assert again.state.transaction_history[0]["timestamp"] == history[0]["timestamp"]
    other = bot(setting, random_seed=1)
    other.fund_account(1)  # the moment is the one that the release's own trading system draws
    assert other.state.transaction_history[0]["timestamp"] == "2024-09-01 15:23:31"


def test_closed_market(setting: WorldConfig) -> None:
    """A closed market refuses withdrawals and accepts deposits."""
    api = bot(setting, market_status="Closed")
    assert api.withdraw_funds(1) == {"error": "Market is closed. Transactions are not allowed."}
    assert api.fund_account(1)["new_balance"] == 10001.0


def test_history_range(setting: WorldConfig) -> None:
    """Of the end date only midnight is included, and a date in another format fails."""
    kept = [{"timestamp": "2024-09-01 00:00:00"}, {"timestamp": "2024-09-02 08:00:00"}]
    api = bot(setting, transaction_history=kept)
    assert api.get_transaction_history("2024-09-01", "2024-09-02") == {"transaction_history": kept[:1]}
    with pytest.raises(ValueError, match=r"time data '9/1' does not match format '%Y-%m-%d'"):
        api.get_transaction_history("9/1")


def test_logged_out(setting: WorldConfig) -> None:
    """Without a login, refusals have three forms: a mapping, a list with one, a list with a text."""
    api = TradingBot.load({}, setting)
    told = "User not authenticated. Please log in to view "
    assert api.get_account_info() == {"error": f"{told}account information."}
    assert api.get_order_history() == [{"error": f"{told}order history."}]
    assert api.get_watchlist() == [f"Error: {told}the watchlist."]


def test_watch_list(setting: WorldConfig) -> None:
    """A known stock is added to the watch list once, without a login; removal needs one."""
    api = TradingBot.load({}, setting)
    for symbol in ("AAPL", "AAPL", "NONE"):
        watched = api.add_to_watchlist(symbol)
    assert watched == {"watchlist": ["NVDA", "AAPL"]}
    assert "error" in api.remove_stock_from_watchlist("NVDA")
    api.trading_login("anybody", "")
    api.remove_stock_from_watchlist("NVDA")
    assert api.get_watchlist() == {"watchlist": ["AAPL"]}


def test_market(setting: WorldConfig) -> None:
    """Names, sectors, prices and changes are looked up in the state."""
    api = bot(setting)
    assert api.get_current_time() == {"current_time": "10:30 AM"}
    assert api.get_symbol_by_name("Zeta Corp") == {"symbol": "ZETA"}
    assert api.get_symbol_by_name("zeta corp") == {"symbol": "Stock not found"}
    assert api.get_available_stocks("Automobile") == {"stock_list": ["TSLA", "F", "GM"]}
    assert api.get_available_stocks("Energy") == {"stock_list": []}
    stocks = ["AAPL", "ZETA", "NONE"]
    assert api.filter_stocks_by_price(stocks, 0, 100) == {"filtered_stocks": ["ZETA", "NONE"]}
    told = "Stocks AAPL have significant price changes."
    assert api.notify_price_change(stocks, 0.1) == {"notification": told}


def test_long_context(full: WorldConfig) -> None:
    """A long context adds fillers to results, the same at every call, and not to the state."""
    api = bot(full)
    for _ in range(2):
        transactions: Any = api.get_transaction_history()
        assert len(api.get_stock_info("AAPL")["MA(5)"]) == 2000
        assert api.get_order_details(12446)["metadata"]["company_overview"].lstrip().startswith("GOOG is")
        assert len(transactions["transaction_history"]) == 1000
        assert len(api.get_available_stocks("Technology")["stock_list"]) == 1004
    assert api.state.stocks["AAPL"]["MA(5)"] == 227.11
    assert "metadata" not in api.state.orders[12446]
    assert api.state.transaction_history == []
    assert api.state.long_context is True


def test_long_watch_list(full: WorldConfig) -> None:
    """The long watch list prints like a Python list, with Python's `...` at its end."""
    world = World.of(["TradingBot"], {"TradingBot": OPEN}, full, "m")
    told = world.run(Call("get_watchlist", {}))
    assert told.startswith("['NVDA', ")
    assert told.endswith(", Ellipsis]")


def test_wrong_types(setting: WorldConfig) -> None:
    """An amount that is not a number fails with Python's message."""
    world = World.of(["TradingBot"], {"TradingBot": OPEN}, setting, "m")
    failed = world.run(Call("fund_account", {"amount": "5"}))
    assert failed == "Error during execution: '<=' not supported between instances of 'str' and 'int'"


def test_seed(setting: WorldConfig) -> None:
    """A seed that would make conversations irreproducible is refused."""
    with pytest.raises(MalformedRelease, match="random_seed"):
        bot(setting, random_seed=None)
