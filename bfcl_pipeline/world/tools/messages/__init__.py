"""The simulated messaging service."""

from bfcl_pipeline.world.tools.messages.api import MessageAPI

__all__ = ["MessageAPI"]
