"""The evaluation command of verifiers plays the benchmark against an endpoint.

Its Python is this one if verifiers is installed, else the one that BFCL_VERIFIERS_PYTHON names.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT
from tests.support.scripted_policy import scripted_answers, scripted_server

PYTHON = (
    sys.executable if importlib.util.find_spec("verifiers") else os.environ.get("BFCL_VERIFIERS_PYTHON")
)

MAIN = "from verifiers.v1.cli.eval.main import main; main()"


@pytest.mark.skipif(PYTHON is None, reason="verifiers is not installed")
@pytest.mark.parametrize(
    ("categories", "entry_ids", "wrong"),
    [
        (
            "simple_python,irrelevance",
            ["simple_python_0", "simple_python_1", "irrelevance_0"],
            "simple_python_1",
        ),
        (
            "multi_turn",
            ["multi_turn_base_12", "multi_turn_miss_func_3", "multi_turn_base_3"],
            "multi_turn_base_3",
        ),
        ("memory_kv,web_search_base", ["memory_kv_3-customer-3", "web_search_base_3"], ""),
    ],
)
def test_its_command_gives_our_rewards(
    categories: str, entry_ids: list[str], wrong: str, staged: Path, tmp_path: Path
) -> None:
    """Each entry is 1, and the one that the script answers wrongly 0; the trace has every request."""
    assert PYTHON is not None
    with scripted_server(scripted_answers(entry_ids, staged, [wrong])) as address:
        command = [
            *(PYTHON, "-c", MAIN, "bfcl-verifiers", "--no-push", "--no-rich", "-m", "scripted"),
            *("--client.base-url", address, "--client.api-key-var", "SCRIPTED_KEY"),
            *("--env.taskset.categories", categories, "--env.taskset.data", str(staged)),
            *("--select.include.keys", json.dumps(entry_ids)),
            *("-o", str(tmp_path), "--run.name", "scripted"),
        ]
        paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": paths, "SCRIPTED_KEY": "none"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    found = {}
    for line in (tmp_path / "scripted/traces.jsonl").read_text(encoding="utf-8").splitlines():
        for trace in json.loads(line).get("traces", [json.loads(line)]):
            assert not trace["errors"], trace["errors"]
            found[trace["task"]["data"]["id"]] = trace["rewards"]["verdict"]["score"]
    assert found == {entry_id: float(entry_id != wrong) for entry_id in entry_ids}
