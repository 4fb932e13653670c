"""The list of all entries of a run: ids, first words, and the verdict of every model on each.

Covers what the table of entries shows and filters by. A verdict is one character per entry, model and rule
set, so that a run of a hundred models on the whole benchmark fits in the page.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import polars as pl

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_table, with_types
from bfcl_pipeline.benchmark.tables.schemas import VERDICTS
from bfcl_pipeline.runs.run import Run

WORDS = 120
"""Characters of a question in the list."""

FIRST_CODE = 0x23
"""The character of the first verdict; a space is an entry that the model was not asked."""

_COLUMNS = ("category", "entry_id", "rules", "status", "valid", "error_type")
_OF_VERDICT = ("status", "valid", "error_type")

Code: TypeAlias = tuple[str, bool | None, str | None]
"""What a character stands for: status, verdict, error type."""


@dataclass(frozen=True, slots=True)
class IndexedCategory:
    """The entries of one category."""

    name: str
    entry_ids: Sequence[str]  # those that some model was asked, in the order of the release
    words: Sequence[str]  # the first words of each; empty if the release is not staged
    sessions: Sequence[str] = ()  # ids of memory sessions
    session_words: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Index:
    """The entries of a run and the verdicts on them."""

    categories: Sequence[IndexedCategory]
    codes: Sequence[Code]  # the n-th is the character FIRST_CODE + n
    verdicts: Mapping[str, Mapping[str, Sequence[str]]]  # by model, category and rule set

    def wanted(self, model: str, category: IndexedCategory) -> list[str]:
        """The entries that the model was asked and has not right under at least one rule set."""
        right = {chr(FIRST_CODE + place) for place, code in enumerate(self.codes) if code[1]}
        return self._with_marks(model, category, right | {" "})

    def asked(self, model: str, category: IndexedCategory) -> list[str]:
        """The entries that the model was asked."""
        return self._with_marks(model, category, {" "})

    def _with_marks(self, model: str, category: IndexedCategory, besides: set[str]) -> list[str]:
        """The entries that have other marks than `besides` under a rule set with verdicts."""
        strings = [text for text in self.verdicts[model].get(category.name, ()) if text.strip()]
        return [
            entry_id
            for entry_id, *marks in zip(category.entry_ids, *strings, strict=bool(strings))
            if set(marks) - besides
        ]

    def as_json(self) -> dict[str, Any]:
        """The index for the page; verdicts by the places of model, category, rule set and entry."""
        return {
            "rules": [rules.value for rules in Rules],
            "categories": [
                {
                    "name": one.name,
                    "ids": list(one.entry_ids),
                    "words": list(one.words),
                    **(
                        {"sessions": list(one.sessions), "sessionWords": list(one.session_words)}
                        if one.sessions
                        else {}
                    ),
                }
                for one in self.categories
            ],
            "codes": [list(code) for code in self.codes],
            "verdicts": [
                [of_model.get(one.name) for one in self.categories] for of_model in self.verdicts.values()
            ],
        }


def read_index(run: Run, models: Iterable[str]) -> Index:
    """The index of a run.

    Args:
        run: has verdicts/<model>.parquet. If a category is not staged, its entries have no words.
        models: the models of the page; those without a table of verdicts are left out.

    Raises:
        TableError: a table cannot be read.
    """
    frames = {}
    for model in models:
        path = run.verdicts(model)
        if path.is_file():
            table = with_types(path, read_table(path, _COLUMNS), VERDICTS)
            frames[model] = cast(pl.DataFrame, pl.from_arrow(table))
    asked: dict[str, set[str]] = {}
    for frame in frames.values():
        for (name,), rows in frame.select("category", "entry_id").unique().group_by("category"):
            asked.setdefault(str(name), set()).update(rows["entry_id"])
    with_sessions = {path.stem for path in run.folder.glob("memory/*/*.parquet")}
    categories = [
        _category(name, asked[name], run.data, name in with_sessions)
        for name in CATEGORIES
        if name in asked
    ]
    codes: dict[Code, str] = {}
    slots = pl.DataFrame(
        [(one.name, entry_id) for one in categories for entry_id in one.entry_ids],
        schema={"category": pl.String, "entry_id": pl.String},
        orient="row",
    ).with_row_index("slot")
    verdicts = {model: _verdicts(frame, slots, categories, codes) for model, frame in frames.items()}
    return Index(categories, list(codes), verdicts)


def _category(name: str, asked: set[str], data: Path, with_sessions: bool) -> IndexedCategory:
    if not (path := entries_path(data, name)).is_file():
        return IndexedCategory(name, sorted(asked, key=_natural), [""] * len(asked))
    rows = read_table(path, ["entry_id", "turns_json", "prerequisite"]).to_pylist()
    questions = {row["entry_id"]: row["turns_json"] for row in rows if row["entry_id"] in asked}
    sessions = {row["entry_id"]: row["turns_json"] for row in rows if with_sessions and row["prerequisite"]}
    unknown = sorted(asked - questions.keys(), key=_natural)
    return IndexedCategory(
        name,
        [*questions, *unknown],
        [*map(_words, questions.values()), *("" for _ in unknown)],
        list(sessions),
        list(map(_words, sessions.values())),
    )


def _words(turns_json: str) -> str:
    """The first words of the first question of an entry, on one line."""
    messages = [message for turn in json.loads(turns_json) for message in turn]
    said = [message for message in messages if message.get("role") == "user"] or messages
    text = " ".join(str(said[0].get("content", ""))[: WORDS * 8].split()) if said else ""
    return text if len(text) <= WORDS else f"{text[: WORDS - 1]}\N{HORIZONTAL ELLIPSIS}"


def _natural(entry_id: str) -> tuple[int, str]:
    return len(entry_id), entry_id


def _verdicts(
    frame: pl.DataFrame, slots: pl.DataFrame, categories: Sequence[IndexedCategory], codes: dict[Code, str]
) -> dict[str, list[str]]:
    """The verdicts of one model by category, a text for each rule set; new ones are added to `codes`."""
    kinds = frame.select(_OF_VERDICT).unique(maintain_order=True)
    for code in kinds.iter_rows():
        codes.setdefault(code, chr(FIRST_CODE + len(codes)))
    kinds = kinds.with_columns(pl.Series("mark", [codes[code] for code in kinds.iter_rows()]))
    rows = frame.join(kinds, on=_OF_VERDICT, nulls_equal=True).join(slots, on=["category", "entry_id"])
    bounds = np.cumsum([0, *(len(one.entry_ids) for one in categories)])
    marks = {}
    for rules in Rules:
        own = rows.filter(pl.col("rules") == rules.value)
        letters = np.full(bounds[-1], " ", dtype="<U1")
        letters[own["slot"].to_numpy()] = own["mark"].to_numpy().astype("<U1")
        marks[rules] = "".join(letters)
    found = {
        one.name: [marks[rules][start:end] for rules in Rules]
        for one, (start, end) in zip(categories, pairwise(map(int, bounds)), strict=True)
    }
    return {name: texts for name, texts in found.items() if "".join(texts).strip()}
