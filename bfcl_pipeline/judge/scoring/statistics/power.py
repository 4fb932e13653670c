"""The differences that a design can show, and the precision that a difference needs.

Covers the normal approximation for one comparison at 95 % confidence. docs/statistics.md derives it.
"""

from statistics import NormalDist

Z_95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


POWER = 0.8
"""The usual power: the probability that a true difference of this size is found."""


def detectable_difference(standard_error: float, power: float = POWER) -> float:
    """The smallest true difference that is found with this power, given the error of its estimate.

    Found: the 95 % interval of the difference does not contain 0 (Miller 2024).
    """
    return (Z_95 + NormalDist().inv_cdf(power)) * standard_error
