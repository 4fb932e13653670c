"""The official CSV files: ours against those of the official tool, byte for byte."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.benchmark import CATEGORIES, FORMATS, V4_CATEGORIES
from bfcl_pipeline.records import Mode, Rules
from bfcl_pipeline.report.tables.aggregate_run import aggregate_run
from tests.peer.peer import ask_peer, require_peer
from tests.support.synthetic_run import MadeUpModel, Marks, entry_id, write_format_entries, write_run

PRICED = ("claude-opus-4-5-20251101-FC", "gpt-5.2-2025-12-11", "gpt-4.1-nano-2025-04-14-FC")
LOCAL = ("Qwen/Qwen3-8B", "Qwen/Qwen3-8B-FC", "meta-llama/Llama-3.1-8B-Instruct-FC", "google/gemma-3-4b-it")
MODELS = (*PRICED, *LOCAL, "gorilla-openfunctions-v2", "DeepSeek-V3.2-Exp", "DeepSeek-V3.2-Exp-FC")
QUESTIONS = 12
CASES = 8


def test_the_six_files_equal_the_official_ones(tmp_path: Path) -> None:
    """For random categories, counts, prices, tokens, latencies and ties, no byte differs.

    Our runs also have categories of V1, which the official tool does not count.
    """
    require_peer()
    cases = [made_up_models(random.Random(seed)) for seed in range(CASES)]
    answers = ask_peer("tables_reference", [question(case) for case in cases], tmp_path / "peer")
    write_format_entries(tmp_path / "data", QUESTIONS)
    for number, (case, answer) in enumerate(zip(cases, answers, strict=True)):
        folder = tmp_path / str(number)
        folder.mkdir()
        rows = [
            {"kind": "openai_chat", "mode": mode_of(row["name"]).value, **row} for row in answer["models"]
        ]
        (folder / "models.yaml").write_text(yaml.safe_dump({"models": rows}))
        write_run(folder, case)
        aggregate_run(folder, tmp_path / "data", folder / "models.yaml", Rules.OFFICIAL)
        ours = {path.name: path.read_bytes() for path in (folder / "tables" / "official").iterdir()}
        expected = {name: text.encode() for name, text in answer["files"].items()}
        assert sorted(ours) == sorted(expected)
        assert [name for name in sorted(expected) if ours[name] != expected[name]] == []
        assert all(text.count(b"\n") == len(case) for text in ours.values())
    print(f"tables seam: {6 * len(cases)} official files compared, 0 differ")


def made_up_models(rng: random.Random) -> list[MadeUpModel]:
    models = [made_up_model(rng, name) for name in sorted(MODELS)]
    models[2] = replace(models[1], name=models[2].name)  # a tie in every score
    models[4] = MadeUpModel(models[4].name, {"live_simple": Marks([False] * 9)})  # evaluated, and 0
    return models


def mode_of(name: str) -> Mode:
    """The mode in a model's name."""
    return Mode.FC if name.endswith("-FC") else Mode.PROMPT


def made_up_model(rng: random.Random, name: str) -> MadeUpModel:
    share = rng.random()
    chosen = list(CATEGORIES) if share < 0.3 else [c for c in CATEGORIES if rng.random() < share]
    marks: dict[str, Marks] = {}
    for category in chosen if set(chosen) & set(V4_CATEGORIES) else [*chosen, "simple_java"]:
        full = (
            QUESTIONS * len(FORMATS) if category == "format_sensitivity" else CATEGORIES[category].entries
        )
        size = full if rng.random() < 0.7 else rng.randint(1, full)
        skill = rng.choice([rng.random(), 1.0, 0.0])
        marks[category] = Marks([rng.random() < skill for _ in range(size)])
    return MadeUpModel(
        name,
        marks,
        mode=mode_of(name),
        latencies={
            c: [rng.choice([0.0, rng.expovariate(0.3)]) for _ in m.official] for c, m in marks.items()
        }
        if rng.random() < 0.7
        else {},
        tokens={
            c: [(rng.randint(0, 9000), rng.randint(0, 900)) for _ in m.official] for c, m in marks.items()
        },
    )


def question(models: Sequence[MadeUpModel]) -> dict[str, Any]:
    return {model.name.replace("/", "_"): official_input(model) for model in models}


def official_input(model: MadeUpModel) -> dict[str, Any]:
    marks_of_v4 = {c: m for c, m in model.marks.items() if c in V4_CATEGORIES}
    scored = {c: m.official for c, m in marks_of_v4.items() if c != "format_sensitivity"}
    formats = model.marks.get("format_sensitivity")
    return {
        "scores": {c: (sum(map(bool, marks)), len(marks)) for c, marks in scored.items()},
        "formats": [(entry_id("format_sensitivity", i), v) for i, v in enumerate(formats.official)]
        if formats
        else [],
        "responses": [
            {"latency": latency, "input_token_count": sent, "output_token_count": received}
            for category, asked in marks_of_v4.items()
            for latency, (sent, received) in zip(
                model.latencies.get(category, [0] * len(asked.official)),
                model.tokens.get(category, [(0, 0)] * len(asked.official)),
                strict=True,
            )
        ],
    }
