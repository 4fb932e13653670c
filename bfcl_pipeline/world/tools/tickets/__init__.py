"""The simulated ticket system."""

from bfcl_pipeline.world.tools.tickets.api import TicketAPI

__all__ = ["TicketAPI"]
