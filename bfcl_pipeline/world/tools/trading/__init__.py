"""The simulated trading bot."""
