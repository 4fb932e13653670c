"""What users of the simulated travel agency rely on, the release's quirks, and the bounds."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from bfcl_pipeline.world.tools import WorldConfig
from bfcl_pipeline.world.tools.travel.state import MAX_REPEATED
from tests.world.tools.scenes import OneApi, scene_test, scenes

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


SCENES = scenes(
    r"""
# The cost of a booked flight is charged to the card, and its id has an invoice.
book_flight($BOOKING, $TRIP) => {"booking_id": "3426812", "transaction_id": "45451592",
    "booking_status": true, "booking_history": {}}
state.credit_card_list.main => {'balance': 600.0}
retrieve_invoice(access_token='token', booking_id='3426812') => {"invoice": {"booking_id": "3426812",
    "travel_date": "2024-05-21", "travel_from": "SFO", "travel_to": "LAX", "travel_class": "economy",
    "travel_cost": 400.0, "transaction_id": "45451592"}}

# A cancelled booking is removed and its cost refunded to the card.
book_flight($BOOKING, $TRIP) => {"booking_id": "3426812", "transaction_id": "45451592",
    "booking_status": true, "booking_history": {}}
cancel_booking(access_token='token', booking_id='3426812') => {"cancel_status": true}
state.credit_card_list.main => {'balance': 1000.0}
cancel_booking(access_token='token', booking_id='3426812') => {"cancel_status": false, "error": "Booking
    not found"}

# A booking of an entry without a cost cannot be cancelled, and stays.
cancel_booking(access_token='token', booking_id='lost') => Error during execution: 'travel_cost'
state.booking_record.lost => {'card_id': 'gone'}

# A flight is refused with the first reason, and costs nothing.
book_flight(access_token='other', card_id='main', $TRIP) => {"booking_status": false, "error": "Invalid
    access token"}
book_flight(access_token='token', card_id='none', $TRIP) => {"booking_status": false, "error": "Card not
    registered"}
book_flight(access_token='token', card_id='bare', $TRIP) => {"booking_status": false, "error": "Balance
    not found"}
book_flight($BOOKING, travel_from='San Francisco', travel_to='LAX', $DAY) => {"booking_status": false,
    "error": "Invalid departure airport code: San Francisco"}
book_flight($BOOKING, travel_from='SFO', travel_to=['LAX'], $DAY) => {"booking_status": false, "error":
    "Invalid destination airport code: ['LAX']"}
book_flight($BOOKING, travel_from='SFO', travel_to='LAX', travel_date='21/05/2024',
    travel_class='economy') => {"booking_status": false, "error": "Invalid date format. Use
    YYYY-MM-DD."}
book_flight($BOOKING, travel_from='LAX', travel_to='CIA', $DAY) => {"booking_status": false, "error":
    "No available route for the given airports."}
book_flight($BOOKING, travel_from='SFO', travel_to='LAX', travel_date='2024-05-21',
    travel_class='first') => {"booking_status": false, "error": "Insufficient funds"}
book_flight($BOOKING, travel_from='SFO', travel_to='LAX', travel_date='2024-05-21',
    travel_class='Economy') => {"booking_status": false, "error": "Invalid travel class. Must be one of
    {'economy', 'business', 'first'}"}
book_flight($BOOKING, travel_from='SFO', travel_to='LAX', travel_date=20240521, travel_class='economy')
    => Error during execution: strptime() argument 1 must be str, not int
state.credit_card_list.main => {'balance': 1000.0}

# As in the release, the limit is compared with the card's balance, not with the flight's cost: below it.
given {'budget_limit': 999.0}
book_flight($BOOKING, $TRIP) => {"booking_id": "3426812", "transaction_id": "45451592",
    "booking_status": true, "booking_history": {}}

# As in the release, the limit is compared with the card's balance, not with the flight's cost: above it.
given {'budget_limit': 1001.0}
book_flight($BOOKING, $TRIP) => {"booking_status": false, "error": "Balance is less than budget limit"}

# A fare is multiplied by the factor of its class, and doubled on a date with an even digit sum.
get_flight_cost($TRIP) => {"travel_cost_list": [400.0]}
get_flight_cost(travel_from='SFO', travel_to='LAX', travel_date='2024-05-20', travel_class='economy') =>
    {"travel_cost_list": [200.0]}
get_flight_cost(travel_from='SFO', travel_to='LAX', travel_date='2024-05-20', travel_class='first') =>
    {"travel_cost_list": [1000.0]}

# As in the release, before authentication the token None is valid, but registers no card.
given {'access_token': None, 'token_expires_in': None}
get_booking_history(access_token=None) => {"booking_history": {"old": {"card_id": "main", "travel_cost":
    50.0}, "lost": {"card_id": "gone"}}}
register_credit_card(access_token=None, $CARD) => {"error": "Token not initialized"}
travel_get_login_status() => {"status": false}

# The booking comes before the cost, as the message about missing arguments shows.
purchase_insurance(access_token='token', insurance_type='any') => Error during execution:
    TravelAPI.purchase_insurance() missing 3 required positional arguments: 'booking_id',
    'insurance_cost', and 'card_id'

# The release's text for another traveler has both names, and no space between its sentences.
verify_traveler_information(first_name='Bob', last_name='Byron', date_of_birth='',
    passport_number='US1') => {"verification_status": false, "verification_failure": "Cannot book flight
    information for another user.Expected Ada Byron, got Bob Byron"}

# Amounts are multiplied from dollars and divided to dollars; text is repeated, as in Python.
compute_exchange_rate(base_currency='USD', target_currency='RMB', value=10) => {"exchanged_value": 70.0}
compute_exchange_rate(base_currency='EUR', target_currency='USD', value=10) => {"exchanged_value": 12.5}
compute_exchange_rate(base_currency='USD', target_currency='RMB', value='5') => {"exchanged_value":
    5555555.0}
compute_exchange_rate(base_currency='EUR', target_currency='GBP', value=10) => Error during execution:
    No available exchange rate for the given currencies.
compute_exchange_rate(base_currency='USD', target_currency='EUR', value='5') => Error during execution:
    can't multiply sequence by non-int of type 'float'

# The random ids and balances are those of the release's default seed.
authenticate_travel(client_id='a', client_secret='b', refresh_token='c', $USER) => {"expires_in": 2,
    "access_token": "251675", "token_type": "Bearer", "scope": "read"}
register_credit_card(access_token='251675', $CARD) => {"card_id": "391310425148"}
state.credit_card_list => {'main': {'balance': 1000.0}, 'bare': {}, '391310425148': {'card_number':
    '4111', 'expiration_date': '12/30', 'cardholder_name': 'Ada', 'card_verification_number': 1,
    'balance': 58617}}

# The random ids and balances are others with another seed.
given {'random_seed': 1}
authenticate_travel(client_id='a', client_secret='b', refresh_token='c', $USER) => {"expires_in": 2,
    "access_token": "240891", "token_type": "Bearer", "scope": "read"}
""",
    BOOKING="access_token='token', card_id='main'",
    TRIP="travel_from='SFO', travel_to='LAX', travel_date='2024-05-21', travel_class='economy'",
    DAY="travel_date='2024-05-21', travel_class='economy'",
    USER="grant_type='read', user_first_name='Ada', user_last_name='Byron'",
    CARD="card_number='4111', expiration_date='12/30', cardholder_name='Ada', card_verification_number=1",
)

test_scenes = scene_test("TravelAPI", INITIAL, SCENES)


def opened(setting: WorldConfig) -> OneApi:
    return OneApi("TravelAPI", INITIAL, setting)


@pytest.fixture
def agency(setting: WorldConfig) -> OneApi:
    return opened(setting)


@pytest.fixture
def long_agency(setting: WorldConfig) -> OneApi:
    return opened(replace(setting, long_context=True))


def test_a_long_context_has_fillers(agency: OneApi, long_agency: OneApi) -> None:
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
    first, second = (opened(replace(setting, long_context=True)) for _ in range(2))
    card_id = next(one for one in first.state.credit_card_list if one not in INITIAL["credit_card_list"])
    before = second.state.credit_card_list[card_id]["balance"]
    insured = {"access_token": "token", "booking_id": "old", "insurance_type": "any", "card_id": card_id}
    assert first.shown("purchase_insurance", insurance_cost=5, **insured)["insurance_status"] is True
    assert first.state.credit_card_list[card_id]["balance"] == before - 5
    assert second.state.credit_card_list[card_id]["balance"] == before


@pytest.mark.parametrize(
    ("today", "verified"), [(date(2026, 3, 22), False), (date(2026, 3, 23), True), (date(2030, 1, 1), True)]
)
def test_age_follows_the_configured_date(setting: WorldConfig, today: date, verified: bool) -> None:
    """A traveler is an adult from the eighteenth birthday on, by the date of the configuration."""
    traveler = {"first_name": "Ada", "last_name": "Byron", "passport_number": "US1"}
    result = opened(replace(setting, today=today)).shown(
        "verify_traveler_information", date_of_birth="2008-03-23", **traveler
    )
    assert result["verification_status"] is verified


def test_long_text_is_not_exchanged(agency: OneApi) -> None:
    """A long text as an amount is refused before it is repeated."""
    amount = "x" * (MAX_REPEATED + 1)
    text = agency.text("compute_exchange_rate", base_currency="USD", target_currency="JPY", value=amount)
    assert text == "Error during execution: the value to convert is too long"
