"""Five small tries of a model, as a run asks it, and what is to blame for those that fail."""

from bfcl_pipeline.ask.ping.blame import Blame
from bfcl_pipeline.ask.ping.run_tries import Pinged, Tried, ping

__all__ = ["Blame", "Pinged", "Tried", "ping"]
