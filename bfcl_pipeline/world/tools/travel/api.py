"""TravelAPI: a travel agency that books flights on registered credit cards.

Covers authentication, cards, bookings, insurance, invoices and the budget; `state` has the airports,
fares and exchange rates. Source: the function docs and the behaviour of the release's travel_booking.
"""

from collections.abc import Mapping
from datetime import date
from random import Random
from typing import Any, Self

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import WorldConfig, changes, reads, refuse_call
from bfcl_pipeline.world.tools.state import copy_value
from bfcl_pipeline.world.tools.travel.state import (
    Figures,
    Record,
    TravelState,
    booking_problem,
    payment_problem,
    start,
    token_problem,
    traveler_problem,
    trip_problem,
)

_INVOICED = ("travel_date", "travel_from", "travel_to", "travel_class", "travel_cost", "transaction_id")


class TravelAPI:
    """The travel agency. Before any authentication the access token is None."""

    def __init__(self, state: TravelState, random: Random, figures: Figures, today: date) -> None:
        self.state = state
        self._random = random
        self._figures = figures
        self._today = today

    @classmethod
    def load(cls, initial: Mapping[str, Json], config: WorldConfig) -> Self:
        """The initial agency of an entry; by default without cards, bookings and user."""
        return cls(*start(initial, config), Figures(config.constants), config.today)

    @changes
    def authenticate_travel(
        self,
        client_id: str,  # noqa: ARG002  # as in the release, not checked
        client_secret: str,  # noqa: ARG002
        refresh_token: str,  # noqa: ARG002
        grant_type: str,
        user_first_name: str,
        user_last_name: str,
    ) -> Record:
        """Gives the user a new access token."""
        state = self.state
        state.token_expires_in = 2
        state.access_token = self._drawn_id(6)
        state.token_type = "Bearer"  # noqa: S105
        state.token_scope = grant_type
        state.user_first_name = user_first_name
        state.user_last_name = user_last_name
        return {
            "expires_in": state.token_expires_in,
            "access_token": state.access_token,
            "token_type": state.token_type,
            "scope": grant_type,
        }

    @reads
    def travel_get_login_status(self) -> Record:
        """Whether there is a token that has not expired."""
        expires_in = self.state.token_expires_in
        return {"status": expires_in is not None and expires_in != 0}

    @reads
    def get_budget_fiscal_year(
        self,
        lastModifiedAfter: str | None = None,  # noqa: ARG002  # there is only one year
        includeRemoved: str | None = None,  # noqa: ARG002
    ) -> Record:
        """The fiscal year of the budget."""
        return {"budget_fiscal_year": "2018"}

    @changes
    def register_credit_card(
        self,
        access_token: str,
        card_number: str,
        expiration_date: str,
        cardholder_name: str,
        card_verification_number: int,
    ) -> Record:
        """Adds a card with a random id and balance."""
        if self.state.token_expires_in is None:
            return refuse_call("Token not initialized")
        problem = token_problem(self.state, access_token)
        if problem:
            return refuse_call(problem)
        cards = self.state.credit_card_list
        if card_number in cards:  # as in the release, compared with card ids
            return refuse_call("Card already registered")
        card_id = self._drawn_id(12)
        cards[card_id] = {
            "card_number": card_number,
            "expiration_date": expiration_date,
            "cardholder_name": cardholder_name,
            "card_verification_number": card_verification_number,
            "balance": self._drawn(5),
        }
        return {"card_id": card_id}

    @reads
    def get_flight_cost(
        self, travel_from: str, travel_to: str, travel_date: str, travel_class: str
    ) -> Record:
        """The fare of a flight in US dollars; in a long context the fares on all routes."""
        figures = self._figures
        route = (travel_from, travel_to)
        if self.state.long_context:
            return {"travel_cost_list": figures.fares_of_all(route, travel_class, travel_date)}
        return {"travel_cost_list": [figures.fare(route, travel_class, travel_date)]}

    @reads
    def get_credit_card_balance(self, access_token: str, card_id: str) -> Record:
        """The balance of a card."""
        problem = token_problem(self.state, access_token)
        if problem:
            return refuse_call(problem)
        cards = self.state.credit_card_list
        if card_id not in cards:
            return refuse_call(f"Card not registered. Here are a list of card_id's: {list(cards)}")
        return {"card_balance": cards[card_id]["balance"]}

    @changes
    def book_flight(
        self,
        access_token: str,
        card_id: str,
        travel_date: str,
        travel_from: str,
        travel_to: str,
        travel_class: str,
    ) -> Record:
        """Books a flight and charges the card; refused where the card has less than the budget limit."""
        problem = (
            token_problem(self.state, access_token)
            or payment_problem(self.state, card_id)
            or trip_problem(self._figures.airports, travel_date, travel_from, travel_to, travel_class)
        )
        if problem:
            return refuse_call(problem, booking_status=False)
        try:
            cost = self._figures.fare((travel_from, travel_to), travel_class, travel_date)
        except ValueError as error:
            return refuse_call(str(error), booking_status=False)
        card, limit = self.state.credit_card_list[card_id], self.state.budget_limit
        if card["balance"] < cost:
            return refuse_call("Insufficient funds", booking_status=False)
        if limit is not None and card["balance"] < limit:
            return refuse_call("Balance is less than budget limit", booking_status=False)
        card["balance"] -= cost
        booking_id, transaction_id = self._drawn_id(7), self._drawn_id(8)
        self.state.booking_record[booking_id] = {
            "card_id": card_id,
            "travel_date": travel_date,
            "travel_from": travel_from,
            "travel_to": travel_to,
            "travel_class": travel_class,
            "travel_cost": cost,
            "transaction_id": transaction_id,
        }
        return {
            "booking_id": booking_id,
            "transaction_id": transaction_id,
            "booking_status": True,
            "booking_history": self.state.booking_record if self.state.long_context else {},
        }

    @reads
    def retrieve_invoice(
        self,
        access_token: str,
        booking_id: str | None = None,
        insurance_id: str | None = None,  # noqa: ARG002  # insurances are not recorded
    ) -> Record:
        """The invoice of a booking."""
        problem = token_problem(self.state, access_token) or booking_problem(self.state, booking_id)
        if problem:
            return refuse_call(problem)
        bookings: Mapping[Any, Record] = self.state.booking_record
        booking = bookings[booking_id]
        return {"invoice": {"booking_id": booking_id} | {field: booking[field] for field in _INVOICED}}

    @reads
    def get_booking_history(self, access_token: str) -> Record:
        """All bookings, by their ids."""
        problem = token_problem(self.state, access_token)
        return (
            refuse_call(problem) if problem else {"booking_history": copy_value(self.state.booking_record)}
        )

    @reads
    def list_all_airports(self) -> list[str]:
        """The codes of all airports."""
        return list(self._figures.airports)

    @changes
    def cancel_booking(self, access_token: str, booking_id: str) -> Record:
        """Cancels a booking and refunds its cost to the card."""
        problem = token_problem(self.state, access_token) or booking_problem(self.state, booking_id)
        if problem:
            return refuse_call(problem, cancel_status=False)
        bookings = self.state.booking_record
        card_id, cost = bookings[booking_id]["card_id"], bookings[booking_id]["travel_cost"]
        self.state.credit_card_list[card_id]["balance"] += cost
        del bookings[booking_id]
        return {"cancel_status": True}

    @reads
    def compute_exchange_rate(self, base_currency: str, target_currency: str, value: float) -> Record:
        """An amount in another currency; one of the two must be the US dollar."""
        return {"exchanged_value": self._figures.exchanged(base_currency, target_currency, value)}

    @reads
    def verify_traveler_information(
        self, first_name: str, last_name: str, date_of_birth: str, passport_number: str
    ) -> Record:
        """Whether a traveler is the user, is an adult, and has a passport of the United States."""
        name = (first_name, last_name)
        reason = traveler_problem(self.state, name, date_of_birth, passport_number, self._today)
        if reason:
            return {"verification_status": False, "verification_failure": reason}
        return {"verification_status": True}

    @changes
    def set_budget_limit(self, access_token: str, budget_limit: float) -> Record:
        """Sets the budget limit, in US dollars."""
        problem = token_problem(self.state, access_token)
        if problem:
            return refuse_call(problem)
        self.state.budget_limit = float(budget_limit)
        return {"budget_limit": self.state.budget_limit}

    @reads
    def get_nearest_airport_by_city(self, location: str) -> Record:
        """The code of the airport of a city."""
        return {"nearest_airport": self._figures.airport_of(location)}

    @changes
    def purchase_insurance(
        self,
        access_token: str,
        insurance_type: str,  # noqa: ARG002  # insurances are not recorded
        booking_id: str,  # before the cost, unlike the function docs
        insurance_cost: float,
        card_id: str,
    ) -> Record:
        """Charges a card for the insurance of a booking."""
        problem = token_problem(self.state, access_token)
        limit = self.state.budget_limit
        if not problem and limit is not None and limit < insurance_cost:
            problem = "Exceeded budget limit"
        problem = problem or booking_problem(self.state, booking_id)
        cards = self.state.credit_card_list
        if not problem and card_id not in cards:
            problem = "Credit card not registered"
        if problem:
            return refuse_call(problem, insurance_status=False)
        cards[card_id]["balance"] -= insurance_cost
        return {"insurance_id": self._drawn_id(9), "insurance_status": True}

    @reads
    def contact_customer_support(self, booking_id: str, message: str) -> Record:  # noqa: ARG002
        """Sends a message about a booking to customer support."""
        problem = booking_problem(self.state, booking_id)
        if problem:
            return refuse_call(problem)
        return {
            "customer_support_message": "Thank you for contacting customer support. "
            "Your message has been received and we will get back to you shortly."
        }

    @reads
    def get_all_credit_cards(self) -> Record:
        """All cards, by their ids."""
        return {"credit_card_list": self.state.credit_card_list}

    def _drawn(self, digits: int) -> int:
        return self._random.randint(10 ** (digits - 1), 10**digits - 1)

    def _drawn_id(self, digits: int) -> str:
        return str(self._drawn(digits))
