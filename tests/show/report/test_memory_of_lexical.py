"""Why the embedded model fails on the benchmark's own memory questions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.cli import main

MODELS = """
models:
  - {name: lexical-FC, kind: lexical}
"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> Path:
    """The tables of a run of the embedded model on one memory of the release."""
    folder = tmp_path_factory.mktemp("lexical")
    run, models = folder / "run", folder / "models.yaml"
    models.write_text(MODELS)
    data = ["--data", str(staged.resolve())]
    answers, sessions = (run / part / "lexical-FC" for part in ("responses", "memory"))
    cache = ["--cache", str(folder / "cache")]
    generate = ["generate", "--model", "lexical-FC", "--models", str(models), "--category", "memory_kv"]
    written = ["--out", str(answers), "--sessions-out", str(sessions)]
    assert main([*generate, "--run", "test", *written, *cache, *data]) == 0
    verdicts = run / "verdicts" / "lexical-FC.parquet"
    score = ["score", str(answers / "memory_kv.parquet"), "--rules", "all", "--out", str(verdicts)]
    assert main([*score, *data]) == 0
    assert main(["aggregate", str(run), "--models", str(models), *cache, *data]) == 0
    return run / "tables"


def rows(tables: Path, name: str, **wanted: object) -> list[dict[str, Any]]:
    found = read_table(tables / f"{name}.parquet").to_pylist()
    return [row for row in found if all(row[key] == value for key, value in wanted.items())]


def test_most_stored_facts_are_not_found_again(tables: Path) -> None:
    """The model pastes what it hears and searches keys: 111 facts are stored, 20 are answered right."""
    failed = rows(tables, "memory_failures", rules="official", category="memory_kv")
    assert {row["reason"]: (row["count"], row["abstained"]) for row in failed} == {
        "never_stored": (44, 7),
        "not_found": (76, 19),
        "abstained": (4, 4),
        "misread": (11, 0),
    }
    parts = rows(tables, "memory_parts", rules="official", category="memory_kv")
    assert {row["place"]: (row["answered"], row["correct"]) for row in parts} == {
        "archival": (111, 20),
        "none": (44, 0),
    }
    use = rows(tables, "memory_use")
    assert [sum(row[name] for row in use) for name in ("stored", "kept", "lost")] == [111, 111, 0]


def test_reasons_and_verdicts_agree_in_every_question(tables: Path) -> None:
    """Each wrong answer has a reason, no right one has; corrected rules add those that they reject."""
    every = rows(tables, "memory_questions")
    assert Counter(row["rules"] for row in every)["official"] == 155
    assert all((row["reason"] is None) == row["valid"] for row in every)
    official, corrected = (
        {row["entry_id"]: row for row in every if row["rules"] == rules}
        for rules in ("official", "corrected")
    )
    rejected = {name for name, row in corrected.items() if official[name]["valid"] and not row["valid"]}
    assert {name for name, row in corrected.items() if row["reason"] == "not_exact"} == rejected
    assert [sum(row["valid"] for row in each.values()) for each in (official, corrected)] == [20, 22]


def test_the_questions_of_the_post_have_their_reasons(tables: Path) -> None:
    """The training module and the steam wand are stored under keys that the model does not find again."""
    found = {
        row["entry_id"]: (row["reason"], row["abstained"], row["place"], row["stored_session"])
        for row in rows(tables, "memory_questions", rules="official")
    }
    module = found["memory_kv_144-notetaker-14"]
    assert module[:3] == ("not_found", True, "archival")
    assert module[3].startswith("memory_kv_prereq_")
    assert found["memory_kv_14-customer-14"][:3] == ("not_found", False, "archival")
