"""TicketAPI: support tickets of a company.

Covers creating, editing, resolving and closing tickets, and login. Source: the function docs and the
behaviour of the release's ticket_api.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import WorldConfig, changes, reads, refuse_call
from bfcl_pipeline.world.tools.state import fill

Ticket = dict[str, Any]

_EDITABLE = {"title", "description", "status", "priority"}


@dataclass(slots=True)
class TicketState:
    """The state that the checker compares."""

    ticket_queue: list[Ticket]  # in the order of creation
    ticket_counter: int  # id of the next ticket
    current_user: str | None  # name of the logged-in user


class TicketAPI:
    """The ticket system."""

    def __init__(self, state: TicketState) -> None:
        self.state = state

    @classmethod
    def load(cls, initial: Mapping[str, Json], config: WorldConfig) -> Self:
        """The initial ticket system of an entry; by default without tickets and user."""
        return cls(fill(TicketState, initial, config.constants.table("ticket_api", "DEFAULT_STATE")))

    @changes
    def create_ticket(self, title: str, description: str = "", priority: int = 1) -> Ticket:
        """Appends a ticket with priority 1 to 5 to the queue."""
        state = self.state
        if not state.current_user:
            return refuse_call("User not authenticated. Please log in to create a ticket.")
        if priority < 1 or priority > 5:
            return refuse_call("Invalid priority. Priority must be between 1 and 5.")
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
        """Sets the status of the ticket to Closed."""
        ticket = self._find(ticket_id)
        if not ticket:
            return _missing(ticket_id)
        if ticket["status"] == "Closed":
            return refuse_call(f"Ticket with ID {ticket_id} is already closed.")
        ticket["status"] = "Closed"
        return {"status": f"Ticket {ticket_id} has been closed successfully."}

    @changes
    def resolve_ticket(self, ticket_id: int, resolution: str) -> Ticket:
        """Sets the status of the ticket to Resolved, and its resolution."""
        ticket = self._find(ticket_id)
        if not ticket:
            return _missing(ticket_id)
        if ticket["status"] == "Resolved":
            return refuse_call(f"Ticket with ID {ticket_id} is already resolved.")
        ticket["status"] = "Resolved"
        ticket["resolution"] = resolution
        return {"status": f"Ticket {ticket_id} has been resolved successfully."}

    @changes
    def edit_ticket(self, ticket_id: int, updates: Ticket) -> Ticket:
        """Sets the fields of the ticket whose new value is not None."""
        ticket = self._find(ticket_id)
        if not ticket:
            return _missing(ticket_id)
        unknown = [field for field in updates.keys() if field not in _EDITABLE]  # noqa: SIM118
        if unknown:
            return refuse_call(f"Invalid fields for update: {', '.join(unknown)}")
        ticket.update((field, value) for field, value in updates.items() if value is not None)
        return {"status": f"Ticket {ticket_id} has been updated successfully."}

    @changes
    def ticket_login(self, username: str, password: str) -> dict[str, bool]:
        """Logs in with any name and password that are not empty."""
        if not (username and password):
            return {"success": False}
        self.state.current_user = username
        return {"success": True}

    @reads
    def ticket_get_login_status(self) -> dict[str, bool]:
        """Whether a user is logged in."""
        return {"login_status": bool(self.state.current_user)}

    @changes
    def logout(self) -> dict[str, bool]:
        """Logs out the current user."""
        if not self.state.current_user:
            return {"success": False}
        self.state.current_user = None
        return {"success": True}

    @reads
    def get_user_tickets(self, status: str | None = None) -> list[Ticket]:
        """The current user's tickets, or only those with `status`, ignoring case."""
        if not self.state.current_user:
            return [refuse_call("User not authenticated. Please log in to view tickets.")]
        user = self.state.current_user
        own = [ticket for ticket in self.state.ticket_queue if ticket["created_by"] == user]
        if not status:
            return own
        return [ticket for ticket in own if ticket["status"].lower() == status.lower()]

    def _find(self, ticket_id: int) -> Ticket | None:
        return next((ticket for ticket in self.state.ticket_queue if ticket["id"] == ticket_id), None)


def _missing(ticket_id: int) -> Ticket:
    return refuse_call(f"Ticket with ID {ticket_id} not found.")
