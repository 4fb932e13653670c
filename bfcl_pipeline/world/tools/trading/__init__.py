"""The simulated trading bot."""

from bfcl_pipeline.world.tools.trading.api import TradingBot

__all__ = ["TradingBot"]
