"""The errata of multi-turn entries: the evidence of single scenarios, on the pinned release."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.benchmark.errata import ErratumStatus, errata
from bfcl_pipeline.benchmark.errata.edits import edit_line
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.judge.scoring import truth_calls
from bfcl_pipeline.world.tools import World, WorldConfig

ERRATA = [each for each in errata() if each.entry_id.startswith("multi_turn_")]
CONFIRMED = [each for each in ERRATA if each.confirmed]

_IMAGE = "image_1745133864906284051.jpg"


@pytest.fixture
def entry_of(entries):
    return lambda entry_id: next(
        entry for entry in entries(entry_id.rpartition("_")[0]) if entry.entry_id == entry_id
    )


@pytest.fixture
def world_of(entry_of, constants):
    return lambda entry_id: World.for_entry(entry_of(entry_id), WorldConfig(constants), "test")


def test_the_calls_of_a_variant_are_one_turn_late(entry_of):
    """Scenario 180: the proposed truth has the calls of two messages where multi_turn_base_180 has them."""
    entry, base = entry_of("multi_turn_miss_param_180"), entry_of("multi_turn_base_180")
    assert entry.turns[1:4] == base.turns[1:4]
    (erratum,) = [each for each in CONFIRMED if each.entry_id == entry.entry_id and each.defect == "truth"]
    changed = edit_line({"ground_truth": entry.truth}, erratum.edits)["ground_truth"]
    assert [len(turn) for turn in entry.truth[1:4]] == [0, 2, 1]
    assert changed[1:4] == base.truth[1:4]


@pytest.mark.parametrize("number", [195, 199])
def test_nothing_is_missing_in_the_first_message(number, entry_of):
    """Scenarios 195 and 199: the first message is that of the base variant, which demands the calls."""
    entry, base = entry_of(f"multi_turn_miss_param_{number}"), entry_of(f"multi_turn_base_{number}")
    assert entry.turns[0][0]["content"].strip() == base.turns[0][0]["content"].strip()
    assert (entry.truth[0], entry.truth[1]) == ([], base.truth[0])


@pytest.mark.parametrize(
    "entry_id", ["multi_turn_miss_func_33", "multi_turn_miss_param_95", "multi_turn_miss_param_101"]
)
def test_the_user_is_logged_in_at_the_start(entry_id, entry_of, world_of):
    """Scenarios 33, 95 and 101: no login is needed or demanded before the message is sent."""
    assert json.loads(world_of(entry_id).run(Call("message_get_login_status", {}))) == {
        "login_status": True
    }
    called = {call.name for calls in truth_calls(entry_of(entry_id)) for call in calls}
    assert "send_message" in called
    assert "message_login" not in called


def test_the_demanded_login_fails(entry_of, world_of):
    """Scenario 188: the user is logged in at the start, and the login that the truth demands fails."""
    world = world_of("multi_turn_base_188")
    assert json.loads(world.run(Call("posting_get_login_status", {}))) == {"login_status": True}
    login = Call(
        "authenticate_twitter", {"username": "michael_smith", "password": "michael_cant_smith_smith"}
    )
    assert json.loads(world.run(login)) == {"authentication_status": False}


def test_no_message_names_the_priority(entry_of):
    """Scenario 178: the priority demanded is in no message, and the doc of the function has a default."""
    entry = entry_of("multi_turn_base_178")
    text = " ".join(message["content"] for turn in entry.turns for message in turn)
    assert "priority" not in text.lower()
    doc = next(doc for doc in entry.functions if doc["name"] == "create_ticket")
    assert doc["parameters"]["properties"]["priority"]["default"] == 1
    demanded = [
        call.arguments["priority"]
        for turn in truth_calls(entry)
        for call in turn
        if call.name == doc["name"]
    ]
    assert demanded == [4]


@pytest.mark.parametrize("login", [(), (Call("ticket_login", {"username": "a", "password": "b"}),)])
def test_no_call_returns_the_id_of_the_ticket(login, world_of):
    """Scenario 173: the list of tickets fails before a login and after one with any name."""
    world = world_of("multi_turn_base_173")
    for call in login:
        world.run(call)
    assert "ticket_001" not in world.run(Call("get_user_tickets", {}))


def test_the_company_has_another_symbol(entry_of, world_of):
    """Scenario 133: the function that is offered late answers the company's name with another symbol."""
    assert "Gorilla" in entry_of("multi_turn_miss_func_133").turns[0][0]["content"]
    world = world_of("multi_turn_miss_func_133")
    assert json.loads(world.run(Call("get_symbol_by_name", {"name": "Gorilla"}))) == {"symbol": "GORI"}
    assert json.loads(world.run(Call("add_to_watchlist", {"stock": "GORI"}))) == {"watchlist": ["NVDA"]}


def test_long_context_changes_the_order_of_files(world_of):
    """Scenarios 13 and 26: an added image is the alphabetically first file, or the last one displayed."""
    world = world_of("multi_turn_long_context_13")
    world.run(Call("cd", {"folder": "documents"}))
    files = json.loads(world.run(Call("ls", {"a": True})))["current_directory_content"]
    assert min(files) == _IMAGE
    world = world_of("multi_turn_long_context_26")
    world.run(Call("cd", {"folder": "tmp"}))
    assert json.loads(world.run(Call("ls", {"a": True})))["current_directory_content"][-1] != "file3.txt"


def test_long_context_replaces_numbers_by_lists(entry_of, world_of):
    """Scenarios 144 and 173: the numbers that the truth uses are not in the lists, or one of many."""
    averages = json.loads(
        world_of("multi_turn_long_context_144").run(Call("get_stock_info", {"symbol": "AAPL"}))
    )
    assert 227.11 not in averages["MA(5)"]
    assert 227.09 not in averages["MA(20)"]
    costs = truth_calls(entry_of("multi_turn_long_context_173"))[0][0]
    returned = json.loads(world_of("multi_turn_long_context_173").run(costs))
    assert len(returned["travel_cost_list"]) == 153


def test_the_booking_returns_its_id(entry_of, constants):
    """Scenario 198 is rejected: book_flight() returns the id that is to be cancelled."""
    entry = entry_of("multi_turn_base_198")
    (erratum,) = [each for each in ERRATA if each.entry_id == entry.entry_id]
    assert erratum.status is ErratumStatus.REJECTED
    calls = {call.name: call for call in truth_calls(entry)[0]}
    world = World.for_entry(entry, WorldConfig(constants), "test")
    booked = json.loads(world.run(calls["book_flight"]))
    assert booked["booking_id"] == calls["cancel_booking"].arguments["booking_id"]
    assert json.loads(world.run(calls["cancel_booking"])) == {"cancel_status": True}
