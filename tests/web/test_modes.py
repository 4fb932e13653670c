"""The web of each mode."""

from __future__ import annotations

import pytest

from bfcl_pipeline.errors import ConfigError, NotRecorded
from bfcl_pipeline.web.modes import LiveWeb, open_web
from bfcl_pipeline.web.recording import RecordingWeb, ReplayingWeb


def test_each_mode_has_its_web(tmp_path, monkeypatch):
    """record writes the web cache, live does not, replay only reads it."""
    assert isinstance(open_web("record", tmp_path), RecordingWeb)
    assert isinstance(open_web("live", tmp_path), LiveWeb)
    replay = open_web("replay", tmp_path)
    assert isinstance(replay, ReplayingWeb)
    with pytest.raises(NotRecorded, match="fetch"):
        replay.fetch("https://example.org/")
    monkeypatch.delenv("SERPAPI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="SERPAPI_API_KEY"):
        open_web("record", tmp_path, "serpapi")
    monkeypatch.setenv("SERPAPI_API_KEY", "s3cret")
    assert isinstance(open_web("record", tmp_path, "serpapi"), RecordingWeb)


def test_another_mode_is_refused(tmp_path):
    """An unknown mode is an error that lists the known ones."""
    with pytest.raises(ConfigError, match=r"expected record, replay or live, got 'simulated'"):
        open_web("simulated", tmp_path)
