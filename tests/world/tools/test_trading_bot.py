"""What users of the simulated trading system rely on, and the release's quirks."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import Constants, World, WorldConfig
from bfcl_pipeline.world.tools.trading.api import TradingBot
from tests.world.tools.scenes import scene_test, scenes

INITIAL = {"authenticated": True, "market_status": "Open"}

SCENES = scenes(
    r"""
# An entry without a state starts logged out, with two orders under numbers.
given only {}
trading_get_login_status() => {"status": false}
state.orders => {12345: {'id': 12345, 'order_type': 'Buy', 'symbol': 'AAPL', 'price': 210.65, 'amount':
    10, 'status': 'Completed'}, 12446: {'id': 12446, 'order_type': 'Sell', 'symbol': 'GOOG', 'price':
    2840.56, 'amount': 5, 'status': 'Pending'}}
state.long_context => False

# Order ids that are digits become numbers; the odd keys of some entries stay unchanged.
given {'orders': {'7': {'status': 'Open'}, 'order_type': 'Buy'}}
get_order_history() => {"history": [7, "order_type"]}
cancel_order(order_id=7) => {"order_id": 7, "status": "Cancelled"}
get_order_details(order_id=8) => {"error": "Order with ID 8 not found.Here is the list of orders_id: [7,
    'order_type']"}

# A completed order cannot be cancelled.
cancel_order(order_id=12345) => {"error": "Can't cancel order 12345. Order is already completed."}

# The result of a new order is pending, its state open; the price is a float, the balance unchanged.
given {'order_counter': 5}
place_order(order_type='Buy', symbol='AAPL', price=100, amount=3) => {"order_id": 5, "order_type":
    "Buy", "status": "Pending", "price": 100.0, "amount": 3}
get_order_details(order_id=5) => {"id": 5, "order_type": "Buy", "symbol": "AAPL", "price": 100.0,
    "amount": 3, "status": "Open"}
state.order_counter => 6
get_account_info() => {"account_id": 12345, "balance": 10000.0, "binding_card": 1974202140965533}

# An order for an unknown stock, for zero, or beyond the balance is refused; selling costs nothing.
place_order(order_type='Buy', symbol='NONE', price=1, amount=1) => {"error": "Invalid stock symbol:
    NONE"}
place_order(order_type='Buy', symbol='AAPL', price=0, amount=1) => {"error": "Price and amount must be
    positive values."}
place_order(order_type='BUY', symbol='AAPL', price=5000.5, amount=2) => {"error": "Insufficient funds:
    required $10001.00 but only $10000.00 available."}
place_order(order_type='Sell', symbol='AAPL', price=5000, amount=1000) => {"order_id": 12446,
    "order_type": "Sell", "status": "Pending", "price": 5000.0, "amount": 1000}

# Transactions change the balance, at times that depend on the seed.
fund_account(amount=500) => {"status": "Account funded successfully", "new_balance": 10500.0}
withdraw_funds(amount=0.5) => {"status": "Withdrawal successful", "new_balance": 10499.5}
state.transaction_history => [{'type': 'deposit', 'amount': 500, 'timestamp': '2024-09-02 05:40:15'},
    {'type': 'withdrawal', 'amount': 0.5, 'timestamp': '2024-09-01 12:26:34'}]

# The time of a transaction is the one that the release's own trading system draws with another seed.
given {'random_seed': 1}
fund_account(amount=1) => {"status": "Account funded successfully", "new_balance": 10001.0}
state.transaction_history => [{'type': 'deposit', 'amount': 1, 'timestamp': '2024-09-01 15:23:31'}]

# A closed market refuses withdrawals and accepts deposits.
given {'market_status': 'Closed'}
withdraw_funds(amount=1) => {"error": "Market is closed. Transactions are not allowed."}
fund_account(amount=1) => {"status": "Account funded successfully", "new_balance": 10001.0}

# Of the end date only midnight is included, and a date in another format fails.
given {'transaction_history': [{'timestamp': '2024-09-01 00:00:00'}, {'timestamp': '2024-09-02
    08:00:00'}]}
get_transaction_history(start_date='2024-09-01', end_date='2024-09-02') => {"transaction_history":
    [{"timestamp": "2024-09-01 00:00:00"}]}
get_transaction_history(start_date='9/1') => Error during execution: time data '9/1' does not match
    format '%Y-%m-%d'

# Without a login, refusals have three forms: a mapping, a list with one, a list with a text.
given only {}
get_account_info() => {"error": "User not authenticated. Please log in to view account information."}
get_order_history() => [{'error': 'User not authenticated. Please log in to view order history.'}]
get_watchlist() => ['Error: User not authenticated. Please log in to view the watchlist.']

# A known stock is added to the watch list once, without a login; removal needs one.
given only {}
add_to_watchlist(stock='AAPL') => {"watchlist": ["NVDA", "AAPL"]}
add_to_watchlist(stock='AAPL') => {"watchlist": ["NVDA", "AAPL"]}
add_to_watchlist(stock='NONE') => {"watchlist": ["NVDA", "AAPL"]}
remove_stock_from_watchlist(symbol='NVDA') => {"error": "User not authenticated. Please log in to modify
    the watchlist."}
trading_login(username='anybody', password='') => {"status": "Logged in successfully"}
remove_stock_from_watchlist(symbol='NVDA') => {"status": "Stock NVDA removed from watchlist
    successfully."}
get_watchlist() => {"watchlist": ["AAPL"]}

# Names, sectors, prices and changes are looked up in the state.
get_current_time() => {"current_time": "10:30 AM"}
get_symbol_by_name(name='Zeta Corp') => {"symbol": "ZETA"}
get_symbol_by_name(name='zeta corp') => {"symbol": "Stock not found"}
get_available_stocks(sector='Automobile') => {"stock_list": ["TSLA", "F", "GM"]}
get_available_stocks(sector='Energy') => {"stock_list": []}
filter_stocks_by_price(stocks=['AAPL', 'ZETA', 'NONE'], min_price=0, max_price=100) =>
    {"filtered_stocks": ["ZETA", "NONE"]}
notify_price_change(stocks=['AAPL', 'ZETA', 'NONE'], threshold=0.1) => {"notification": "Stocks AAPL
    have significant price changes."}

# An amount that is not a number fails with Python's message.
fund_account(amount='5') => Error during execution: '<=' not supported between instances of 'str' and
    'int'
""",
)

test_scenes = scene_test("TradingBot", INITIAL, SCENES)


@pytest.fixture
def full(constants: Constants) -> WorldConfig:
    """The configuration of an entry of multi_turn_long_context."""
    return WorldConfig(constants, long_context=True)


def test_long_context(full: WorldConfig) -> None:
    """A long context adds fillers to results, the same at every call, and not to the state."""
    api = TradingBot.load(INITIAL, full)
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
    world = World.of(["TradingBot"], {"TradingBot": INITIAL}, full, "m")
    told = world.run(Call("get_watchlist", {}))
    assert told.startswith("['NVDA', ")
    assert told.endswith(", Ellipsis]")


def test_seed(setting: WorldConfig) -> None:
    """A seed that would make conversations irreproducible is refused."""
    with pytest.raises(MalformedRelease, match="random_seed"):
        TradingBot.load({"random_seed": None}, setting)
