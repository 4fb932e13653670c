"""Detectable differences."""

from __future__ import annotations

import pytest

from bfcl_pipeline.judge.scoring.statistics.power import detectable_difference


def test_a_difference_of_nearly_three_errors_is_detectable() -> None:
    """1.96 errors for the interval, and 0.84 for a power of 80 %."""
    assert detectable_difference(0.01) == pytest.approx(0.028016, abs=1e-6)
    assert detectable_difference(0.01, power=0.5) == pytest.approx(0.0196, abs=1e-5)
