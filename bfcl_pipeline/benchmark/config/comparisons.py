"""The key `compare` of the config: which models of the run are compared with which."""

from collections.abc import Sequence

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name

Groups = tuple[tuple[str, ...], ...]
"""Models by group: the others of a group are compared with its first."""


def comparison_groups(given: Sequence[str | Sequence[str]] | None, models: Sequence[str]) -> Groups:
    """The groups that `compare` names: one list of models, or a list of such lists.

    Args:
        given: the value of the key; None for no comparison.
        models: the models of the run, with a name for each trial.

    Raises:
        ConfigError: a model is not one of the run, or a group does not have two models.
    """
    if given is None:
        return ()
    texts = [name for name in given if isinstance(name, str)]
    if texts and len(texts) < len(given):
        raise ConfigError(
            "compare: expected a list of models, or a list of such lists; got both in one list."
        )
    groups = (tuple(texts),) if texts else tuple(tuple(group) for group in given)
    for group in groups:
        for name in group:
            if name not in models:
                raise ConfigError(f"compare: {unknown_name('model of this run', name, models)}")
        if len(set(group)) < len(group) or len(group) < 2:
            raise ConfigError(f"compare: expected two or more different models, got {', '.join(group)}.")
    return groups
