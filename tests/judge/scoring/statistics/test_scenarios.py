"""The difference on memory with one scenario left out."""

from __future__ import annotations

import numpy as np
import pytest

from bfcl_pipeline.judge.scoring.intervals import ScenarioRange, leave_one_out, scenario_numbers


def test_scenarios_are_numbered_over_the_backends() -> None:
    """Questions of one scenario have one number in all memory categories; other entries have -1."""
    entries = [
        ("memory_kv", "memory_kv_0-customer-0"),
        ("memory_vector", "memory_vector_7-customer-7"),
        ("memory_kv", "memory_kv_153-notetaker-23"),
        ("multiple", "multiple_3"),
    ]
    assert scenario_numbers(entries).tolist() == [0, 0, 1, -1]


def test_a_difference_of_one_scenario_vanishes_without_it() -> None:
    """If all flips are of one scenario, the range reaches 0."""
    differences = np.array([1.0, 1, 0, 0, 0, 0, 1])
    category, scenario = np.array([0, 1, 0, 1, 0, 1, 2]), np.array([0, 0, 1, 1, 2, 2, -1])
    assert leave_one_out(differences, category, scenario) == ScenarioRange(3, 0.0, 0.5)


@pytest.mark.parametrize("scenario", [[-1, -1, -1], [0, 0, -1], [0, 0, 1]])
def test_too_few_scenarios_have_no_range(scenario: list[int]) -> None:
    """Without memory, with one scenario, or with a category of one scenario there is no range."""
    assert leave_one_out(np.ones(3), np.array([0, 0, 1]), np.array(scenario)) is None
