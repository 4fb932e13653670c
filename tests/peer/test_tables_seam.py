"""The official CSV files: ours against those of the official tool, byte for byte."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.ask.results.layout import official_models
from bfcl_pipeline.benchmark.config import load_models, model_folder
from bfcl_pipeline.benchmark.definition import CATEGORIES, FORMATS, V4_CATEGORIES
from bfcl_pipeline.benchmark.records import Mode, Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run, official_files
from bfcl_pipeline.show.report.tables.model_scores import model_scores, on_the_real_web
from bfcl_pipeline.show.report.tables.run_records import read_run_records
from tests.peer.peer import require_peer
from tests.peer.recorded import Seam
from tests.support.synthetic_run import MadeUpModel, Marks, entry_id, write_format_entries, write_run

PRICED = ("claude-opus-4-5-20251101-FC", "gpt-5.2-2025-12-11", "gpt-4.1-nano-2025-04-14-FC")
LOCAL = ("Qwen/Qwen3-8B", "Qwen/Qwen3-8B-FC", "meta-llama/Llama-3.1-8B-Instruct-FC", "google/gemma-3-4b-it")
MODELS = (*PRICED, *LOCAL, "gorilla-openfunctions-v2", "DeepSeek-V3.2-Exp", "DeepSeek-V3.2-Exp-FC")
QUESTIONS = 12
CASES = 8


COLUMNS = ("display_name", "url", "org", "license", "input_price", "output_price")


def test_the_six_files_equal_the_official_ones(staged: Path, tmp_path: Path) -> None:
    """For random categories, counts, prices, tokens, latencies and ties, no byte differs.

    Our runs also have categories of V1, which the official tool does not count.
    """
    require_peer()
    cases = [made_up_models(random.Random(seed)) for seed in range(CASES)]
    write_format_entries(tmp_path / "data", QUESTIONS)
    models = official_models(staged)
    ours = [
        our_tables(case, models, tmp_path / "data", tmp_path / str(number))
        for number, case in enumerate(cases)
    ]
    seam = Seam("tables", "tables_reference", block=1)
    answers = seam.answers([question(case) for case in cases], ours, tmp_path / "peer")
    for case, made, answer in zip(cases, ours, answers, strict=True):
        assert made["models"] == answer["models"]
        expected = answer["files"]
        assert sorted(made["files"]) == sorted(expected)
        assert [name for name in sorted(expected) if made["files"][name] != expected[name]] == []
        assert all(text.count("\n") == len(case) for text in made["files"].values())
    assert written_files(tmp_path / "0", tmp_path / "data") == ours[0]["files"]
    print(f"tables seam: {6 * len(cases)} official files compared, 0 differ")


def written_files(folder: Path, data: Path) -> dict[str, str]:
    """The official files as a run has them."""
    aggregate_run(Run(folder, data=data), folder / "models.yaml", Rules.OFFICIAL)
    return {path.name: path.read_bytes().decode() for path in (folder / "tables/official").iterdir()}


def our_tables(
    case: Sequence[MadeUpModel], models: Mapping[str, Mapping[str, Any]], data: Path, folder: Path
) -> dict[str, Any]:
    """Our side, in the form of the official one: the files, and the staged rows of the models."""
    folder.mkdir()
    official = [models[model_folder(model.name)] for model in case]
    rows = [{"name": row["name"], **{column: row[column] for column in COLUMNS}} for row in official]
    listed = [{"kind": "openai_chat", "mode": mode_of(row["name"]).value, **row} for row in rows]
    (folder / "models.yaml").write_text(yaml.safe_dump({"models": listed}))
    write_run(folder, case)
    records = read_run_records(Run(folder), data)
    scores = model_scores(records, load_models(folder / "models.yaml"))
    judged = [score for score in scores if score.rules is Rules.OFFICIAL and score.judged]
    return {"files": official_files(on_the_real_web(judged, records)), "models": rows}


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
