"""How much a result on memory depends on single scenarios.

The five scenarios of memory are too few for an interval over scenarios; the range of the means with one
scenario left out each time shows whether one of them decides. Covers accuracies and differences of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bfcl_pipeline.benchmark.definition.clusters import memory_scenario


@dataclass(frozen=True, slots=True)
class ScenarioRange:
    """A mean over memory categories with each scenario left out in turn. Shares."""

    scenarios: int  # number of scenarios
    low: float  # the lowest mean
    high: float  # the highest mean


def scenario_numbers(entries: Sequence[tuple[str, str]]) -> NDArray[np.int64]:
    """The number of each entry's scenario; -1 for entries that are not of memory.

    entries: category and id.
    """
    numbers: dict[str, int] = {}
    named = [memory_scenario(entry_id) for _, entry_id in entries]
    return np.array([-1 if name is None else numbers.setdefault(name, len(numbers)) for name in named])


def leave_one_out(
    values: NDArray[np.float64], category: NDArray[np.int64], scenario: NDArray[np.int64]
) -> ScenarioRange | None:
    """The range of the mean over the memory categories; None if there are fewer than two scenarios.

    Args:
        values: of each entry: 0 or 1 for verdicts, -1 to 1 for differences of them.
        category: a number for the category of each entry.
        scenario: the number of its scenario; -1 for entries that are not of memory, which are ignored.
    """
    inside = scenario >= 0
    scenarios = len(np.unique(scenario[inside]))
    if scenarios < 2:
        return None
    rows, columns = (np.unique(each[inside], return_inverse=True)[1] for each in (category, scenario))
    shape = int(rows.max()) + 1, scenarios
    counts, sums = np.zeros(shape), np.zeros(shape)
    np.add.at(counts, (rows, columns), 1)
    np.add.at(sums, (rows, columns), values[inside])
    left = counts.sum(axis=1, keepdims=True) - counts
    if not left.all():  # a category of one scenario only
        return None
    means = ((sums.sum(axis=1, keepdims=True) - sums) / left).mean(axis=0)
    return ScenarioRange(scenarios, float(means.min()), float(means.max()))
