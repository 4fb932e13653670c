"""Quantiles of the normal distribution."""

Z_95 = 1.959963984540054
"""The 97.5 % point: half of a 95 % interval in standard errors."""

Z_80 = 0.8416212335729143
"""The 80 % point: what 80 % power adds."""
