"""What the official tool writes from result folders with errors in the place of answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.share.official.scorer_process import judge_all
from tests.peer.peer import PYTHON, require_peer
from tests.support.stored_errors import FOLDERS, digest, write_results


@pytest.mark.parametrize("model", FOLDERS)
def test_the_recorded_files_are_those_of_the_official_tool(
    model: str, staged: Path, tmp_path: Path
) -> None:
    """The digest with which `tests/show/report/test_omitted.py` compares our files."""
    require_peer()
    write_results(tmp_path / "result", model, staged)
    assert judge_all(tmp_path, PYTHON) == (None, [])
    assert digest(tmp_path / "scores") == FOLDERS[model][2]
