"""Quantiles that intervals share, in a module of its own: planning uses them without loading numpy."""

Z_95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""
