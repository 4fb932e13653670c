"""Synthetic runs: verdict and response files with given counts, written without a model."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from bfcl_pipeline.benchmark.definition import FORMATS
from bfcl_pipeline.benchmark.records import AnswerClass, Entry, Mode, Response, Rules, Status, Step
from bfcl_pipeline.benchmark.tables import entries_path, write_entries, write_responses, write_table
from bfcl_pipeline.benchmark.tables.schemas import VERDICTS
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.tables.aggregate_run import aggregate_run

MODELS_FILE = """
models:
  - {name: oracle, kind: oracle, mode: prompt, display_name: Oracle (Prompt), org: us, license: Apache-2.0,
     url: "https://example.org/oracle"}
  - {name: tie/a, kind: openai_chat, mode: prompt, display_name: A, org: them, license: MIT,
     url: "javascript:alert(1)"}
  - {name: priced, kind: openai_chat, mode: fc, input_price: 2.0, output_price: 10.0}
"""
"""Rows for three of the synthetic models; the others do not have one."""


@dataclass
class Marks:
    """A model's verdicts on one category: one mark per entry, None for an entry without a verdict."""

    official: Sequence[bool | None]
    corrected: Sequence[bool | None] | None = None  # default: the same as official
    error_types: Sequence[str] = ("value_error:string", "simple_function_checker:wrong_count")
    verified: Sequence[bool | None] | None = None  # default: the same as corrected
    left_out: Collection[int] = ()  # entries that the rules `verified` leave out
    classes: Sequence[AnswerClass] = ()  # default: none
    missing: Status = Status.INFRASTRUCTURE_ERROR  # of entries without a verdict
    details: Mapping[int, str] = field(default_factory=dict)  # what went wrong with these, by number
    unread: Collection[int] = ()  # entries whose answers have a call that was not read


@dataclass
class MadeUpModel:
    """One model of a synthetic run."""

    name: str
    marks: Mapping[str, Marks]  # by category
    mode: Mode = Mode.FC
    latencies: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    tokens: Mapping[str, Sequence[tuple[int | None, int | None]]] = field(default_factory=dict)
    webs: Mapping[str, str] = field(default_factory=dict)  # which web was searched, by category
    # why answers ended, in the same order
    ends: Mapping[str, Sequence[str | None]] = field(default_factory=dict)


def marks(correct: int, wrong: int = 0, missing: int = 0) -> Marks:
    """So many right, wrong and unanswered, in this order."""
    return Marks([True] * correct + [False] * wrong + [None] * missing)


def entry_id(category: str, index: int) -> str:
    """The id of an entry as `write_run` numbers them; of a format, every one of a question in turn."""
    if category != "format_sensitivity":
        return f"{category}_{index}"
    question, number = divmod(index, len(FORMATS))
    return f"format_sensitivity_{question}:{FORMATS[number].key}:simple_python_{question}"


def write_format_entries(data: Path, questions: int) -> None:
    """Writes the staged table with the prompt format of each format-sensitivity entry."""
    ids = [entry_id("format_sensitivity", index) for index in range(questions * len(FORMATS))]
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
        corrected = asked.corrected or asked.official
        valids_of = {
            Rules.OFFICIAL: asked.official,
            Rules.CORRECTED: corrected,
            Rules.VERIFIED: asked.verified or corrected,
        }
        for rules, valids in valids_of.items():
            for index, valid in enumerate(valids):
                left_out = rules is Rules.VERIFIED and index in asked.left_out
                wrong = valid is False and not left_out
                yield {
                    "run": run,
                    "model": model.name,
                    "category": category,
                    "entry_id": entry_id(category, index),
                    "mode": model.mode.value,
                    "rules": rules.value,
                    "valid": None if left_out else valid,
                    "error_type": asked.error_types[index % len(asked.error_types)] if wrong else None,
                    "error_message": f"entry {index} is wrong" if wrong else asked.details.get(index),
                    "status": _status(asked, valid, left_out).value,
                    "answer_class": asked.classes[index].value if asked.classes else None,
                    "unread_call": index in asked.unread,
                }


def _status(asked: Marks, valid: bool | None, left_out: bool) -> Status:
    if left_out:
        return Status.LEFT_OUT
    return asked.missing if valid is None else Status.ANSWERED


def _responses(model: MadeUpModel, run: str | None, category: str, entries: int) -> Iterator[Response]:
    latencies = model.latencies.get(category, [None] * entries)
    tokens = model.tokens.get(category, [(None, None)] * entries)
    ends = model.ends.get(category, [None] * entries)
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
            steps=(Step(0, *tokens[index], latencies[index], ends[index]),),
            web=model.webs.get(category),
        )


def made_up_tables(folder: Path, models: Sequence[MadeUpModel], run: str | None = "made-up") -> Path:
    """Writes a run of `models` and its tables under `folder`; returns the run's folder."""
    write_format_entries(folder / "data", 2)
    (folder / "models.yaml").write_text(MODELS_FILE, encoding="utf-8")
    write_run(folder / "run", models, run)
    aggregate_run(Run(folder / "run", data=folder / "data"), folder / "models.yaml", Rules.OFFICIAL)
    return folder / "run"
