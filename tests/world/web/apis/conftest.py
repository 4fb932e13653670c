"""The hosts of the web APIs on this machine, and what records their answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.world.web.api_recording import RecordingApis
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.engines.asking import RetryPolicy
from tests.support.api_hosts import KEYS, client_of
from tests.support.web_server import WebServer


@pytest.fixture
def waits() -> list[float]:
    """The waits before further attempts, none of which takes time."""
    return []


@pytest.fixture
def recording(hosts: WebServer, tmp_path: Path, waits: list[float]) -> Callable[..., RecordingApis]:
    """Web APIs that record into tmp_path/web; requests to a host follow each other without a pause."""

    def make(keys: Mapping[str, str] = KEYS, **limits: Any) -> RecordingApis:
        return RecordingApis(
            WebCache(tmp_path / "web"),
            keys,
            client_of(hosts, **limits),
            retries=RetryPolicy(attempts=3, sleep=waits.append, jitter=lambda: 1.0),
        )

    return make
