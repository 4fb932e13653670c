"""The simulated messaging service."""

from bfcl_pipeline.tools.messages.api import MessageAPI

__all__ = ["MessageAPI"]
