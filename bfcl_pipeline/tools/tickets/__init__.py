"""The simulated ticket system."""

from bfcl_pipeline.tools.tickets.api import TicketAPI

__all__ = ["TicketAPI"]
