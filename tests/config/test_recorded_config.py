"""The recorded config of a run is read by key, or refused with its path."""

import pytest

from bfcl_pipeline.config.recorded_config import recorded_keys
from bfcl_pipeline.config.shown_entries import ShownEntries, recorded_choice
from bfcl_pipeline.errors import ConfigError


def test_keys_have_the_recorded_values(tmp_path):
    """Every key has its value, also one that this version does not know."""
    (tmp_path / "config.yaml").write_text("web: record\nof_old: 1\n")
    assert recorded_keys(tmp_path) == {"web": "record", "of_old": 1}


def test_a_run_without_a_config_has_no_keys(tmp_path):
    """A directory of results from elsewhere has none."""
    assert recorded_keys(tmp_path) == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: [", "not readable as YAML"),
        (b"\xff", "not readable as YAML"),
        (b"[" * 100_000, "not readable as YAML"),
        (b"day: 2026-99-99", "not readable as YAML"),
        (b"- 1", "expected a mapping of keys, got list"),
        (b"", "expected a mapping of keys, got NoneType"),
    ],
)
def test_a_damaged_config_is_refused(tmp_path, content, message):
    """The message has the path and what to do."""
    (tmp_path / "config.yaml").write_bytes(content)
    with pytest.raises(ConfigError, match=message) as caught:
        recorded_keys(tmp_path)
    assert str(caught.value).startswith(str(tmp_path / "config.yaml"))
    assert str(caught.value).endswith("Restore the file, or run the evaluation again.")


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
