"""The same prompt has the same greedy answer through vLLM and through transformers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.journal import JournaledExchange, JournalsReader, journals_in
from tests.support.served_vllm import served
from tests.support.tiny_rows import tiny_rows

SERVED, LOCAL, BATCHED = "same-FC", "same-local-FC", "same-batched-FC"
TOKENS = 5  # fewer than some answers have
CHOICE = (
    "--category",
    "simple_python",
    "multi_turn_base",
    "--sample",
    "simple_python=12",
    "multi_turn_base=1",
)


@pytest.fixture(scope="module")
def rows(models_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A models file with one model, asked both ways by the prompts of one family."""
    model = json.loads(models_file.read_text())["models"][0]["model"]
    tiny = {row["name"]: row for row in tiny_rows(Path(model))}["tiny-FC"]
    asked = {"model": model, "family": "qwen3-fc"}
    rows: list[dict[str, Any]] = [
        {**tiny, **asked, "name": SERVED, "options": {"temperature": 0, "max_tokens": TOKENS}},
        {**asked, "name": LOCAL, "kind": "transformers", "options": {"max_tokens": TOKENS}},
    ]
    rows.append({**rows[1], "name": BATCHED, "limits": {"in_flight": 8}})
    path = tmp_path_factory.mktemp("rows") / "models.yaml"
    path.write_text(json.dumps({"models": rows}))
    return path


@pytest.fixture(scope="module")
def address(
    rows: Path, variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The address of a server of the model."""
    with served(SERVED, rows, variables, tmp_path_factory.mktemp("server")) as path:
        yield path


def test_greedy_answers_are_the_same(address: Path, rows: Path, staged: Path, tmp_path: Path) -> None:
    """Every answer has the same text, tokens and finish reason: one prompt at a time and eight at once."""
    found = {}
    for model, options in ((SERVED, ["--endpoint-from", str(address)]), (LOCAL, []), (BATCHED, [])):
        command = ["generate", "--model", model, "--models", str(rows), "--data", str(staged), "--run", "r"]
        command += ["--cache", str(tmp_path / "exchanges"), "--out", str(tmp_path / model), *CHOICE]
        assert main([*command, *options]) == 0
        with JournalsReader(journals_in(tmp_path / "exchanges" / model)) as journals:
            found[model] = sorted(map(answer, journals))
    assert len({text for _, _, text, *_ in found[SERVED]}) > 3
    assert {reason for *_, reason in found[SERVED]} == {"stop", "length"}
    assert found[LOCAL] == found[SERVED]
    assert found[BATCHED] == found[SERVED]


def answer(exchange: JournaledExchange) -> tuple[str, int, str, int, int, str]:
    """Entry, turn, text, tokens read and written, and why it ended."""
    raw: Any = exchange.raw
    said = raw["choices"][0] if "choices" in raw else raw
    usage = raw["usage"]
    counts = (usage["prompt_tokens"], usage["completion_tokens"])
    return (exchange.entry_id, exchange.turn, said["text"], *counts, said["finish_reason"])
