"""How verdicts scatter, measured in those of a run. Pure.

The record and what is assumed without a run are in `definition.scatter`.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from bfcl_pipeline.benchmark.definition.scatter import Scatter

ASSUMED = (
    "assumed: accuracies of 50 % on multi-turn and agentic categories and 85 % on the others, with the "
    "correlations of published results"
)
"""What is assumed of verdicts that are not measured."""


@dataclass(frozen=True, slots=True)
class EntryValue:
    """One entry as a plan sees it."""

    category: str
    cluster: str  # entries with equal ones are correlated
    value: float  # 1 for a valid answer, 0 for another; of two models, the difference of these


def measure_scatter(outcomes: Iterable[EntryValue]) -> Scatter:
    """The scatter in the categories that `outcomes` has at least two entries of."""
    by_category: dict[str, list[EntryValue]] = defaultdict(list)
    for outcome in outcomes:
        by_category[outcome.category].append(outcome)
    by_category = {name: rows for name, rows in by_category.items() if len(rows) > 1}
    means = {name: sum(row.value for row in rows) / len(rows) for name, rows in by_category.items()}
    sizes = {name: len(rows) for name, rows in by_category.items()}
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    squares = dict.fromkeys(by_category, 0.0)
    for name, rows in by_category.items():
        for row in rows:
            residual = row.value - means[name]
            sums[row.cluster][name] += residual
            squares[name] += residual**2
    products: dict[tuple[str, str], float] = defaultdict(float)
    for cluster in sums.values():
        for first, one in cluster.items():
            for second, other in cluster.items():
                products[first, second] += one * other
    covariance = {}
    for (first, second), product in products.items():
        if first == second:
            size = sizes[first]
            covariance[first, first] = (product - squares[first]) / (size * (size - 1))
        else:
            covariance[first, second] = product / (sizes[first] * sizes[second])
    variance = {name: squares[name] / (sizes[name] - 1) for name in by_category}
    return Scatter(variance, covariance)


def complete_scatter(scatter: Scatter, assumed: Scatter) -> Scatter:
    """`scatter`, with the categories that it lacks as in `assumed`."""
    covariance = {
        pair: value for pair, value in assumed.covariance.items() if not set(pair) <= set(scatter.variance)
    }
    return Scatter(
        {name: scatter.variance.get(name, value) for name, value in assumed.variance.items()},
        {**covariance, **scatter.covariance},
    )
