"""What a process of a derivation may take: processor time, memory, files and output."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import PipelineError
from bfcl_pipeline.share.archive import replay

PRINT = """\
from resource import RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE, getrlimit
print(*(getrlimit(kind)[1] for kind in (RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE)))
"""


def test_each_process_has_limits(tmp_path: Path) -> None:
    """They are inherited by the steps."""
    replay._run([sys.executable, "-c", PRINT], tmp_path / "log", print)
    seconds, memory, file_bytes = map(int, (tmp_path / "log").read_text().split())
    assert 0 < seconds <= replay.STEP_SECONDS
    assert 0 < memory <= replay.STEP_BYTES
    assert 0 < file_bytes <= replay.STEP_BYTES // 2


def test_too_much_output_ends_a_derivation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on one line without an end; what was printed before is in the log."""
    monkeypatch.setattr(replay, "_MOST_LOG", 10_000)
    monkeypatch.setattr(replay, "_LONGEST_LINE", 1_000)
    endless = "import sys\nwhile True: sys.stdout.write('x' * 100)"
    with pytest.raises(PipelineError, match="print more than 10,000 characters"):
        replay._run([sys.executable, "-c", endless], tmp_path / "log", print)
    assert (tmp_path / "log").stat().st_size == 10_000
