"""The mark of a run that evaluated a part of the entries of its categories."""

import re
from collections.abc import Iterable
from pathlib import Path

from bfcl_pipeline.config import recorded_sample, recorded_text

_KEY = re.compile(r"(\w+): ?(.*)")  # of a recorded config, which is written here; YAML takes long to load


def sample_note(entries: Iterable[tuple[str, int, int]], run_dir: Path) -> str:
    """`Sample: 200 of 5,106 entries, seed 0`, without the seed if it is not recorded.

    Args:
        entries: of each model and category: its name, the entries that ran, those of the release.
        run_dir: may have config.yaml, with the seed.

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
    text = recorded_text(run_dir)
    config = {match[1]: match[2] for match in map(_KEY.fullmatch, text.splitlines()) if match}
    if config.get("entry_ids", "null") != "null":
        return f"Selection: {counts}, by their ids"
    drawn = recorded_sample(text)
    if drawn is None:
        return f"Sample: {counts}"
    seed = config.get("seed", "")
    return f"Sample: {counts}{drawn.division}" + (f", seed {seed}" if seed.isdecimal() else "")
