"""Runs made up for tests: verdict and response files with chosen counts, no model involved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.benchmark import FORMATS
from bfcl_pipeline.records import Entry, Mode, Response
from bfcl_pipeline.tables import entries_path, write_entries, write_responses, write_table
from bfcl_pipeline.tables.schemas import VERDICTS


@dataclass
class Marks:
    """How a model does on one category: one mark per entry, None where it has no verdict."""

    official: Sequence[bool | None]
    corrected: Sequence[bool | None] | None = None  # as official unless told
    error_types: Sequence[str] = ("value_error:string", "simple_function_checker:wrong_count")


@dataclass
class MadeUpModel:
    """One model of a made-up run."""

    name: str
    marks: Mapping[str, Marks]  # by category
    mode: Mode = Mode.FC
    latencies: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    tokens: Mapping[str, Sequence[tuple[int | None, int | None]]] = field(default_factory=dict)


def marks(correct: int, wrong: int = 0, missing: int = 0) -> Marks:
    """So many right, wrong and unanswered, in this order."""
    return Marks([True] * correct + [False] * wrong + [None] * missing)


def format_entry_ids(questions: int) -> list[str]:
    """Ids of a format-sensitivity test with so many questions: every format of one, then the next."""
    return [
        f"format_sensitivity_{n}:{fmt.key}:simple_python_{n}" for n in range(questions) for fmt in FORMATS
    ]


def entry_id(category: str, index: int) -> str:
    """The id of an entry as `write_run` numbers them."""
    if category == "format_sensitivity":
        return format_entry_ids(index // len(FORMATS) + 1)[index]
    return f"{category}_{index}"


def write_format_entries(data: Path, questions: int) -> None:
    """Writes the staged table that tells which format each format-sensitivity entry is in."""
    ids = format_entry_ids(questions)
    entries = [
        Entry(
            name,
            "format_sensitivity",
            (({"role": "user", "content": "?"},),),
            (),
            prompt_format=name.split(":")[1],
        )
        for name in ids
    ]
    write_entries(entries_path(data, "format_sensitivity"), entries)


def write_run(run_dir: Path, models: Sequence[MadeUpModel], run: str | None = "made-up") -> Path:
    """Writes verdicts and responses of `models` as the scoring and generating steps do."""
    for model in models:
        folder = model.name.replace("/", "_")
        rows = list(_verdict_rows(model, run))
        write_table(run_dir / "verdicts" / f"{folder}.parquet", pa.Table.from_pylist(rows, schema=VERDICTS))
        for category, asked in model.marks.items():
            write_responses(
                run_dir / "responses" / folder / f"{category}.parquet",
                list(_responses(model, run, category, len(asked.official))),
            )
    return run_dir


def _verdict_rows(model: MadeUpModel, run: str | None) -> Iterator[dict[str, Any]]:
    for category, asked in model.marks.items():
        for rules in ("official", "corrected"):
            valids = asked.official if rules == "official" else asked.corrected or asked.official
            for index, valid in enumerate(valids):
                wrong = valid is False
                yield {
                    "run": run,
                    "model": model.name,
                    "category": category,
                    "entry_id": entry_id(category, index),
                    "mode": model.mode.value,
                    "rules": rules,
                    "valid": valid,
                    "error_type": asked.error_types[index % len(asked.error_types)] if wrong else None,
                    "error_message": f"entry {index} is wrong" if wrong else None,
                    "status": "infrastructure_error" if valid is None else "answered",
                }


def _responses(model: MadeUpModel, run: str | None, category: str, entries: int) -> Iterator[Response]:
    latencies = model.latencies.get(category, [None] * entries)
    tokens = model.tokens.get(category, [(None, None)] * entries)
    for index in range(entries):
        yield Response(
            entry_id=entry_id(category, index),
            category=category,
            mode=model.mode,
            result_json="[]",
            model=model.name,
            run=run,
            input_tokens=tokens[index][0],
            output_tokens=tokens[index][1],
            latency_seconds=latencies[index],
        )
