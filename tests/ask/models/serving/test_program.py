"""The command line of vLLM, from the row of a model."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bfcl_pipeline.ask.models.serving.program import find_program, server_command, server_environment
from bfcl_pipeline.base.errors import ConfigError, ModelError
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.config.model_rows import Serving
from bfcl_pipeline.benchmark.records import Mode
from tests.support import ROOT

ROW = ModelRow("m-FC", "vllm", Mode.FC, "M", model="org/m", vllm=Serving(tool_parser="hermes"))
PROGRAM = ("vllm", "serve")
MODULE = ("-m", "vllm.entrypoints.openai.api_server", "--model")


def test_a_row_with_only_a_parser_gives_a_complete_command() -> None:
    """Host, port, model name and prefix caching are always given."""
    assert " ".join(server_command(ROW, PROGRAM, "127.0.0.1", 8000)) == (
        "vllm serve org/m --served-model-name org/m --host 127.0.0.1 --port 8000 --enable-prefix-caching "
        "--enable-auto-tool-choice --tool-call-parser hermes"
    )


def test_every_key_of_vllm_is_an_option() -> None:
    """`args` come last, so they override others; the number of shards is not an option of one server."""
    serving = Serving("hermes", "qwen3", "t.jinja", "bfloat16", 4096, 2, 3, ("--seed", "1"))
    words = server_command(replace(ROW, vllm=serving), PROGRAM, "127.0.0.1", 8000)
    assert " ".join(words).endswith(
        "--tool-call-parser hermes --reasoning-parser qwen3 --chat-template t.jinja --dtype bfloat16 "
        "--max-model-len 4096 --tensor-parallel-size 2 --seed 1"
    )


def test_a_model_of_mode_prompt_needs_no_parser() -> None:
    """The pipeline reads the calls from the text."""
    row = replace(ROW, mode=Mode.PROMPT, vllm=Serving())
    assert server_command(row, PROGRAM, "127.0.0.1", 8000)[-1] == "--enable-prefix-caching"


def test_a_model_that_is_asked_by_prompts_is_served_without_parsers_and_template() -> None:
    """They would change nothing of its completions; what decides its weights and context stays."""
    serving = Serving("hermes", "qwen3", "t.jinja", "bfloat16", 4096, 2, 3, ("--trust-remote-code",))
    row = replace(ROW, prompting="leaderboard", family="qwen3-fc", vllm=serving)
    words = server_command(row, PROGRAM, "127.0.0.1", 8000)
    assert " ".join(words).endswith(
        "--enable-prefix-caching --dtype bfloat16 --max-model-len 4096 --tensor-parallel-size 2 "
        "--trust-remote-code"
    )


def test_the_revision_of_a_row_is_served() -> None:
    """However its model is asked."""
    for row in (ROW, replace(ROW, prompting="leaderboard", family="qwen3-fc")):
        words = server_command(replace(row, revision="abc123"), PROGRAM, "127.0.0.1", 8000)
        assert words[words.index("--revision") + 1] == "abc123"
        assert "--revision" not in server_command(row, PROGRAM, "127.0.0.1", 8000)


@pytest.mark.parametrize(
    ("row", "reason"),
    [(replace(ROW, kind="oracle"), "kind oracle"), (replace(ROW, backend="endpoint"), "backend endpoint")],
)
def test_a_row_that_is_not_served_is_refused(row: ModelRow, reason: str) -> None:
    """The message names the kind, or the backend, that excludes the row."""
    with pytest.raises(ConfigError, match=rf"this one has {reason}\.$"):
        server_command(row, PROGRAM, "127.0.0.1", 8000)


def test_the_environment_disables_usage_reports_and_downloads_for_a_directory(tmp_path: Path) -> None:
    """A number of threads of 0 is left out; a variable of the hub that the user set is kept."""
    given = {"OMP_NUM_THREADS": "0", "MKL_NUM_THREADS": "4", "A": "b"}
    hub = server_environment(ROW, given)
    assert hub == {"MKL_NUM_THREADS": "4", "A": "b", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    local = replace(ROW, model=str(tmp_path))
    assert server_environment(local, {})["HF_HUB_OFFLINE"] == "1"
    assert server_environment(local, {"HF_HUB_OFFLINE": "0"})["HF_HUB_OFFLINE"] == "0"


def test_vllm_is_searched_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Option, variable, this Python, PATH; a named Python that does not exist is an error."""
    monkeypatch.delenv("BFCL_VLLM_PYTHON", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ModelError, match="vLLM is not installed"):
        find_program()
    program = tmp_path / "vllm"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert find_program() == (str(program), "serve")
    monkeypatch.syspath_prepend(ROOT / "tests/support/stand_in")
    assert find_program() == (sys.executable, *MODULE)
    monkeypatch.setenv("BFCL_VLLM_PYTHON", str(program))
    assert find_program() == (str(program), *MODULE)
    assert find_program(sys.executable) == (sys.executable, *MODULE)
    monkeypatch.setenv("BFCL_VLLM_PYTHON", "/none/python")
    with pytest.raises(ConfigError, match="BFCL_VLLM_PYTHON: no program '/none/python'"):
        find_program()
