"""The slope of a function that is given as the text of a lambda."""

from typing import Any

from bfcl_pipeline.world.executables.functions.lambdas import read_lambda
from bfcl_pipeline.world.executables.functions.work import EvaluationWork

STEP = 0.0000000001
"""The difference of the two places at which the function is computed."""


def estimate_derivative(work: EvaluationWork, function: Any, x: Any) -> Any:
    """The difference quotient to the right of x.

    function: the text of a lambda with one parameter; it is read by `lambdas`, not evaluated.
    """
    value = read_lambda(function)
    return (value(x + STEP, work) - value(x, work)) / STEP
