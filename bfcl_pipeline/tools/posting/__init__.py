"""The simulated microblog."""

from bfcl_pipeline.tools.posting.api import TwitterAPI

__all__ = ["TwitterAPI"]
