"""The web of each mode."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from bfcl_pipeline.base import __version__
from bfcl_pipeline.base.errors import ConfigError, NotRecorded
from bfcl_pipeline.benchmark.config.job import SEARCH_ENGINES
from bfcl_pipeline.world.web.modes import LiveWeb, engine_text, open_web
from bfcl_pipeline.world.web.recording import RecordingWeb, ReplayingWeb


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
    monkeypatch.setenv("SERPAPI_API_KEY", "s3cret-key")
    assert isinstance(open_web("record", tmp_path, "serpapi"), RecordingWeb)


def test_another_mode_is_refused(tmp_path):
    """An unknown mode is an error that lists the known ones."""
    with pytest.raises(ConfigError, match=r"expected record, replay or live, got 'simulated'"):
        open_web("simulated", tmp_path)


@pytest.mark.parametrize("engine", SEARCH_ENGINES)
def test_an_engine_is_named_with_its_software(engine, tmp_path, monkeypatch):
    """The record names the engine, the package that searched, and the versions of both."""
    monkeypatch.setenv("SERPAPI_API_KEY", "s3cret-key")
    software = "requests" if engine == "serpapi" else f"ddgs {version('ddgs')}"
    assert engine_text(engine) == f"{engine} by {software} of bfcl-pipeline {__version__}"
    assert isinstance(open_web("record", tmp_path, engine), RecordingWeb)
