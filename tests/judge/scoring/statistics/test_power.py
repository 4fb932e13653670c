"""Detectable differences."""

from __future__ import annotations

import pytest

from bfcl_pipeline.judge.scoring.statistics.power import (
    detectable_difference,
    standard_error_for,
    unpaired_error,
)


def test_the_error_for_a_difference_is_the_inverse() -> None:
    """With the error that a difference needs, exactly this difference is detectable."""
    assert detectable_difference(standard_error_for(0.03)) == pytest.approx(0.03, rel=1e-12)
    assert standard_error_for(0.028) == pytest.approx(0.00999, abs=1e-5)


def test_errors_of_different_entries_add_in_squares() -> None:
    """Two independent estimates with errors 3 and 4 differ with error 5."""
    assert unpaired_error(3.0, 4.0) == 5.0
