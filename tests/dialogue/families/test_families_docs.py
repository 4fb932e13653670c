"""docs/families.md: its table, its example and its commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.config import load_models
from bfcl_pipeline.cli import main
from tests.support import ROOT
from tests.support.family_docs import PAGE, document
from tests.support.two_ways import two_ways

TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines()]
PRINTED = {"show": "<|im_start|>", "models": "openbmb/MiniCPM3-4B"}


def _block(language: str, number: int = 0) -> str:
    """The text of a block of the page."""
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)[number]


def test_the_table_is_up_to_date() -> None:
    """`python -m tests.support.family_docs` would not change the page."""
    assert document(TEXT) == TEXT
    assert "| `qwen3-fc` | Qwen3-0.6B" in TEXT


def test_the_example_is_the_family_as_it_is() -> None:
    """Its row, its template and its test."""
    package = ROOT / "bfcl_pipeline"
    assert _block("yaml", 1) in (package / "benchmark/config/families.yaml").read_text(encoding="utf-8")
    assert _block("jinja") == (package / "dialogue/families/templates/minicpm.jinja").read_text(
        encoding="utf-8"
    )
    assert _block("python") == (ROOT / "tests/dialogue/families/test_minicpm.py").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("command", [line for line in COMMANDS if line.split()[1] in PRINTED])
def test_commands_print_what_the_page_says(
    command: str, staged: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As they are on the page, in a checkout with staged data."""
    monkeypatch.chdir(ROOT)
    words = shlex.split(command)[1:]
    assert main([*words, *(["--data", str(staged)] if words[0] == "show" else [])]) == 0
    assert PRINTED[words[0]] in capsys.readouterr().out


def test_ping_asks_the_server_of_the_page(staged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the port of a server that runs, which says "Done." to everything: the model is to blame."""
    (command,) = [line for line in COMMANDS if line.startswith("bfcl-pipeline ping")]
    with two_ways() as server:
        words = shlex.split(command.replace("http://127.0.0.1:8000/v1", server.endpoint))[1:]
        assert main([*words, "--data", str(staged)]) == 4
    assert "prompts of the leaderboard, family minicpm" in capsys.readouterr().out


def test_the_rows_of_a_comparison_are_asked_both_ways(tmp_path: Path) -> None:
    """tests/workflow/test_both_ways.py has such a run."""
    path = tmp_path / "models.yaml"
    path.write_text(_block("yaml"))
    rows = load_models(path)
    (command,) = [shlex.split(line) for line in COMMANDS if line.startswith("bfcl-pipeline run")]
    assert command[-1] == f"compare=[{','.join(rows)}]"
    assert [row.family for row in rows.values()] == ["qwen3-fc", None]
    assert {row.model for row in rows.values()} == {"Qwen/Qwen3-8B"}
