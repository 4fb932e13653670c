"""Verdicts drawn at random for the tests of this directory."""

from __future__ import annotations

import numpy as np

from bfcl_pipeline.judge.scoring.statistics.clustered import Layout, layout


def drawn(
    seed: int, categories: int, clusters: int, entries: int, *, uneven: bool = False
) -> tuple[np.ndarray, Layout]:
    """Correlated verdicts of one or more categories over the same clusters, and their layout.

    uneven: whether a few clusters have most of the entries.
    """
    random = np.random.default_rng(seed)
    category = np.repeat(np.arange(categories), entries)
    cluster = np.concatenate([np.arange(entries) % clusters for _ in range(categories)])
    if uneven:
        cluster = np.where(cluster < clusters // 4, cluster, random.geometric(0.2, len(cluster)) - 1)
        cluster = np.unique(cluster, return_inverse=True)[1]
    ability = random.normal(size=clusters)[cluster]
    values = (ability + random.normal(size=len(cluster)) > -0.3).astype(np.float64)
    return values, layout(category, cluster)
