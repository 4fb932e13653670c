"""The same prompt has the same greedy answer through vLLM and through transformers."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.generation.journal import JournalsReader, journals_in
from bfcl_pipeline.tables import read_responses
from tests.support.serving_process import Serving
from tests.support.tiny_rows import tiny_rows

pytestmark = pytest.mark.vllm

SERVED, LOCAL = "same-FC", "same-local-FC"
TOKENS = 48
CHOICE = (
    "--category",
    "simple_python",
    "multi_turn_base",
    "--sample",
    "simple_python=12",
    "multi_turn_base=2",
)


@pytest.fixture(scope="module")
def rows(models_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A models file with one model, asked both ways by the prompts of one family."""
    model = json.loads(models_file.read_text())["models"][0]["model"]
    served = {row["name"]: row for row in tiny_rows(Path(model))}["tiny-FC"]
    asked = {"model": model, "family": "qwen3-fc"}
    rows: list[dict[str, Any]] = [
        {**served, **asked, "name": SERVED, "options": {"temperature": 0, "max_tokens": TOKENS}},
        {**asked, "name": LOCAL, "kind": "transformers", "options": {"max_tokens": TOKENS}},
    ]
    path = tmp_path_factory.mktemp("rows") / "models.yaml"
    path.write_text(json.dumps({"models": rows}))
    return path


@pytest.fixture(scope="module")
def address(
    rows: Path, variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The address of a server of the model."""
    folder = tmp_path_factory.mktemp("server")
    path, log = folder / "address.json", folder / "vllm.log"
    command = [sys.executable, "-m", "bfcl_pipeline.cli", "serve", SERVED, "--models", str(rows)]
    process = subprocess.Popen(
        [*command, "--address-out", str(path), "--log", str(log)],
        env=variables,
        stderr=subprocess.PIPE,
        text=True,
    )
    serving = Serving(process, path, log)
    with process:
        try:
            serving.wait_for_line("ready at")
            yield path
        finally:
            serving.end(signal.SIGTERM)


def test_greedy_answers_are_the_same(address: Path, rows: Path, staged: Path, tmp_path: Path) -> None:
    """Every step of every entry has the same text, tokens and finish reason."""
    found = []
    for model, options in ((SERVED, ["--endpoint-from", str(address)]), (LOCAL, [])):
        command = ["generate", "--model", model, "--models", str(rows), "--data", str(staged), "--run", "r"]
        command += ["--cache", str(tmp_path / "exchanges"), "--out", str(tmp_path / model), *CHOICE]
        assert main([*command, *options]) == 0
        responses = [
            response
            for table in sorted((tmp_path / model).glob("*.parquet"))
            for response in read_responses(table)
        ]
        steps = [
            [
                (step.turn, step.input_tokens, step.output_tokens, step.finish_reason)
                for step in response.steps
            ]
            for response in responses
        ]
        found.append(([response.result_json for response in responses], steps))
        with JournalsReader(journals_in(tmp_path / "exchanges" / model)) as journals:
            assert sum(1 for _ in journals) == sum(map(len, steps)) > 14
    assert found[0] == found[1]
    assert len(set(found[0][0])) > 3
