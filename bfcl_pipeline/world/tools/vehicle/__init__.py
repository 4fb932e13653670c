"""The simulated car."""
