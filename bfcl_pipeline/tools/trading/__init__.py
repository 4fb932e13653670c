"""The simulated trading bot."""

from bfcl_pipeline.tools.trading.api import TradingBot

__all__ = ["TradingBot"]
