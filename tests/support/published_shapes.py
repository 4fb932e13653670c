"""Result folders in the shapes in which people publish them, made of answers with known verdicts.

A shape changes how answers are stored (names, places, forms), not what they say, so that each keeps its
verdict.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from bfcl_pipeline.ask.results.import_results import import_official
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.tables import entries_path, read_entries, read_table
from bfcl_pipeline.benchmark.tables.schemas import RESPONSES
from bfcl_pipeline.judge.judging import score_table

FORMER = {"simple_python": "simple", "simple_java": "java", "simple_javascript": "javascript"}
"""V3's names of categories."""


JUDGED = ("category", "entry_id", "mode", "name_style", "status", "result_json")
"""The columns on which a verdict depends."""

Verdicts: TypeAlias = dict[tuple[Any, ...], tuple[bool | None, str | None]]
"""Valid and error type by the values of JUDGED."""


@dataclass(frozen=True)
class Stored:
    """One answer with its official verdict, and where a result folder has it."""

    model: str  # name of the folder
    category: str  # of V4
    entry_id: str  # of V4
    result: Any
    valid: bool
    error_type: str | None
    native: bool  # whether its model was asked with tool schemas
    name: str = ""  # of the file, default: of V4
    written_id: str = ""  # in the file, default: of V4
    place: str = ""  # of the file in the folder of the model, default: the group

    @property
    def line(self) -> str:
        """The line of the file."""
        row = {"id": self.written_id or self.entry_id, "result": self.result, "latency": 1.0}
        return json.dumps(row) + "\n"

    @property
    def path(self) -> Path:
        """The file, from the result folder."""
        name = self.name or f"BFCL_v4_{self.category}_result.json"
        return Path(self.model, self.place or CATEGORIES[self.category].group, name)


@dataclass
class Imported:
    """What became of a folder."""

    answers: int  # that it has
    read: int = 0
    differing: list[str] = field(default_factory=list)  # entries with another verdict
    log: list[str] = field(default_factory=list)


def write_folder(folder: Path, answers: Iterable[Stored]) -> None:
    """Writes the files of results."""
    files: dict[Path, list[str]] = {}
    for answer in answers:
        files.setdefault(folder / answer.path, []).append(answer.line)
    for path, lines in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(lines), encoding="utf-8")


def imported(
    source: Path, answers: Iterable[Stored], data: Path, out: Path, known: Verdicts | None = None
) -> Imported:
    """Imports `source` without an option and compares the verdicts with those of `answers`.

    known: verdicts on equal rows, which are not scored again.
    """
    known = {} if known is None else known
    wanted = {(one.model, one.category, one.entry_id): (one.valid, one.error_type) for one in answers}
    result = Imported(len(wanted))
    import_official(source, out, data=data, log=result.log.append)
    rows = {tuple(row[name] for name in JUDGED): row for row in read_table(out).to_pylist()}
    new = [row for judged, row in rows.items() if judged not in known]
    if new:
        for row in score_table(pa.Table.from_pylist(new, schema=RESPONSES), data).to_pylist():
            known[tuple(row[name] for name in JUDGED)] = (row["valid"], row["error_type"])
    for row in read_table(out).to_pylist():
        verdict = known[tuple(row[name] for name in JUDGED)]
        key = (row["model"].replace("/", "_"), row["category"], row["entry_id"])
        result.read += 1
        if verdict != wanted[key]:
            result.differing.append(f"{key}: {verdict}, expected {wanted[key]}")
    return result


def read_verdicts(table: Path) -> list[Stored]:
    """The rows of a table of outputs with official verdicts (`tests.peer.test_recorded_verdicts`).

    Left out are a run whose arguments are objects, because its verdicts are those on calls that cannot be
    decoded, and the texts in runs of native calls, which were judged as if they had been prompted.
    """
    rows = pq.read_table(table).to_pylist()
    native = {row["run"] for row in rows if row["mode"] == "fc"}
    answers = [
        Stored(
            row["run"],
            row["category"],
            row["entry_id"],
            json.loads(row["result_json"]),
            row["valid"],
            row["error_type"],
            row["run"] in native,
        )
        for row in rows
        if row["mode"] == "fc" or row["run"] not in native
    ]
    undecoded = {one.model for one in answers if one.native and _has_objects(one.result)}
    return [one for one in answers if one.model not in undecoded]


def _has_objects(result: Any) -> bool:
    if not isinstance(result, list):
        return False
    return any(
        isinstance(value, dict) for call in result if isinstance(call, dict) for value in call.values()
    )


def _each_call(answer: Stored, change: Callable[[str, str], tuple[str, Any]]) -> Stored:
    """The answer with each native call changed: its name, and its arguments as JSON text."""

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, Mapping):
            return dict(change(name, text) for name, text in value.items())
        return value

    return replace(answer, result=changed(answer.result)) if answer.native else answer


def v3(answers: Iterable[Stored]) -> list[Stored]:
    """Names of files and ids of V3, without folders of groups."""
    return [
        replace(
            one,
            place=".",
            name=f"BFCL_v3_{FORMER.get(one.category, one.category)}_result.json",
            written_id=one.entry_id.replace(one.category, FORMER.get(one.category, one.category)),
        )
        for one in answers
    ]


def v3_behind_v4(answers: Iterable[Stored]) -> list[Stored]:
    """V3's names of categories in names of V4."""
    return [replace(one, name=one.name.replace("_v3_", "_v4_")) for one in v3(answers)]


def flat(answers: Iterable[Stored]) -> list[Stored]:
    """All files of a model in its folder."""
    return [replace(one, place=".") for one in answers]


def neutral(answers: Iterable[Stored]) -> list[Stored]:
    """Folders whose names say nothing."""
    answers = list(answers)
    names = {
        model: f"m{number}" for number, model in enumerate(dict.fromkeys(one.model for one in answers))
    }
    return [replace(one, model=names[one.model]) for one in answers]


def dotted(answers: Iterable[Stored], data: Path) -> list[Stored]:
    """Native calls whose names keep the dots of the release."""
    answers = list(answers)
    names = {
        (category, entry.entry_id): {doc["name"].replace(".", "_"): doc["name"] for doc in entry.functions}
        for category in {one.category for one in answers}
        for entry in read_entries(entries_path(data, category))
    }

    def changed(answer: Stored) -> Stored:
        with_dots = names[answer.category, answer.entry_id]
        return _each_call(answer, lambda name, text: (with_dots.get(name, name), text))

    return [changed(one) for one in answers]


def with_objects(answers: Iterable[Stored]) -> list[Stored]:
    """Native calls whose arguments are objects, where they are such JSON text."""

    def value(name: str, text: str) -> tuple[str, Any]:
        try:
            arguments = json.loads(text)
        except ValueError:
            return name, text
        return name, arguments if isinstance(arguments, dict) and json.dumps(arguments) == text else text

    return [_each_call(one, value) for one in answers]


def without_backend(answers: Iterable[Stored]) -> list[Stored]:
    """Ids of memory and web questions as in the release's data files."""

    def plain(answer: Stored) -> str:
        for name in ("memory", "web_search"):
            if answer.category.startswith(name):
                return answer.entry_id.replace(answer.category, name)
        return answer.entry_id

    return [replace(one, written_id=plain(one)) for one in answers]
