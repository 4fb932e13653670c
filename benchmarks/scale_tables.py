"""A run of many models, made from the answers of a real one: responses, sessions and verdicts as tables.

Each model has its own skill: the share of its answers that are the oracle's; the others are the lexical
model's, chosen per entry by a seed, and each keeps its real verdicts. Tokens, seconds and finish reasons,
which embedded models do not have, are added. So sizes, kinds of errors and conversations are those of a
real run, and all scores differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import yaml

from bfcl_pipeline.benchmark.tables import count_rows, read_table, write_table
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES, VERDICTS

SKILLED, UNSKILLED = "oracle", "lexical"
LEAST, MOST = 0.2, 0.95
"""Skills of the worst and of the best model."""

_MAKERS = ("Nimbus", "Quill", "Harrier", "Basalt-Instruct", "Tern-Reasoning-Preview")
_ENDS = pa.array(["tool_calls", "stop", "length"])
_STEP = RESPONSES.field("steps").type.value_type


@dataclass(frozen=True, slots=True)
class MadeUp:
    """One model."""

    number: int
    skill: float  # the share of its answers that are the oracle's
    prompted: bool = False  # else it is given the functions as tools

    @property
    def name(self) -> str:
        maker = _MAKERS[self.number % len(_MAKERS)]
        return f"{maker}-{self.number:03d}-2026-11-01{self.ending}"

    @property
    def ending(self) -> str:
        """How the names of its mode end."""
        return "" if self.prompted else "-FC"

    @property
    def row(self) -> dict[str, object]:
        """Its row in the models file."""
        mode = "Prompt" if self.prompted else "FC"
        return {
            "name": self.name,
            "kind": "openai_chat",
            "display_name": f"{self.name.removesuffix('-FC')} ({mode})",
            "org": f"Maker {self.number % len(_MAKERS)}",
            "license": "Proprietary",
            "url": f"https://example.org/{self.number}",
            "endpoint": "http://localhost:8000/v1",
            "input_price": 0.5 + self.number % 7,
            "output_price": 2.0 + self.number % 11,
        }

    def drawn(self, what: str, count: int) -> np.ndarray:
        """Numbers from 0 to 1, the same each time."""
        seed = [self.number, *what.encode("ascii")]
        return np.random.default_rng(seed).random(count)


def made_up_models(count: int, formats: bool = False) -> list[MadeUp]:
    """So many, every second one prompted if it is about formats; their skills in no order."""
    return [
        MadeUp(number, LEAST + (MOST - LEAST) * (number * 37 % 101) / 100, formats and number % 2 == 1)
        for number in range(count)
    ]


@dataclass(slots=True)
class Answers:
    """The answers of the embedded models in a run with all entries. Tables are read once."""

    folder: Path  # results/<run>
    _pairs: dict[tuple[str, str, str], pa.Table] = field(default_factory=dict)

    def files(self, part: str, model: MadeUp) -> list[str]:
        """The names of the tables that a model of this mode has in `part`."""
        return sorted(
            path.name for path in (self.folder / part / (SKILLED + model.ending)).glob("*.parquet")
        )

    def pair(self, part: str, name: str, ending: str) -> pa.Table:
        """The rows of the oracle, then as many of the lexical model. `{}` in `name` is which of them."""
        key = (part, name, ending)
        if key not in self._pairs:
            both = [
                read_table(self.folder / part / name.format(who + ending)) for who in (SKILLED, UNSKILLED)
            ]
            assert both[0].column("entry_id") == both[1].column("entry_id")
            self._pairs[key] = pa.concat_tables(both)
        return self._pairs[key]


def write_model(answers: Answers, run: Path, model: MadeUp) -> None:
    """Writes the tables of one model into the folder of a run."""
    for name in answers.files("responses", model):
        pair = answers.pair("responses", "{}/" + name, model.ending)
        chosen = pair.take(_choice(model, name.removesuffix(".parquet"), len(pair) // 2))
        write_table(run / "responses" / model.name / name, _as_its(model, chosen, RESPONSES))
    for name in answers.files("memory", model):
        pair = answers.pair("memory", "{}/" + name, model.ending)
        half = len(pair) // 2
        start = 0 if model.drawn(name, 1)[0] < model.skill else half
        # all sessions from one model, since each continues from the previous one
        chosen = pair.slice(start, half)
        write_table(run / "memory" / model.name / name, _as_its(model, chosen, chosen.schema))
    pair = answers.pair("verdicts", "{}.parquet", model.ending)
    write_table(
        run / "verdicts" / f"{model.name}.parquet",
        _as_its(model, pair.take(_verdicts(model, pair)), VERDICTS),
    )


def write_models_file(path: Path, models: Sequence[MadeUp]) -> None:
    """Writes their rows."""
    path.write_text(yaml.safe_dump({"models": [model.row for model in models]}, sort_keys=False), "utf-8")


def entries_of(run: Path, model: MadeUp) -> int:
    """The number of entries that a model ran."""
    return sum(map(count_rows, (run / "responses" / model.name).glob("*.parquet")))


def _choice(model: MadeUp, category: str, count: int) -> np.ndarray:
    """Which rows of a pair are the model's."""
    places = np.arange(count)
    return np.where(model.drawn(category, count) < model.skill, places, places + count)


def _verdicts(model: MadeUp, pair: pa.Table) -> np.ndarray:
    """The same rows of a pair of verdicts, where each rule set has its categories one after the other."""
    half = len(pair) // 2
    categories = pair.column("category").slice(0, half).to_numpy(zero_copy_only=False)
    starts = np.flatnonzero(np.r_[True, categories[1:] != categories[:-1]])
    ends = [*starts[1:], half]
    return np.concatenate(
        [
            start + np.where(chosen >= end - start, chosen - (end - start) + half, chosen)
            for start, end in zip(starts, ends, strict=True)
            for chosen in [_choice(model, categories[start], end - start)]
        ]
    )


def _as_its(model: MadeUp, table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The rows with its name, and with what its exchanges took."""
    columns: dict[str, pa.Array | pa.ChunkedArray] = {
        name: table.column(name) for name in table.column_names
    }
    columns["run"] = pa.array(["scale"] * len(table))
    columns["model"] = pa.array([model.name] * len(table))
    if "steps" in columns:
        steps = table.column("steps").combine_chunks()
        columns["steps"] = told = _told(model, steps)
        if "latency_seconds" in columns:
            for name in ("input_tokens", "output_tokens", "latency_seconds"):
                columns[name] = _sums(told, name)
    return pa.table([columns[name] for name in schema.names], schema=schema)


def _told(model: MadeUp, steps: pa.ListArray) -> pa.ListArray:
    flat = steps.flatten()
    count = len(flat)
    rng = np.random.default_rng([model.number, count])
    ends = rng.choice(len(_ENDS), count, p=(0.6, 0.39, 0.01))
    values = {
        "turn": pc.struct_field(flat, "turn"),
        "input_tokens": pa.array(rng.lognormal(7.3, 0.8, count).astype(np.int64)),
        "output_tokens": pa.array(rng.lognormal(5.0, 1.1, count).astype(np.int64)),
        "latency_seconds": pa.array(rng.lognormal(0.8 - model.skill, 0.7, count)),
        "finish_reason": _ENDS.take(pa.array(ends)),
    }
    exchanges = pa.StructArray.from_arrays([values[one.name] for one in _STEP], fields=list(_STEP))
    lengths = pc.fill_null(pc.list_value_length(steps), 0).to_numpy(zero_copy_only=False)
    offsets = np.r_[0, np.cumsum(lengths)].astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), exchanges, type=RESPONSES.field("steps").type)


def _sums(steps: pa.ListArray, name: str) -> pa.Array:
    """Of each row."""
    values = pc.struct_field(steps.values, name).to_numpy(zero_copy_only=False)
    running = np.r_[0, np.cumsum(values)]
    ends = steps.offsets.to_numpy()
    return pa.array(running[ends[1:]] - running[ends[:-1]])
