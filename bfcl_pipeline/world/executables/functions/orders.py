"""Rooms and meals."""

from typing import Any

from bfcl_pipeline.world.executables.functions.work import EvaluationWork


def book_room(
    room_type: Any,
    price: Any,
    check_in_date: Any,
    check_out_date: Any,
    customer_id: Any,
    discount_code: Any = None,
) -> Any:
    """The booking: its arguments, with the one known discount taken off the price."""
    return {
        "customer_id": customer_id,
        "room_number": room_type,
        "check_in_date": check_in_date,
        "check_out_date": check_out_date,
        "total_price": price * 0.9 if discount_code == "DISCOUNT10" else price,
    }


def order_food(work: EvaluationWork, item: Any, quantity: Any, price: Any) -> Any:
    """The price of all items together."""
    return work.total([work.times(quantity[place], price[place]) for place in range(len(item))])
