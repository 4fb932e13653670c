"""The key `report.entries` of a recorded config."""

import pytest

from bfcl_pipeline.config.shown_entries import ShownEntries, recorded_choice
from bfcl_pipeline.errors import ConfigError


@pytest.mark.parametrize("choice", ShownEntries)
def test_the_choice_of_conversations_is_read_back(tmp_path, choice):
    """Each value of `report.entries` is that of the recorded config; without the key it is the default."""
    (tmp_path / "config.yaml").write_text(f"report: {{entries: {choice}}}\n")
    assert recorded_choice(tmp_path) is choice
    (tmp_path / "config.yaml").write_text("report: {}\n")
    assert recorded_choice(tmp_path) is ShownEntries.WRONG


def test_an_unknown_choice_is_refused_with_the_known_ones(tmp_path):
    """The message lists the values."""
    (tmp_path / "config.yaml").write_text("report: {entries: some}\n")
    with pytest.raises(ConfigError, match=r"config\.yaml: .*some.*wrong"):
        recorded_choice(tmp_path)
