"""The logger plugin as Snakemake loads it."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from snakemake.settings.types import OutputSettings
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

from snakemake_logger_plugin_bfcl import LogHandler, LogHandlerSettings


@pytest.fixture(autouse=True)
def _signals_restored() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def test_snakemake_finds_it() -> None:
    """Under the name that the profiles use."""
    assert LoggerPluginRegistry().is_installed("bfcl")


@pytest.mark.parametrize(
    ("output", "show", "replaces"),
    [
        (OutputSettings(), None, True),
        (OutputSettings(), "lines", True),
        (OutputSettings(), "snakemake", False),
        (OutputSettings(verbose=True), None, False),
        (OutputSettings(debug_dag=True), "live", False),
    ],
)
def test_details_are_left_to_snakemake(output: OutputSettings, show: str | None, replaces: bool) -> None:
    """--verbose, --debug-dag and `snakemake` show Snakemake's own messages."""
    handler = LogHandler(output, LogHandlerSettings(show=show))
    try:
        assert handler.writes_to_stream == replaces
    finally:
        handler.close()
