"""Hostile calls and steps, which are meant to harm the host of the simulated APIs."""

from __future__ import annotations

import json

from bfcl_pipeline.benchmark.records import Call, Mode
from tests.fuzz.hostile import EXPRESSIONS

WORLD = {
    "GorillaFileSystem": {
        "root": {
            "home": {
                "type": "directory",
                "contents": {
                    "a": {"type": "directory", "contents": {"b": {"type": "directory", "contents": {}}}},
                    "f.txt": {"type": "file", "content": "one\ntwo"},
                },
            }
        }
    },
    "TwitterAPI": {"username": "Ann", "password": "p", "authenticated": True, "tweets": {}},
    "TicketAPI": {"current_user": "Ann", "ticket_queue": [], "ticket_counter": 1},
    "TravelAPI": {
        "access_token": "t",
        "token_type": "Bearer",
        "token_expires_in": 9,
        "token_scope": "write",
        "user_first_name": "Ann",
        "user_last_name": "Lee",
        "budget_limit": 10.0,
        "credit_card_list": {},
        "booking_record": {},
    },
}
"""Initial states in which a user is logged in; APIs that are not listed start in their default state."""

_LONG = "x" * 100_000_000
_HUGE = 10**4_000


def _deep_list(levels: int) -> list[object]:
    deep: list[object] = []
    for _ in range(levels):
        deep = [deep]
    return deep


def _deep_call(levels: int) -> Call:
    call = Call("absolute_value", {"number": 1})
    for _ in range(levels):
        call = Call("absolute_value", {"number": call})
    return call


HOSTILE = [
    Call("power", {"base": 10, "exponent": 10**9}),
    Call("power", {"base": _HUGE, "exponent": _HUGE}),
    Call("power", {"base": 2.5, "exponent": 10**9}),
    Call("power", {"base": "a", "exponent": 10**9}),
    Call("multiply", {"a": "a", "b": 10**10}),
    Call("multiply", {"a": [0], "b": 10**10}),
    Call("multiply", {"a": _HUGE, "b": _HUGE}),
    Call("logarithm", {"value": _HUGE, "base": 10, "precision": 10**9}),
    Call("logarithm", {"value": 10, "base": 10, "precision": -5}),
    Call("square_root", {"number": 2, "precision": 10**9}),
    Call("round_number", {"number": 1.5, "decimal_places": 10**9}),
    Call("round_number", {"number": _HUGE, "decimal_places": -(10**9)}),
    Call("percentage", {"part": "a" * 9999, "whole": 10**10}),
    Call("sum_values", {"numbers": [_HUGE] * 1000}),
    Call("standard_deviation", {"numbers": list(range(100_000))}),
    Call("si_unit_conversion", {"value": _HUGE, "unit_in": "km", "unit_out": "nm"}),
    Call("touch", {"file_name": _LONG}),
    Call("echo", {"content": _LONG}),
    Call("echo", {"content": _LONG, "file_name": "f.txt"}),
    Call("grep", {"file_name": "f.txt", "pattern": "(" * 10_000 + "a+)+" * 10_000}),
    Call("cd", {"folder": "../" * 1_000_000}),
    Call("find", {"path": ".", "name": _LONG}),
    Call("mv", {"source": "a", "destination": "a"}),
    Call("mv", {"source": ".", "destination": "a"}),
    Call("cp", {"source": "a", "destination": "a"}),
    Call("cp", {"source": ".", "destination": "a"}),
    Call("rm", {"file_name": "."}),
    Call("post_tweet", {"content": "a", "tags": [_LONG]}),
    Call("create_ticket", {"title": _LONG, "description": _deep_list(100_000)}),
    Call("send_message", {"receiver_id": "USR002", "message": _LONG}),
    Call("add_contact", {"user_name": _LONG}),
    Call("compute_exchange_rate", {"base_currency": "USD", "target_currency": "JPY", "value": "x" * 10**7}),
    Call("book_flight", dict.fromkeys(("access_token", "card_id", "travel_date"), _LONG)),
    Call("fillFuelTank", {"fuelAmount": _HUGE}),
    Call("fillFuelTank", {"fuelAmount": 10**400}),
    Call("adjustClimateControl", {"temperature": _HUGE, "unit": "fahrenheit"}),
    Call("estimate_drive_feasibility_by_mileage", {"distance": -_HUGE}),
    Call("gallon_to_liter", {"gallon": "x" * 10**7}),
    Call("place_order", {"order_type": "Buy", "symbol": "AAPL", "price": _HUGE, "amount": _HUGE}),
    Call("filter_stocks_by_price", {"stocks": ["AAPL"] * 100_000, "min_price": 0, "max_price": _HUGE}),
    Call("notify_price_change", {"stocks": ["AAPL"] * 100_000, "threshold": 0}),
    Call("get_available_stocks", {"sector": _deep_list(100_000)}),
    Call("mean", {"numbers": _deep_list(100_000)}),
    Call("x" * 10_000_000, {}),
    Call("ls", {"x" * 1_000_000: 1}),
    Call("ls(" * 1_000, {}),
    Call("".join(["a."] * 100_000) + "b", {}),
    Call("__import__('os').system", {"command": "touch canary"}),
    Call("ls", {"a": "(" * 1_000_000 + "ls(" * 100_000}),
    Call("ls", {"a": "a" * 1_000_000 + "("}),
    Call("ls", {"a": ("a " * 200_000) + "("}),
    _deep_call(150),
    _deep_call(10_000),
]
"""Calls that require excessive time or memory."""

ENDLESS = [
    [Call("mkdir", {"dir_name": "d"}), Call("cd", {"folder": "d"})],
    [Call("cp", {"source": "a", "destination": "b"}), Call("mv", {"source": "b", "destination": "a"})],
    [Call("cp", {"source": "a", "destination": f"a{n}"}) for n in range(9)]
    + [Call("mv", {"source": f"a{n}", "destination": "a"}) for n in range(9)],
    [Call("echo", {"content": "x" * 10_000, "file_name": "f.txt"})]
    + [Call("cp", {"source": "f.txt", "destination": f"g{n}.txt"}) for n in range(20)],
    [Call("post_tweet", {"content": Call("get_user_tweets", {"username": "Ann"})})],
    [Call("comment", {"tweet_id": 1, "comment_content": Call("get_tweet_comments", {"tweet_id": 1})})],
    [Call("create_ticket", dict.fromkeys(("title", "description"), Call("get_user_tickets", {})))],
    [
        Call(
            "edit_ticket",
            {"ticket_id": 1, "updates": {"title": Call("get_ticket", {"ticket_id": 1}), "x": 1}},
        )
    ],
    [Call("edit_ticket", {"ticket_id": 1, "updates": {"title": Call("get_user_tickets", {})}})],
    [
        Call("message_login", {"user_id": "USR001"}),
        Call(
            "send_message",
            {"receiver_id": "USR002", "message": Call("view_messages_sent", {})},
        ),
    ],
    [
        Call(
            "register_credit_card",
            {
                "access_token": "t",
                "card_number": "1",
                "expiration_date": Call("get_all_credit_cards", {}),
                "cardholder_name": Call("get_all_credit_cards", {}),
                "card_verification_number": 1,
            },
        )
    ],
    [
        Call(
            "adjustClimateControl",
            dict.fromkeys(("temperature", "mode"), Call("displayCarStatus", {"option": "climate"})),
        )
    ],
    [Call("add_to_watchlist", {"stock": Call("get_watchlist", {})})],
]
"""Calls that, over and over, would double a state or put it into itself."""


def _native(*calls: Call) -> list[dict[str, str]]:
    return [{call.name: json.dumps(dict(call.arguments))} for call in calls]


STEPS = {
    Mode.FC: [
        _native(Call("power", {"base": 10, "exponent": 10**9})),
        _native(Call("echo", {"content": "x" * 900_000, "file_name": "a.txt"})) * 2,
        [{"echo": json.dumps({"content": "x" * 20_000_000})}],
        [{"ls": "{}"}] * 9_000,
        [{"ls": "{}"}] * 100_000,
        [{"ls": '{"a": ' + "[" * 100_000}],
        [{"ls": '{"a": ' + "[" * 900 + "]" * 900 + "}"}],
        [{"ls": '{"a": 1' + "0" * 100_000 + "}"}],
        [{"ls": '{"a": NaN}'}],
        [{expression: "{}"} for expression in EXPRESSIONS],
        [{"ls": json.dumps({"a": expression})} for expression in EXPRESSIONS],
        [{"ls": json.dumps({expression: 1})} for expression in EXPRESSIONS],
    ],
    Mode.PROMPT: [
        "[power(base=10, exponent=10**9)]",
        "[" + "absolute_value(number=" * 10_000 + "1" + ")" * 10_000 + "]",
        "[" + "absolute_value(number=" * 150 + "1" + ")" * 150 + "]",
        "[echo(content='" + "x" * 20_000_000 + "')]",
        "[" + "ls(), " * 8_000 + "ls()]",
        *(f"[ls(a={expression})]" for expression in EXPRESSIONS),
        *(f"[ls(a=ls(a={expression}))]" for expression in EXPRESSIONS),
        *(f"[{expression}]" for expression in EXPRESSIONS),
    ],
}
"""Whole steps, in the official result form."""
