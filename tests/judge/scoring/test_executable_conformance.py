"""Our verdicts on published outputs of the executable categories equal the official ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.executable_conformance import EXPLAINED, HEADER, TABLE, all_figures, read_rows


def test_verdicts_on_published_outputs_equal_the_official_ones(
    staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Verdict and error type are the official ones wherever no answer of the network is needed.

    Prompted models whose answers the official code read with another decoder may differ where the calls
    that are decoded differ; how many do is a closed list. Where an answer of the network is needed and none
    is recorded, there is no verdict.
    """
    path = os.environ.get(TABLE)
    if path is None:
        pytest.skip(f"{TABLE} names no table of outputs with official verdicts")
    figures = all_figures(read_rows(Path(path)), staged)
    with capsys.disabled():
        print("", HEADER, *(figure.line() for figure in figures), sep="\n")
    decoded, older, network, native, plain, other = figures
    for figure in figures:
        assert figure.outputs
        assert not figure.different, figure.different[:10]
    for figure in (decoded, older, native):
        assert figure.equal == figure.outputs
    assert network.equal + network.status == network.outputs
    assert plain.equal + plain.other_type == plain.outputs
    assert other.causes == EXPLAINED
    assert other.equal + other.other_type + other.causes.total() == other.outputs
