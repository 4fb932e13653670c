"""Checks of the travel agency: each function returns an error text, or None if the check passes.

Arguments come from a model and may have any type; exceptions that Python raises become results.
"""

from datetime import date, datetime
from typing import Any

from bfcl_pipeline.world.tools.travel.figures import CLASSES
from bfcl_pipeline.world.tools.travel.state import TravelState

_DATE = "%Y-%m-%d"
_ADULT = 18  # years


def token_problem(state: TravelState, access_token: Any) -> str | None:
    """Checks the access token; before any authentication it is None."""
    if state.token_expires_in == 0:
        return "Token expired"
    return "Invalid access token" if access_token != state.access_token else None


def booking_problem(state: TravelState, booking_id: Any) -> str | None:
    """Checks that the booking exists."""
    return None if booking_id in state.booking_record else "Booking not found"


def payment_problem(state: TravelState, card_id: Any) -> str | None:
    """Checks that the card is registered and has a balance."""
    if card_id not in state.credit_card_list:
        return "Card not registered"
    return None if "balance" in state.credit_card_list[card_id] else "Balance not found"


def trip_problem(airports: list[str], day: Any, origin: Any, destination: Any, of_class: Any) -> str | None:
    """Checks airports, date and class of a trip."""
    if origin not in airports:
        return f"Invalid departure airport code: {origin}"
    if destination not in airports:
        return f"Invalid destination airport code: {destination}"
    try:
        datetime.strptime(day, _DATE)
    except ValueError:
        return "Invalid date format. Use YYYY-MM-DD."
    if of_class not in CLASSES:
        # The release prints a set, in an order that differs between processes; here the order is fixed.
        known = ", ".join(map(repr, CLASSES))
        return f"Invalid travel class. Must be one of {{{known}}}"
    return None


def traveler_problem(
    state: TravelState, name: tuple[Any, Any], birthday: Any, passport: Any, today: date
) -> str | None:
    """Checks that a traveler (first and last name) is the user, is an adult, and has a US passport."""
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
