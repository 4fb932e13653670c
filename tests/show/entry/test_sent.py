"""What differs between the prompt of a family and that of a server's template, of one entry and of all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import ModelRow, load_models
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.show.entry import sent
from bfcl_pipeline.show.entry.sent import PromptPart, differences, prompt_lines

DOC = '{"name": "f", "parameters": {"a": 1}}'
PROMPT = f"<s>Be brief. 26 Jul 2024\n{DOC}\n<user>Why? {{no}}<end>\n<bot>"
Q = "Why? {no}"


@pytest.mark.parametrize(
    ("of_server", "kinds"),
    [
        (PROMPT, []),
        (PROMPT[3:], [PromptPart.START]),
        (PROMPT.replace("26 Jul 2024", "27 November 2026"), [PromptPart.DATE]),
        (PROMPT.replace(DOC, DOC.replace(": ", ":")), [PromptPart.FORM]),
        (PROMPT.replace(DOC, DOC.replace("1", "1.0")), [PromptPart.FUNCTIONS]),
        (PROMPT.replace(DOC, ""), [PromptPart.FUNCTIONS]),
        (PROMPT.replace("brief. ", "brief.\n"), [PromptPart.SPACE]),
        (PROMPT.replace("brief", "long") + "<think>", [PromptPart.BEFORE, PromptPart.AFTER]),
        (PROMPT.replace("Why?", "Why"), [PromptPart.QUESTION]),
    ],
)
def test_each_difference_has_its_kind(of_server: str, kinds: list[PromptPart]) -> None:
    """In either order of the two; 1 and 1.0 are other content."""
    assert differences(PROMPT, of_server, Q) == kinds
    assert PromptPart.QUESTION in kinds or differences(of_server, PROMPT, Q) == kinds


@pytest.fixture
def rows(tmp_path: Path) -> dict[str, ModelRow]:
    path = tmp_path / "models.yaml"
    path.write_text(
        "models:\n  - {name: Qwen/Qwen3-8B-FC, kind: vllm}\n"
        "  - {name: served-FC, kind: vllm, prompting: server, model: Qwen/Qwen3-8B,\n"
        "     vllm: {tool_parser: hermes}}\n"
    )
    return load_models(path)


def test_one_entry_has_its_lines_and_all_have_counts(
    rows: dict[str, ModelRow], staged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against a template that writes as the family does, but for the functions and a beginning."""

    def template(messages: Sequence[Json], tools: Sequence[Json]) -> str:
        docs = "".join(
            f'\n{{"type": "function", "function": "{one["function"]["name"]}"}}' for one in tools
        )
        turns = "".join(f"<|im_start|>{one['role']}\n{one['content']}<|im_end|>\n" for one in messages)
        return f"<|im_start|>system\n# Tools{docs}<|im_end|>\n{turns}<|im_start|>assistant\n"

    def lines(entry_id: str | None, *names: str) -> list[str]:
        pair = [rows[name] for name in names or ("Qwen/Qwen3-8B-FC", "served-FC")]
        return list(prompt_lines(staged, tmp_path, pair[0], pair[1], template, entry_id, print))

    head, *diff = lines("simple_python_0")
    assert head == "simple_python_0: functions: other content, text before the question"
    assert '+{"type": "function", "function": "calculate_triangle_area"}<|im_end|>' in diff
    assert not any("triangle with a base" in line for line in diff if line[0] in "+-")
    monkeypatch.setattr(sent, "V4_CATEGORIES", ("irrelevance", "live_relevance"))
    (table,) = lines(None)
    assert "functions: other content      256  irrelevance_0" in table
    with pytest.raises(ConfigError, match="must be sent prompts"):
        lines("simple_python_0", "served-FC", "served-FC")
