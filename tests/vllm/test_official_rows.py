"""The vLLM options of the official rows, checked by vLLM itself."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

from bfcl_pipeline.ask.models.serving.program import server_command
from bfcl_pipeline.benchmark.config import load_models

ROOT = Path(__file__).resolve().parents[2]


def test_vllm_accepts_the_options_of_every_official_model(
    vllm_python: str, variables: dict[str, str]
) -> None:
    """Every option and parser exists, however a model is asked; wrong ones are reported."""
    rows = [row for row in load_models(ROOT / "config/models.yaml").values() if row.served]
    served = [*rows, *(replace(row, family=None) for row in rows if row.family)]
    parsers = next(
        row for row in served if row.family is None and row.vllm.tool_parser and row.vllm.reasoning_parser
    )
    wrong = [
        replace(parsers, model="wrong-option", vllm=replace(parsers.vllm, args=("--no-such-option",))),
        replace(parsers, model="wrong-tool", vllm=replace(parsers.vllm, tool_parser="no-such-parser")),
        replace(parsers, model="wrong-thought", vllm=replace(parsers.vllm, reasoning_parser="no-such-one")),
    ]
    commands = [server_command(row, ("--model",), "127.0.0.1", 8000) for row in (*served, *wrong)]
    done = subprocess.run(
        [vllm_python, str(Path(__file__).with_name("check_commands.py"))],
        input="".join(json.dumps(command) + "\n" for command in commands),
        env=variables,
        cwd=ROOT,  # where chat templates are
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(served) > 50
    assert [line.partition(" ")[0] for line in done.stdout.splitlines()] == [row.model for row in wrong]
