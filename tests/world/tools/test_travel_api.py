"""What users of the simulated travel agency rely on, the release's quirks, and the bounds."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import World, WorldConfig
from bfcl_pipeline.world.tools.travel.state import MAX_REPEATED, TravelState

INITIAL: dict[str, Any] = {
    "credit_card_list": {"main": {"balance": 1000.0}, "bare": {}},
    "booking_record": {"old": {"card_id": "main", "travel_cost": 50.0}, "lost": {"card_id": "gone"}},
    "access_token": "token",
    "token_expires_in": 2,
    "user_first_name": "Ada",
    "user_last_name": "Byron",
}
TRIP = {"travel_from": "SFO", "travel_to": "LAX", "travel_date": "2024-05-21", "travel_class": "economy"}
BOOKING = {"access_token": "token", "card_id": "main", **TRIP}
NESTED_CARDS = Call("get_all_credit_cards", {})


class Agency:
    """A world with one travel agency; methods take keywords."""

    def __init__(self, setting: WorldConfig, **changed: Any) -> None:
        self._world = World.of(["TravelAPI"], {"TravelAPI": {**INITIAL, **changed}}, setting, "test")
        self.state: TravelState = self._world.states()["TravelAPI"]

    def text(self, name: str, **arguments: Any) -> str:
        return self._world.run(Call(name, dict(arguments.items())))

    def shown(self, name: str, **arguments: Any) -> Any:
        return json.loads(self.text(name, **arguments))


@pytest.fixture
def agency(setting: WorldConfig) -> Agency:
    return Agency(setting)


@pytest.fixture
def long_agency(setting: WorldConfig) -> Agency:
    return Agency(replace(setting, long_context=True))


def test_booking_charges_the_card_and_is_recorded(agency: Agency) -> None:
    """The cost of a booked flight is charged to the card, and its id has an invoice."""
    booked = agency.shown("book_flight", **BOOKING)
    assert booked["booking_status"] is True
    assert booked["booking_history"] == {}
    assert agency.state.credit_card_list["main"]["balance"] == 600.0
    invoice = agency.shown("retrieve_invoice", access_token="token", booking_id=booked["booking_id"])[
        "invoice"
    ]
    assert invoice == {
        "booking_id": booked["booking_id"],
        "travel_cost": 400.0,
        "transaction_id": booked["transaction_id"],
        **TRIP,
    }


def test_cancelling_undoes_a_booking(agency: Agency) -> None:
    """A cancelled booking is removed and its cost refunded to the card."""
    booked = agency.shown("book_flight", **BOOKING)
    cancel = {"access_token": "token", "booking_id": booked["booking_id"]}
    assert agency.shown("cancel_booking", **cancel) == {"cancel_status": True}
    assert agency.state.credit_card_list["main"]["balance"] == 1000.0
    again = agency.shown("cancel_booking", **cancel)
    assert again == {"cancel_status": False, "error": "Booking not found"}


def test_a_booking_without_cost_cannot_be_cancelled(agency: Agency) -> None:
    """The result names the missing key of an entry's booking, and the booking stays."""
    text = agency.text("cancel_booking", access_token="token", booking_id="lost")
    assert text == "Error during execution: 'travel_cost'"
    assert "lost" in agency.state.booking_record


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"access_token": "other"}, "Invalid access token"),
        ({"card_id": "none"}, "Card not registered"),
        ({"card_id": "bare"}, "Balance not found"),
        ({"travel_from": "San Francisco"}, "Invalid departure airport code: San Francisco"),
        ({"travel_to": ["LAX"]}, "Invalid destination airport code: ['LAX']"),
        ({"travel_date": "21/05/2024"}, "Invalid date format. Use YYYY-MM-DD."),
        ({"travel_to": "CIA", "travel_from": "LAX"}, "No available route for the given airports."),
        ({"travel_class": "first"}, "Insufficient funds"),
        (
            {"travel_class": "Economy"},
            "Invalid travel class. Must be one of {'economy', 'business', 'first'}",
        ),
    ],
)
def test_a_flight_is_refused_with_the_first_reason(
    agency: Agency, changed: dict[str, Any], error: str
) -> None:
    """A flight that cannot be booked is refused with its reason, and costs nothing."""
    refused = agency.shown("book_flight", **{**BOOKING, **changed})
    assert refused == {"booking_status": False, "error": error}
    assert agency.state.credit_card_list["main"]["balance"] == 1000.0


def test_an_argument_that_is_not_a_date_fails_with_pythons_message(agency: Agency) -> None:
    """An argument of a wrong type results in the text of Python's exception."""
    text = agency.text("book_flight", **{**BOOKING, "travel_date": 20240521})
    assert text == "Error during execution: strptime() argument 1 must be str, not int"


def test_the_budget_limit_is_compared_with_the_balance(setting: WorldConfig) -> None:
    """As in the release, the limit is compared with the card's balance, not with the flight's cost."""
    assert Agency(setting, budget_limit=999.0).shown("book_flight", **BOOKING)["booking_status"] is True
    refused = Agency(setting, budget_limit=1001.0).shown("book_flight", **BOOKING)
    assert refused["error"] == "Balance is less than budget limit"


@pytest.mark.parametrize(
    ("day", "travel_class", "cost"),
    [("2024-05-21", "economy", 400.0), ("2024-05-20", "economy", 200.0), ("2024-05-20", "first", 1000.0)],
)
def test_the_cost_depends_on_class_and_date(
    agency: Agency, day: str, travel_class: str, cost: float
) -> None:
    """A fare is multiplied by the factor of its class, and doubled on a date with an even digit sum."""
    trip = {**TRIP, "travel_date": day, "travel_class": travel_class}
    assert agency.shown("get_flight_cost", **trip) == {"travel_cost_list": [cost]}


def test_a_long_context_has_fillers(agency: Agency, long_agency: Agency) -> None:
    """A long context adds cards, bookings, the costs of all routes, and the whole history."""
    assert set(INITIAL["credit_card_list"]) < set(long_agency.state.credit_card_list)
    assert set(INITIAL["booking_record"]) < set(long_agency.state.booking_record)
    costs = long_agency.shown("get_flight_cost", **TRIP)["travel_cost_list"]
    assert costs[0] == 400.0
    assert len(costs) > 100
    booked = long_agency.shown("book_flight", **BOOKING)
    assert booked["booking_history"] == long_agency.state.booking_record
    assert len(agency.state.credit_card_list) == 2


def test_conversations_do_not_share_fillers(setting: WorldConfig) -> None:
    """A filler card that one conversation charges is unchanged in another."""
    first, second = (Agency(replace(setting, long_context=True)) for _ in range(2))
    card_id = next(one for one in first.state.credit_card_list if one not in INITIAL["credit_card_list"])
    before = second.state.credit_card_list[card_id]["balance"]
    insured = {"access_token": "token", "booking_id": "old", "insurance_type": "any", "card_id": card_id}
    assert first.shown("purchase_insurance", insurance_cost=5, **insured)["insurance_status"] is True
    assert first.state.credit_card_list[card_id]["balance"] == before - 5
    assert second.state.credit_card_list[card_id]["balance"] == before


def test_draws_repeat(setting: WorldConfig) -> None:
    """The random ids and balances are the same in every conversation with the same seed."""

    def drawn(**changed: Any) -> list[Any]:
        agency = Agency(setting, **changed)
        user = {"grant_type": "read", "user_first_name": "Ada", "user_last_name": "Byron"}
        token = agency.shown(
            "authenticate_travel", client_id="a", client_secret="b", refresh_token="c", **user
        )["access_token"]
        card = {"card_number": "4111", "expiration_date": "12/30", "cardholder_name": "Ada Byron"}
        agency.text("register_credit_card", access_token=token, card_verification_number=1, **card)
        return [token, agency.state.credit_card_list]

    assert drawn() == drawn(random_seed=141053)
    assert drawn() != drawn(random_seed=1)


def test_the_token_none_is_valid_before_authentication(setting: WorldConfig) -> None:
    """As in the release, before authentication the token None is valid, but registers no card."""
    agency = Agency(setting, access_token=None, token_expires_in=None)
    assert "booking_history" in agency.shown("get_booking_history", access_token=None)
    card = {
        "card_number": "1",
        "expiration_date": "1",
        "cardholder_name": "1",
        "card_verification_number": 1,
    }
    refused = agency.shown("register_credit_card", access_token=None, **card)
    assert refused == {"error": "Token not initialized"}
    assert agency.shown("travel_get_login_status") == {"status": False}


def test_insurance_in_the_order_of_the_release(agency: Agency) -> None:
    """The booking comes before the cost, as the message about missing arguments shows."""
    text = agency.text("purchase_insurance", access_token="token", insurance_type="any")
    assert text.endswith("arguments: 'booking_id', 'insurance_cost', and 'card_id'")


@pytest.mark.parametrize(
    ("today", "verified"), [(date(2026, 3, 22), False), (date(2026, 3, 23), True), (date(2030, 1, 1), True)]
)
def test_age_follows_the_configured_date(setting: WorldConfig, today: date, verified: bool) -> None:
    """A traveler is an adult from the eighteenth birthday on, by the date of the configuration."""
    traveler = {"first_name": "Ada", "last_name": "Byron", "passport_number": "US1"}
    result = Agency(replace(setting, today=today)).shown(
        "verify_traveler_information", date_of_birth="2008-03-23", **traveler
    )
    assert result["verification_status"] is verified


def test_the_error_for_another_traveler_has_both_names(agency: Agency) -> None:
    """The release's text has no space between its sentences."""
    traveler = {"first_name": "Bob", "last_name": "Byron", "passport_number": "US1", "date_of_birth": ""}
    assert agency.shown("verify_traveler_information", **traveler)["verification_failure"] == (
        "Cannot book flight information for another user.Expected Ada Byron, got Bob Byron"
    )


@pytest.mark.parametrize(
    ("base", "target", "value", "text"),
    [
        ("USD", "RMB", 10, '{"exchanged_value": 70.0}'),
        ("EUR", "USD", 10, '{"exchanged_value": 12.5}'),
        ("USD", "RMB", "5", '{"exchanged_value": 5555555.0}'),
        (
            "EUR",
            "GBP",
            10,
            "Error during execution: No available exchange rate for the given currencies.",
        ),
        ("USD", "EUR", "5", "Error during execution: can't multiply sequence by non-int of type 'float'"),
    ],
)
def test_exchange_is_from_and_to_dollars(
    agency: Agency, base: str, target: str, value: Any, text: str
) -> None:
    """Amounts are multiplied from dollars and divided to dollars; text is repeated, as in Python."""
    exchanged = agency.text(
        "compute_exchange_rate", base_currency=base, target_currency=target, value=value
    )
    assert exchanged == text


def test_long_text_is_not_exchanged(agency: Agency) -> None:
    """A long text as an amount is refused before it is repeated."""
    amount = "x" * (MAX_REPEATED + 1)
    text = agency.text("compute_exchange_rate", base_currency="USD", target_currency="JPY", value=amount)
    assert text == "Error during execution: the value to convert is too long"
