"""Intervals, comparisons and power, against statsmodels and scipy.

Both take seconds to import, so that no other file does, and only the tests themselves.
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bfcl_pipeline.judge.scoring.statistics.clustered import layout, means, wilson
from bfcl_pipeline.judge.scoring.statistics.paired import compare_paired, holm, mcnemar
from tests.judge.scoring.statistics.drawn_verdicts import drawn


@pytest.fixture(scope="module")
def binomtest() -> Any:
    """The exact test of scipy, imported before examples are drawn."""
    return importlib.import_module("scipy.stats").binomtest


@pytest.fixture(scope="module")
def multipletests() -> Iterator[Any]:
    """The corrections of statsmodels, which collect garbage at each call: of what is not there yet."""
    found = importlib.import_module("statsmodels.stats.multitest").multipletests
    gc.freeze()
    yield found
    gc.unfreeze()


@pytest.mark.parametrize(("correct", "entries"), [(0, 7), (7, 7), (3, 7), (199, 200), (1001, 1053)])
def test_wilson_equals_statsmodels(correct: int, entries: int) -> None:
    """For a whole number of entries the interval is the published one."""
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(correct, entries, alpha=0.05, method="wilson")
    found = wilson(correct / entries, entries)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize("categories", [1, 4])
@pytest.mark.parametrize("seed", range(3))
def test_means_and_covariances_equal_statsmodels(seed: int, categories: int) -> None:
    """Means of categories that share clusters covary as the coefficients of a regression on indicators."""
    from statsmodels.regression.linear_model import OLS

    values, where = drawn(seed, categories, 50, 200, uneven=True)
    fit = OLS(values, np.eye(categories)[where.category]).fit(
        cov_type="cluster", cov_kwds={"groups": where.cluster, "use_correction": False}
    )
    expected = fit.cov_params() * where.clusters / (where.clusters - 1)
    found = means(values, where)
    np.testing.assert_allclose(found.covariance, expected, rtol=1e-9, atol=0)
    np.testing.assert_allclose(found.mean, fit.params, rtol=1e-9)
    # Clusters matter here: taking entries as independent would give other variances.
    assert abs(expected[np.triu_indices(categories, 1)]).min(initial=1) > 1e-5
    assert (found.covariance.diagonal() > 1.2 * found.independent).all()


@given(st.integers(0, 3000), st.floats(-5, 5))
def test_mcnemar_equals_scipy(binomtest: Any, total: int, deviation: float) -> None:
    """The p-value is that of the exact two-sided binomial test, also of thousands of disagreements."""
    only_first = min(total, max(0, round(total / 2 + deviation * total**0.5 / 2)))
    expected = binomtest(only_first, total).pvalue if total else 1.0
    assert mcnemar(only_first, total - only_first) == pytest.approx(expected, rel=1e-9, abs=0)


@given(st.lists(st.floats(0, 1) | st.floats(0, 0.04), min_size=1, max_size=25))
@example([0.01, 0.04, 0.03, 0.01, 0.2, 0.011])
def test_holm_equals_statsmodels(multipletests: Any, p_values: list[float]) -> None:
    """The adjusted p-values are those of the reference, in the same order."""
    expected = multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(list(expected), rel=1e-9, abs=0)


def test_the_variance_of_a_difference_equals_statsmodels() -> None:
    """It is the cluster-robust variance of a regression of the differences on a constant."""
    from statsmodels.regression.linear_model import OLS

    random = np.random.default_rng(2)
    first, second = random.random((2, 400)) < 0.6
    cluster = np.append(np.arange(90), random.geometric(0.05, size=310) % 90)
    found = compare_paired(first, second, layout(np.zeros(400, int), cluster))
    difference = first.astype(float) - second.astype(float)
    fit = OLS(difference, np.ones(400)).fit(
        cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": True}
    )
    assert found.of.covariance[0, 0] == pytest.approx(fit.cov_params()[0, 0], rel=1e-9)
    assert found.of.mean[0] == pytest.approx(fit.params[0], abs=1e-12)
