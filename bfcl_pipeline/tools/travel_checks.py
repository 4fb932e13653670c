"""Why the travel agency refuses something: one function per question, None where nothing is in the way.

Arguments are what a model wrote, of any type; Python's own complaints about them are part of the results.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from bfcl_pipeline.tools.travel_figures import CLASSES
from bfcl_pipeline.tools.travel_state import TravelState

_DATE = "%Y-%m-%d"
_ADULT = 18  # years


def token_problem(state: TravelState, access_token: Any) -> str | None:
    """Whether a token lets its bearer in; without an authentication the token is None."""
    if state.token_expires_in == 0:
        return "Token expired"
    return "Invalid access token" if access_token != state.access_token else None


def booking_problem(state: TravelState, booking_id: Any) -> str | None:
    """Whether there is such a booking."""
    return None if booking_id in state.booking_record else "Booking not found"


def payment_problem(state: TravelState, card_id: Any) -> str | None:
    """Whether a card can pay at all."""
    if card_id not in state.credit_card_list:
        return "Card not registered"
    return None if "balance" in state.credit_card_list[card_id] else "Balance not found"


def trip_problem(airports: list[str], day: Any, origin: Any, destination: Any, of_class: Any) -> str | None:
    """Whether a trip is well described."""
    if origin not in airports:
        return f"Invalid departure airport code: {origin}"
    if destination not in airports:
        return f"Invalid destination airport code: {destination}"
    try:
        datetime.strptime(day, _DATE)
    except ValueError:
        return "Invalid date format. Use YYYY-MM-DD."
    if of_class not in CLASSES:
        # The release prints a set, whose order differs from run to run; here it is always the same.
        known = ", ".join(map(repr, CLASSES))
        return f"Invalid travel class. Must be one of {{{known}}}"
    return None


def traveler_problem(
    state: TravelState, name: tuple[Any, Any], birthday: Any, passport: Any, today: date
) -> str | None:
    """Whether a traveler, by first and last name, is the user, of age, and American by passport."""
    first, last = name
    if state.user_first_name != first or state.user_last_name != last:
        expected = f"Expected {state.user_first_name} {state.user_last_name}"
        return f"Cannot book flight information for another user.{expected}, got {first} {last}"
    try:
        born = datetime.strptime(birthday, _DATE)
    except ValueError:
        return "Invalid date of birth format. Please use YYYY-MM-DD."
    birthday_is_to_come = (today.month, today.day) < (born.month, born.day)
    if today.year - born.year - birthday_is_to_come < _ADULT:
        return "Traveler must be at least 18 years old."
    return None if passport.startswith("US") else "Passport must be issued by the United States."
