"""The mark of a run that evaluated a part of the entries of its categories."""

from collections.abc import Iterable

from bfcl_pipeline.runs.run import Run


def sample_note(entries: Iterable[tuple[str, int, int]], run: Run) -> str:
    """`Sample: 200 of 5,106 entries, seed 0`, without the seed if it is not recorded.

    Args:
        entries: of each model and category: its name, the entries that ran, those of the release.
        run: its config, if any, has the seed.

    Returns:
        The mark; empty if all entries of the categories ran.
    """
    ran: dict[str, int] = {}
    released: dict[str, int] = {}
    for category, count, of in entries:
        ran[category] = max(ran.get(category, 0), count)
        released[category] = of
    if not any(ran[category] < released[category] for category in ran):
        return ""
    counts = f"{sum(ran.values()):,} of {sum(released.values()):,} entries"
    config = run.config
    if config is not None and config.entry_ids is not None:
        return f"Selection: {counts}, by their ids"
    if config is None or config.sample is None:
        return f"Sample: {counts}"
    return f"Sample: {counts}{config.sample.division}, seed {config.seed}"
