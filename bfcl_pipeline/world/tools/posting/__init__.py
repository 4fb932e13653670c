"""The simulated microblog."""

from bfcl_pipeline.world.tools.posting.api import TwitterAPI

__all__ = ["TwitterAPI"]
