"""How the verdicts of a model, or the differences of two, scatter within and between categories.

Covers the variances and covariances of entries, the standard deviation that they give the score of a
sample, and what is assumed for unknown models. Entries of one cluster (docs/statistics.md) are correlated,
also across categories. An entry of a sample is drawn within its category, independently of the other
categories, as `config.sampling` does.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bfcl_pipeline.benchmark.definition.categories import CATEGORIES


@dataclass(frozen=True, slots=True)
class Scatter:
    """The variances and covariances of entries, by category."""

    variance: Mapping[str, float]  # of an entry drawn at random
    covariance: Mapping[tuple[str, str], float]  # of two different ones; both orders; absent: 0

    def independent(self, category: str) -> float:
        """The part of an entry's variance that a larger sample of the category reduces."""
        within = self.covariance.get((category, category), 0.0)
        return max(self.variance[category] - within, 0.0)

    def deviation(self, shares: Mapping[str, float], entries: Mapping[str, int]) -> float:
        """The standard deviation of a score; infinite if a category of it has no entry.

        With n entries of each category and shares w it is the root of
        sum_c w_c^2 (variance_c - covariance_cc) / n_c + sum_cd w_c w_d covariance_cd.
        The second sum does not depend on the sample.

        Args:
            shares: of the categories in the score.
            entries: the number that the sample has of each.
        """
        if any(not entries.get(name) for name in shares):
            return math.inf
        sampled = sum(share**2 * self.independent(name) / entries[name] for name, share in shares.items())
        return math.sqrt(sampled + self.floor(shares))

    def floor(self, shares: Mapping[str, float]) -> float:
        """The variance of a score that no sample of the benchmark's clusters reduces."""
        terms = (
            shares[first] * shares[second] * value
            for (first, second), value in self.covariance.items()
            if first in shares and second in shares
        )
        return max(sum(terms), 0.0)

    def design_effect(self, category: str, entries: int) -> float:
        """The variance of the mean of `entries` of the category, relative to independent entries."""
        if self.variance[category] == 0:
            return 1.0
        within = self.covariance.get((category, category), 0.0)
        return max(1 + (entries - 1) * within / self.variance[category], 0.0)


@dataclass(frozen=True, slots=True)
class Shared:
    """Categories that have one entry of each cluster."""

    categories: tuple[str, ...]
    clusters: int
    correlation: float  # of two verdicts of one model on one cluster
    difference_correlation: float  # of two differences of two models on one cluster


_SHARED = (
    Shared(tuple(name for name in CATEGORIES if name.startswith("multi_turn_")), 200, 0.47, 0.17),
    Shared(tuple(name for name in CATEGORIES if name.startswith("memory_")), 155, 0.5, 0.2),
    Shared(tuple(name for name in CATEGORIES if name.startswith("web_search_")), 100, 0.5, 0.2),
)
"""Multi-turn: means over seven published results of gpt-oss (120b and 20b, November 2025), and over three
pairs of 120b and 20b. Memory and web: assumed, as these results lack them."""

_DESIGN_EFFECTS = {
    "live_simple": (2.1, 1.4),
    "live_multiple": (2.2, 1.1),
    "live_irrelevance": (3.4, 1.0),
}
"""Of the full categories whose entries share function docs: means over the same results, and over the same
pairs."""

ASSUMED = (
    "assumed: accuracies of 50 % on multi-turn and agentic categories and 85 % on the others, with the "
    "correlations of published results"
)
"""What is assumed, in words."""

_ACCURACY = {"non_live": 0.85, "live": 0.85, "multi_turn": 0.5, "agentic": 0.5}
"""Assumed by group of categories; 0.5 scatters most."""

_PAIRED_CORRELATION = 0.5
"""Of two models' verdicts on one entry: 0.36 to 0.79 by category between gpt-oss-120b and gpt-oss-20b."""


def assumed_scatter(difference: bool) -> Scatter:
    """The scatter assumed for a model, or for the difference of two on the same entries."""
    scored = [category for category in CATEGORIES.values() if category.scored]
    factor = 2 * (1 - _PAIRED_CORRELATION) if difference else 1.0
    variance = {
        category.name: factor * _ACCURACY[category.group] * (1 - _ACCURACY[category.group])
        for category in scored
    }
    covariance = {
        (name, name): (effects[difference] - 1) / (CATEGORIES[name].entries - 1) * variance[name]
        for name, effects in _DESIGN_EFFECTS.items()
    }
    for shared in _SHARED:
        correlation = shared.difference_correlation if difference else shared.correlation
        for first in shared.categories:
            for second in shared.categories:
                if first != second:
                    deviations = math.sqrt(variance[first] * variance[second])
                    covariance[first, second] = correlation * deviations / shared.clusters
    return Scatter(variance, covariance)
