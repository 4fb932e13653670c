"""The sample of a finished run, from its recorded config.

Read without a YAML parser, which takes long to load.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.config.sampling import RunSample, SampleBy
from bfcl_pipeline.files import read_regular
from bfcl_pipeline.yaml_reader import MAX_CONFIG_BYTES

_SAMPLE = re.compile(
    r"^sample: (?P<number>\d{1,18})$"
    r"|^sample:\n  by: (?P<by>size|weight)\n  entries: (?P<entries>\d{1,18})$",
    re.MULTILINE | re.ASCII,
)
"""The key `sample` as `recorded_config` writes it, if it is not null."""


def recorded_text(run_dir: Path) -> str:
    """The text of the recorded config of a run; empty if it cannot be read."""
    try:
        return read_regular(run_dir / "config.yaml", MAX_CONFIG_BYTES).decode("utf-8")
    except (OSError, ValueError):
        return ""


def recorded_sample(config: str) -> RunSample | None:
    """The sample in the text of a recorded config.

    None: all entries, or those of `entry_ids`, or the config was not recorded by a run.
    """
    found = _SAMPLE.search(config)
    if found is None:
        return None
    return RunSample(int(found["number"] or found["entries"]), SampleBy(found["by"] or SampleBy.SIZE))


def sizes_in_means(run_dir: Path) -> Mapping[str, int] | None:
    """The entries by which a mean by size weights each category: the release's if the sample is by weight.

    The entries that such a sample draws of a category are not in proportion to its size. None: the scored
    entries count, as in the official tool.

    Args:
        run_dir: may have config.yaml; without it the run is not a sample by weight.
    """
    drawn = recorded_sample(recorded_text(run_dir))
    if drawn is None or drawn.by is SampleBy.SIZE:
        return None
    return release_sizes()


def release_sizes() -> dict[str, int]:
    """The entries that the release has of each category."""
    return {name: category.entries for name, category in CATEGORIES.items()}
