"""Which models of two runs are compared."""

from collections.abc import Iterable, Sequence

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config import trial_of
from bfcl_pipeline.runs.run import Run


def model_pairs(first: Run, second: Run, chosen: Sequence[str] = ()) -> list[tuple[str, str]]:
    """The names of the models that are compared, in the order of the first run.

    Args:
        first: the first run.
        second: the second run.
        chosen: NAME, or NAME=OTHER for models with different names; empty: all that both have.

    Raises:
        ConfigError: a run has no such model.
    """
    return _chosen(chosen, first, second) if chosen else _paired(list(first.models), list(second.models))


def _paired(first: Sequence[str], second: Sequence[str]) -> list[tuple[str, str]]:
    """Models of the same name; of two runs of one model each, its trials, whatever they are called."""
    same = [(name, name) for name in first if name in second]
    if (
        same
        or len({trial_of(name).model for name in first}) * len({trial_of(name).model for name in second})
        != 1
    ):
        return same
    by_trial = {trial_of(name).number: name for name in second}
    return [(name, by_trial[n]) for name in first if (n := trial_of(name).number) in by_trial]


def _chosen(texts: Iterable[str], first: Run, second: Run) -> list[tuple[str, str]]:
    pairs = []
    for text in texts:
        parts = text.split("=")  # names may contain it
        ways = [("=".join(parts[:place]), "=".join(parts[place:])) for place in range(1, len(parts))]
        ways = [(text, text), *ways]
        known = [way for way in ways if way[0] in first.models and way[1] in second.models]
        if not known:
            name, run = (ways[-1][0], first) if ways[-1][0] not in first.models else (ways[-1][1], second)
            raise ConfigError(f"--model {text}: {run.source}: {unknown_name('model', name, run.models)}")
        pairs.append(known[0])
    return list(dict.fromkeys(pairs))
