"""TicketAPI: support tickets of a company.

Covers creating, editing, resolving and closing tickets, and who is logged in. Source: the function
docs and the behaviour of the release's ticket_api.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.records import Json
from bfcl_pipeline.tools.api import Setting, changes, reads
from bfcl_pipeline.tools.state import fill

Ticket = dict[str, Any]

_EDITABLE = {"title", "description", "status", "priority"}


@dataclass(slots=True)
class TicketState:
    """What the ticket system holds."""

    ticket_queue: list[Ticket]  # in the order in which they were created
    ticket_counter: int  # id of the next ticket
    current_user: str | None  # who is logged in


class TicketAPI:
    """The ticket system."""

    def __init__(self, state: TicketState) -> None:
        self.state = state

    @classmethod
    def load(cls, initial: Mapping[str, Json], setting: Setting) -> Self:
        """The ticket system that an entry starts with; without tickets and user where it says nothing."""
        return cls(fill(TicketState, initial, setting.constants.table("ticket_api", "DEFAULT_STATE")))

    @changes
    def create_ticket(self, title: str, description: str = "", priority: int = 1) -> Ticket:
        """Puts a ticket of priority 1 to 5 at the end of the queue."""
        state = self.state
        if not state.current_user:
            return _error("User not authenticated. Please log in to create a ticket.")
        if priority < 1 or priority > 5:
            return _error("Invalid priority. Priority must be between 1 and 5.")
        ticket = {
            "id": state.ticket_counter,
            "title": title,
            "description": description,
            "status": "Open",
            "priority": priority,
            "created_by": state.current_user,
        }
        state.ticket_queue.append(ticket)
        state.ticket_counter += 1
        return ticket

    @reads
    def get_ticket(self, ticket_id: int) -> Ticket:
        """The ticket with that id."""
        return self._find(ticket_id) or _missing(ticket_id)

    @changes
    def close_ticket(self, ticket_id: int) -> Ticket:
        """Gives the ticket the status Closed."""
        ticket = self._find(ticket_id)
        if not ticket:
            return _missing(ticket_id)
        if ticket["status"] == "Closed":
            return _error(f"Ticket with ID {ticket_id} is already closed.")
        ticket["status"] = "Closed"
        return {"status": f"Ticket {ticket_id} has been closed successfully."}

    @changes
    def resolve_ticket(self, ticket_id: int, resolution: str) -> Ticket:
        """Gives the ticket the status Resolved, and how."""
        ticket = self._find(ticket_id)
        if not ticket:
            return _missing(ticket_id)
        if ticket["status"] == "Resolved":
            return _error(f"Ticket with ID {ticket_id} is already resolved.")
        ticket["status"] = "Resolved"
        ticket["resolution"] = resolution
        return {"status": f"Ticket {ticket_id} has been resolved successfully."}

    @changes
    def edit_ticket(self, ticket_id: int, updates: Ticket) -> Ticket:
        """Sets those fields of the ticket whose new value is not None."""
        ticket = self._find(ticket_id)
        if not ticket:
            return _missing(ticket_id)
        unknown = [field for field in updates.keys() if field not in _EDITABLE]  # noqa: SIM118
        if unknown:
            return _error(f"Invalid fields for update: {', '.join(unknown)}")
        ticket.update((field, value) for field, value in updates.items() if value is not None)
        return {"status": f"Ticket {ticket_id} has been updated successfully."}

    @changes
    def ticket_login(self, username: str, password: str) -> dict[str, bool]:
        """Logs in whoever gives a name and a password."""
        if not (username and password):
            return {"success": False}
        self.state.current_user = username
        return {"success": True}

    @reads
    def ticket_get_login_status(self) -> dict[str, bool]:
        """Whether somebody is logged in."""
        return {"login_status": bool(self.state.current_user)}

    @changes
    def logout(self) -> dict[str, bool]:
        """Logs out whoever is logged in."""
        if not self.state.current_user:
            return {"success": False}
        self.state.current_user = None
        return {"success": True}

    @reads
    def get_user_tickets(self, status: str | None = None) -> list[Ticket]:
        """The user's own tickets, those with `status` only if it is given; its case does not matter."""
        if not self.state.current_user:
            return [_error("User not authenticated. Please log in to view tickets.")]
        own = [one for one in self.state.ticket_queue if one["created_by"] == self.state.current_user]
        if not status:
            return own
        return [one for one in own if one["status"].lower() == status.lower()]

    def _find(self, ticket_id: int) -> Ticket | None:
        return next((one for one in self.state.ticket_queue if one["id"] == ticket_id), None)


def _error(message: str) -> Ticket:
    return {"error": message}


def _missing(ticket_id: int) -> Ticket:
    return _error(f"Ticket with ID {ticket_id} not found.")
