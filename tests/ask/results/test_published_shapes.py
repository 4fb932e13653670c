"""Results in each shape in which people publish them are read without an option and keep their verdicts.

With BFCL_CONFORMANCE, shapes are also made of real outputs with official verdicts; to print the figures:

    BFCL_CONFORMANCE=TABLE pytest tests/ask/results/test_published_shapes.py -s
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bfcl_pipeline.ask.models.oracle import answer as oracle_answer
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Json, Mode, Response
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.judge.scoring import judge
from tests.peer.test_recorded_verdicts import CONFORMANCE
from tests.support import published_shapes as shapes
from tests.support.published_shapes import Stored, Verdicts

MADE = (
    "simple_python",
    "simple_java",
    "multiple",
    "parallel",
    "irrelevance",
    "live_simple",
    "live_relevance",
)
AGENTIC = ("memory_kv", "web_search_base")
ENTRIES = 12  # of each category

Shape = Callable[[list[Stored], Path, Path], tuple[Path, list[Stored]]]
"""Writes a folder of the answers; returns what to import, and the answers in it."""


def _plain(change: Callable[[list[Stored]], list[Stored]]) -> Shape:
    def write(answers: list[Stored], folder: Path, _data: Path) -> tuple[Path, list[Stored]]:
        changed = change(answers)
        shapes.write_folder(folder, changed)
        return folder, changed

    return write


def _with_dots(answers: list[Stored], folder: Path, data: Path) -> tuple[Path, list[Stored]]:
    return _plain(lambda given: shapes.dotted(given, data))(answers, folder, data)


def _one_model(answers: list[Stored], folder: Path, data: Path) -> tuple[Path, list[Stored]]:
    """Files without a folder of the model: its name is that of the folder."""
    first = [one for one in answers if one.model == answers[0].model]
    _plain(shapes.flat)(first, folder, data)
    return folder / first[0].model, first


def _of_a_run(answers: list[Stored], folder: Path, data: Path) -> tuple[Path, list[Stored]]:
    """The folder of a run, with `result` and `score` in it."""
    _plain(list)(answers, folder / "result", data)
    _plain(list)(answers[:1], folder / "old", data)
    score = folder / "score" / answers[0].model / "BFCL_v4_multiple_score.json"
    score.parent.mkdir(parents=True)
    score.write_text("{}\n")
    return folder, answers


def _with_a_foreign_file(answers: list[Stored], folder: Path, data: Path) -> tuple[Path, list[Stored]]:
    _plain(list)(answers, folder, data)
    (folder / answers[0].model / "BFCL_v4_Mindat_v1_irrelevance_result.json").write_text("{}\n")
    return folder, answers


def _with_a_doubled_line(answers: list[Stored], folder: Path, data: Path) -> tuple[Path, list[Stored]]:
    """The first line of every file twice, at its end too."""
    _plain(list)(answers, folder, data)
    for path in folder.rglob("*.json"):
        text = path.read_text()
        path.write_text(text + text.splitlines(keepends=True)[0])
    return folder, answers


def _with_a_bad_line(answers: list[Stored], folder: Path, data: Path) -> tuple[Path, list[Stored]]:
    _plain(list)(answers, folder, data)
    for path in folder.rglob("*.json"):
        path.write_text('{"id": \n{"id": "mine_0", "result": ""}\n' + path.read_text())
    return folder, answers


SHAPES: dict[str, Shape] = {
    "V4, modes mixed": _plain(list),
    "V3": _plain(shapes.v3),
    "V3's names behind v4": _plain(shapes.v3_behind_v4),
    "flat": _plain(shapes.flat),
    "files of one model": _one_model,
    "result in a run's folder": _of_a_run,
    "dotted names": _with_dots,
    "objects as arguments": _plain(shapes.with_objects),
    "neutral names": _plain(shapes.neutral),
    "ids without a backend": _plain(shapes.without_backend),
    "a foreign file": _with_a_foreign_file,
    "a doubled line": _with_a_doubled_line,
    "bad lines": _with_a_bad_line,
}


def _made(data: Path) -> Iterator[Stored]:
    """Right and wrong answers in both modes."""
    for category in (*MADE, *AGENTIC):
        entries = [each for each in read_entries(entries_path(data, category)) if not each.prerequisite]
        dotted = [each for each in entries[ENTRIES:] if "." in each.functions[0]["name"]]
        entries = [*entries[:ENTRIES], *dotted[:ENTRIES]]
        for entry, other in zip(entries, [*entries[1:], entries[0]], strict=True):
            for mode in Mode:
                yield _judged(entry, mode, _answer(entry, other, mode))


def _answer(entry: Entry, other: Entry, mode: Mode) -> Json:
    """An answer to `entry`: every third one is that to another entry."""
    asked = other if entry.entry_id.split("_")[-1].split("-")[0][-1:] in "258" else entry
    if CATEGORIES[entry.category].single_turn:
        return oracle_answer(asked, mode)
    return [[str({"answer": asked.truth[0], "context": ""})]]


def _judged(entry: Entry, mode: Mode, result: Json) -> Stored:
    verdict = judge(entry, Response(entry.entry_id, entry.category, mode, json.dumps(result)))
    model = "some_model" if mode is Mode.FC else "another_model"
    native = mode is Mode.FC
    valid = verdict.valid is True
    return Stored(model, entry.category, entry.entry_id, result, valid, verdict.error_type, native)


@pytest.fixture(scope="module")
def made(staged: Path) -> tuple[list[Stored], Verdicts]:
    """Made answers, and a store for our verdicts on them."""
    return list(_made(staged)), {}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_answer_is_read_with_its_verdict(
    shape: str, made: tuple[list[Stored], Verdicts], staged: Path, tmp_path: Path
) -> None:
    """Without an option, in every shape."""
    given, known = made
    source, answers = SHAPES[shape](given, tmp_path / "result", staged)
    found = shapes.imported(source, answers, staged, tmp_path / "out.parquet", known)
    assert (found.read, found.differing) == (len(answers), [])
    assert {one.valid for one in answers} == {True, False}
    assert any(line.startswith("Not read: ") for line in found.log) == (shape in _REFUSING)


@pytest.fixture(scope="module")
def real() -> tuple[list[Stored], Verdicts]:
    """Real outputs, and a store for our verdicts on them."""
    table = os.environ.get(CONFORMANCE)
    if table is None:
        pytest.skip(f"{CONFORMANCE} names no table of outputs with official verdicts")
    return shapes.read_verdicts(Path(table)), {}


_REFUSING = {"result in a run's folder", "a foreign file", "a doubled line", "bad lines"}


@pytest.mark.parametrize("shape", SHAPES)
def test_official_verdicts_on_real_outputs_are_kept(
    shape: str,
    real: tuple[list[Stored], Verdicts],
    staged: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The same with outputs of real models."""
    outputs, known = real
    source, answers = SHAPES[shape](outputs, tmp_path / "result", staged)
    found = shapes.imported(source, answers, staged, tmp_path / "out.parquet", known)
    with capsys.disabled():
        print(
            f"\n{shape:<26} {found.answers:>7,} answers {found.read:>7,} read {len(found.differing)} differ"
        )
    assert (found.read, found.differing[:5]) == (found.answers, [])
