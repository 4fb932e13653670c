"""`verify --official`: the official scorer judges the answers of an archive; hostile ones do nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.definition import release
from bfcl_pipeline.benchmark.records import Mode, Response
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.official.check import STAND_INS
from bfcl_pipeline.share.official.export_results import export_official
from bfcl_pipeline.share.official.scorer_process import run_scorer, scorer_python
from tests.peer.peer import PYTHON, require_peer
from tests.share.archive.small_run import NAME, SmallRun


def test_the_official_scorer_agrees(
    small_run: SmallRun, archived: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    require_peer()
    assert small_run.verify(archived, "--official-python", str(PYTHON)) == 0
    output = capfd.readouterr().out
    agreed = (
        rf"verified      official   ([1-9]\d*) of \1 verdicts are those of bfcl-eval {release.VERSION}\n"
    )
    assert re.search(agreed, output)
    assert "DIFFERS" not in output


def _hostile(folder: Path) -> dict[str, str]:
    """Answers that write a file where they are evaluated as code, by category."""
    write = f"open({str(folder / 'written')!r}, 'w').write('x')"
    return {
        "simple_python": json.dumps(f"[f(a=1+{write})]"),
        "multi_turn_base": json.dumps([[f"[open(file={str(folder / 'written')!r}, mode='w')]"], *[[]] * 3]),
    }


def test_answers_with_code_are_refused_and_named(staged: Path, tmp_path: Path) -> None:
    """Nothing of them runs, and their entries are listed, so that their verdicts are not compared."""
    require_peer()
    run, work = tmp_path / "run", tmp_path / "work"
    work.mkdir()
    for category, answer in _hostile(tmp_path).items():
        response = Response(f"{category}_0", category, Mode.PROMPT, answer, model="m", run=NAME)
        path = run / "responses/m" / f"{category}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_responses(path, [response])
    export_official(
        Run(run, data=staged), work / "result", names={"m": STAND_INS[Mode.PROMPT]}, log=lambda _line: None
    )
    assert run_scorer(work, PYTHON) is None
    refused = json.loads((work / "scores/refused.json").read_text())
    assert refused == {category: [f"{category}_0"] for category in _hostile(tmp_path)}
    assert not (tmp_path / "written").exists()


def test_a_python_without_the_package_is_refused(tmp_path: Path) -> None:
    """Before anything is scored, with what to do."""
    require_peer()
    with pytest.raises(ConfigError, match=r"has bfcl-eval .*; the run is of 1\.0"):
        scorer_python(PYTHON, tmp_path, "1.0", print)
    with pytest.raises(ConfigError, match="no program"):
        scorer_python(Path("no-such-python"), tmp_path, release.VERSION, print)
    with pytest.raises(ConfigError, match="not a version"):
        scorer_python(None, tmp_path, "../..", print)
    assert list(tmp_path.iterdir()) == []
