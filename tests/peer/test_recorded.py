"""Recorded answers: what has changed on either side is asked of the official package, and is found."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.peer import recorded
from tests.peer.peer import require_peer
from tests.peer.recorded import RECOMPUTE, RECORD, Row, Seam

QUESTIONS: list[Row] = [{"number": number} for number in range(12)]
OURS: list[Row] = [{"double": 2 * number, "apart": False} for number in range(12)]
"""Our answers, of which that to 7 differs from the official one."""
OFFICIAL = [{**answer, "apart": number == 7} for number, answer in enumerate(OURS)]

Asked = Callable[..., list[int]]


@pytest.fixture
def seam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Seam:
    """Three blocks of four questions, whose answers are recorded."""
    require_peer()
    made = Seam("echo", "echo_reference", block=4, folder=tmp_path / "answers")
    with monkeypatch.context() as recording:
        recording.setenv(RECORD, "1")
        assert made.answers(QUESTIONS, OURS, tmp_path / "recording") == OFFICIAL
    monkeypatch.delenv(RECORD, raising=False)
    monkeypatch.delenv(RECOMPUTE, raising=False)
    return made


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seam: Seam) -> Asked:
    """The numbers that are asked for our answers; the answers are always the official ones."""
    folders = (tmp_path / f"asked {number}" for number in itertools.count())
    numbers: list[int] = []
    ask_peer = recorded.ask_peer

    def noted(script: str, rows: Sequence[Row], folder: Path, processes: int) -> list[Row]:
        numbers.extend(row["number"] for row in rows)
        return ask_peer(script, rows, folder, processes)

    monkeypatch.setattr(recorded, "ask_peer", noted)

    def ask(rows: Sequence[Row] = QUESTIONS, ours: Sequence[Row] = OURS, of: Seam = seam) -> list[int]:
        numbers.clear()
        found = of.answers(rows, ours, next(folders))
        assert found == [{"double": 2 * row["number"], "apart": row["number"] == 7} for row in rows]
        return sorted(numbers)

    return ask


def test_only_the_answers_that_differed_are_asked_again(asked: Asked) -> None:
    """All others are known to be ours."""
    assert asked() == [7]


def test_a_changed_answer_of_ours_is_found(asked: Asked) -> None:
    """Its block is asked, and the answers are the official ones, not ours."""
    wrong = [*OURS[:1], {"double": 3, "apart": False}, *OURS[2:]]
    assert asked(ours=wrong) == [0, 1, 2, 3, 7]


def test_changed_questions_are_asked(asked: Asked) -> None:
    """With the rest of their block."""
    rows, ours = [*QUESTIONS[:-1], {"number": 20}], [*OURS[:-1], {"double": 40, "apart": False}]
    assert asked(rows, ours) == [7, 8, 9, 10, 20]


def test_after_a_change_of_the_reference_everything_is_asked(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of its text, of a module that it imports, or of a package that is installed on the official side."""
    everything = list(range(12))
    for name in ("reference_digest", "packages"):
        with monkeypatch.context() as changed:
            changed.setattr(recorded, name, lambda *_: "another")
            assert asked() == everything


def test_the_digest_of_a_reference_covers_what_it_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Directly or not; other modules of the tests do not count."""
    folder = tmp_path / "tests" / "peer"
    folder.mkdir(parents=True)
    monkeypatch.setattr(recorded, "ROOT", tmp_path)
    texts = {
        "reference": "from tests.peer import near\n",
        "near": "def later():\n    import tests.peer.far\n",
        "far": "FAR = 1\n",
        "other": "",
    }
    digests = []
    for changed in (None, *texts):
        for name, text in texts.items():
            (folder / f"{name}.py").write_text(text + "# changed\n" * (name == changed), encoding="utf-8")
        digests.append(recorded.reference_digest.__wrapped__("reference"))
    assert len(set(digests)) == 4
    assert digests[0] == digests[-1]


def test_a_path_counts_by_its_name(seam: Seam) -> None:
    """So that answers are known on another machine, and a folder with other files is asked for."""

    def questions(folder: str, name: str) -> str:
        ((_, found),) = replace(seam, names={folder: name})._blocks([{"folder": folder}])
        return found

    assert questions("/a/b", "files") == questions("/c", "files")
    assert questions("/a/b", "files") != questions("/a/b", "other files")


@pytest.mark.parametrize("damage", ["lost", "short", "garbage"])
def test_what_a_damaged_file_lacks_is_asked(damage: str, seam: Seam, asked: Asked, tmp_path: Path) -> None:
    """A file that is lost, cut off or of something else."""
    path = tmp_path / "answers" / "echo.txt"
    content = path.read_bytes()
    match damage:
        case "lost":
            path.unlink()
        case "short":
            path.write_bytes(content[: content.index(b"\n") + 20])
        case "garbage":
            path.write_bytes(b"\xff\x00" * 99)
    assert asked() == ([4, 5, 6, 7, 8, 9, 10, 11] if damage == "short" else list(range(12)))


def test_recomputing_asks_everything_and_checks_what_is_recorded(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recorded digests of other answers are an error."""
    monkeypatch.setenv(RECOMPUTE, "1")
    assert asked() == list(range(12))
    path = tmp_path / "answers" / "echo.txt"
    first, second, *rest = path.read_text().splitlines()
    path.write_text("\n".join([first[:17] + second[17:49], second, *rest]))
    with pytest.raises(
        AssertionError, match=r"echo, questions range\(0, 4\): the official answers are not"
    ):
        asked()
