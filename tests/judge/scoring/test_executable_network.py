"""Our verdicts on published outputs whose calls use the network, by the simulated network."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.executable_conformance import HEADER, TABLE, read_rows
from tests.support.executable_network import ALIASES, FAILED_AT_THE_API, network_figure


def test_verdicts_by_the_simulated_network_equal_the_official_ones(
    staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Verdict and error type are the official ones but for a closed list: APIs that failed at exactly the
    expected requests, and one other name of a city."""
    path = os.environ.get(TABLE)
    if path is None:
        pytest.skip(f"{TABLE} names no table of outputs with official verdicts")
    figure, failed, aliases = network_figure(read_rows(Path(path)), staged)
    with capsys.disabled():
        print("", HEADER, figure.line(), sep="\n")
    assert not figure.different, figure.different[:10]
    assert not figure.status
    assert failed == FAILED_AT_THE_API
    assert aliases == ALIASES
    assert figure.equal == figure.outputs - failed.total() - aliases.total()
