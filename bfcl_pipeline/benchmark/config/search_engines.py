"""The search engine of each model of a run: that of its row, else that of the config.

Models whose answers are read from results search nothing in the run; of their answers, only outcomes of
DuckDuckGo are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bfcl_pipeline.benchmark.config.job import LEADERBOARD_ENGINES, SEARCH_ENGINES
from bfcl_pipeline.benchmark.config.model_rows import ModelRow
from bfcl_pipeline.benchmark.config.trials import trial_of

DUCKDUCKGO = SEARCH_ENGINES[0]


@dataclass(frozen=True, slots=True)
class SearchEngines:
    """The search engines of a run."""

    default: str = DUCKDUCKGO  # of the config
    of_rows: Mapping[str, str] = field(default_factory=dict)  # of the models with another one, by name

    @classmethod
    def of_run(cls, default: str, rows: Iterable[ModelRow]) -> SearchEngines:
        """The engines of the models in `rows`. default: `search_engine` of the config."""
        own = {row.name: DUCKDUCKGO if row.recorded else row.search_engine or default for row in rows}
        return cls(default, {name: engine for name, engine in own.items() if engine != default})

    def of(self, model: str | None) -> str:
        """The engine of a model, or of a trial of it, by its name in tables."""
        return self.default if model is None else self.of_rows.get(trial_of(model).model, self.default)


def same_results(first: str, second: str) -> bool:
    """Whether two engines return the same results: one is the other, or both those of DuckDuckGo."""
    return first == second or {first, second} <= set(LEADERBOARD_ENGINES)
