"""Which sides are compared with which: groups whose first side is compared with the others."""

from collections.abc import Sequence

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config import trial_name, trial_of
from bfcl_pipeline.show.compare.sides import Choice, Side

_FC = "-FC"  # the end of names of models in function-calling mode, as the leaderboard has them

Groups = list[list[Side]]


def default_groups(choices: Sequence[Choice], sides: Sequence[Side]) -> Groups:
    """One group of all sides; of several whole runs, one group for each model that the first run shares.

    Whole runs of one model each are one group, whatever the models are called.
    """
    runs = list(dict.fromkeys(choice.run for choice in choices))
    if len(runs) < 2 or any(choice.model is not None for choice in choices):
        return [list(sides)]
    by_model: dict[str, list[Side]] = {}
    for side in sides:
        by_model.setdefault(side.model, []).append(side)
    shared = [group for group in by_model.values() if len(group) > 1 and group[0].run == runs[0]]
    return shared or [list(sides)]


def mode_groups(sides: Sequence[Side]) -> Groups:
    """The pairs `X-FC` and `X` of each run, in the order of sides.

    Raises ConfigError if there is none.
    """
    by_name = {(side.run, side.model): side for side in sides}
    found = []
    for side in sides:
        trial = trial_of(side.model)
        if trial.model.endswith(_FC):
            prompt = trial_name(trial.model.removesuffix(_FC), trial.number)
            other = by_name.get((side.run, prompt))
            if other is not None:
                found.append([side, other])
    if not found:
        raise ConfigError(
            "--modes: no model with both modes, named X-FC and X. To compare models with other names, name "
            "them: RUN:MODEL RUN:MODEL."
        )
    return found


def named_groups(names: Sequence[Sequence[str]], sides: Sequence[Side]) -> Groups:
    """The sides with some names, by group. Raises ConfigError if there is no side of a name."""
    by_name = {side.label: side for side in sides}
    for name in (name for group in names for name in group):
        if name not in by_name:
            raise ConfigError(unknown_name("model", name, by_name))
    return [[by_name[name] for name in dict.fromkeys(group)] for group in names]


def alone(groups: Groups, sides: Sequence[Side]) -> list[str]:
    """The labels of the sides that are in no group."""
    inside = {(side.run, side.model) for group in groups for side in group}
    return [side.label for side in sides if (side.run, side.model) not in inside]
