"""The process of the official scorer, with a script in the place of its Python, and its environment."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bfcl_pipeline.share.official.scorer_process import judge_all, scoring_requirements

SCRIPT = """\
#!{python}
import json, os, pathlib, signal, sys
results, scores = map(pathlib.Path, sys.argv[4:6])
refused, entry = sys.argv[6:]
for path in sorted(results.rglob("*_result.json")):
    for line in path.read_text().splitlines():
        row = json.loads(line)
        (scores / entry).write_text(row["id"])
        if row["result"] == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        (scores / entry).write_text("")
assert "{fault}" == ""
(scores / refused).write_text(json.dumps({{"c": ["c_9"]}}))
"""


def _work(folder: Path, answers: dict[str, str], fault: str = "") -> tuple[Path, Path]:
    (folder / "result/m").mkdir(parents=True)
    for name, answer in answers.items():
        with (folder / f"result/m/BFCL_v4_{name[0]}_result.json").open("a") as file:
            file.write(json.dumps({"id": name, "result": answer}) + "\n")
    python = folder / "python"
    python.write_text(SCRIPT.format(python=sys.executable, fault=fault))
    python.chmod(0o700)
    return folder, python


def test_a_scorer_that_dies_at_an_entry_is_run_again_without_it(tmp_path: Path) -> None:
    """The entries at which it died are reported, with those that were refused; all others are judged."""
    work, python = _work(tmp_path, {"c_0": "die", "c_1": "right", "d_0": "die"})
    assert judge_all(work, python) == (None, ["c_0", "c_9", "d_0"])
    [left] = (work / "result").rglob("*_result.json")
    assert left.read_text() == '{"id": "c_1", "result": "right"}\n'
    assert judge_all(*_work(tmp_path / "all", {"c_0": "die"})) == (
        None,
        ["c_0"],
    )  # nothing is left to judge


def test_a_scorer_that_dies_elsewhere_gives_no_verdicts(tmp_path: Path) -> None:
    failed, left_out = judge_all(*_work(tmp_path, {"c_0": "right"}, fault="x"))
    assert "ended with status 1" in str(failed)
    assert left_out == []


def test_only_what_scoring_needs_is_installed() -> None:
    """Not the vector memory's packages, which bring PyTorch, nor those of extras."""
    needed, others = (
        ["numpy==1.26.4", "pydantic>=2.8.2"],
        ["sentence-transformers>=2.7.0", "faiss-cpu==1.11.0"],
    )
    assert scoring_requirements([*needed, *others, 'vllm==0.8.5; extra == "oss-eval-vllm"']) == needed
