"""How the verdicts of entries scatter, measured: what `plan` assumes, for tests and benchmarks of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from bfcl_pipeline.benchmark.definition.scatter import Scatter


class EntryValue(NamedTuple):
    """One entry with its verdict."""

    category: str
    cluster: str
    value: float


def measure_scatter(outcomes: Sequence[EntryValue]) -> Scatter:
    """The variances of verdicts, and the mean covariances of two different entries."""
    clusters = {name: number for number, name in enumerate(sorted({one.cluster for one in outcomes}))}
    rest, sums = {}, {}
    names = list(dict.fromkeys(one.category for one in outcomes))
    for name in names:
        rows = [one for one in outcomes if one.category == name]
        values = np.array([one.value for one in rows])
        rest[name] = values - values.mean()
        where = [clusters[one.cluster] for one in rows]
        sums[name] = np.bincount(where, rest[name], len(clusters))
    covariance = {}
    for one, two in product(names, names):
        same = rest[one] @ rest[one] if one == two else 0.0
        pairs = len(rest[one]) * (len(rest[two]) - (one == two))
        covariance[one, two] = float((sums[one] @ sums[two] - same) / pairs)
    return Scatter({name: float(values.var(ddof=1)) for name, values in rest.items()}, covariance)
