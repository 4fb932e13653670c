"""`bfcl-pipeline show` of the newest run, and its wrong answers one by one."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Mode, Response
from bfcl_pipeline.benchmark.tables import write_responses
from bfcl_pipeline.cli import main
from tests.support.run_form import recorded
from tests.support.terminal import on_terminal
from tests.support.transcript import Transcript

RIGHT = "calculate_triangle_area(base=10, height=5)"
ANSWERS = {
    "simple_python": {"simple_python_2": "no", "simple_python_0": RIGHT, "simple_python_1": "no"},
    "multiple": {"multiple_0": "no"},
}


def _answered(name: str, staged: Path, *models: str) -> None:
    """Writes a run with the responses of models, and their verdicts."""
    folder = Path("results") / name
    for model in models:
        tables = []
        for category, answers in ANSWERS.items():
            rows = [
                Response(entry_id, category, Mode.PROMPT, f'"[{text}]"', model=model, run=name)
                for entry_id, text in answers.items()
            ]
            tables.append(folder / "responses" / model / f"{category}.parquet")
            write_responses(tables[-1], rows)
        out = folder / "verdicts" / f"{model}.parquet"
        out.parent.mkdir(exist_ok=True)
        words = ["--out", str(out), "--rules", "all", "--data", str(staged)]
        assert main(["score", *map(str, tables), *words]) == 0
    (folder / "config.yaml").write_text(recorded(f"run: {name}\n"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> Path:
    """The run `pair` of two models, and `one`, the newest, of one model."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        _answered("pair", staged.resolve(), "a", "b")
        _answered("one", staged.resolve(), "m")
        os.utime("results/pair/config.yaml", (1000, 1000))
    return folder


@pytest.fixture
def newest(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with these runs."""
    shutil.copytree(made / "results", tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_only_model_of_the_newest_run_is_shown(
    newest: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which one is shown is stated; --truth, and an entry that it did not answer, show the entry alone."""
    for words, shown, said in (
        (
            ["simple_python_0"],
            "answered by m in results/one",
            "results/one, the newest run, has m. The entry alone: --truth.",
        ),
        (["simple_python_0", "--run", "one"], "answered by m in results/one", ""),
        (["simple_python_0", "--truth"], "", ""),
        (["simple_python_9"], "", "results/one, the newest run, has no response of m to it"),
    ):
        assert main(["show", *words, "--data", str(staged)]) == 0
        out, err = capsys.readouterr()
        assert ("answered by" in out) == bool(shown)
        assert shown in out
        assert said in err
        assert bool(said) == bool(err)
    os.utime("results/pair/config.yaml")
    assert main(["show", "simple_python_0", "--data", str(staged)]) == 0
    assert "results/pair, the newest run, has a, b: name one (-m)" in capsys.readouterr().err


def test_wrong_answers_follow_one_another(
    newest: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each is printed with the command of the next, in the order of the benchmark, to the last."""
    command, shown = ["show", "--failed"], []
    for _ in range(3):
        assert main([*command, "--data", str(staged)]) == 0
        out, err = capsys.readouterr()
        shown.append(out.split()[0])
        last = err.splitlines()[-1]
        command = shlex.split(last.partition("bfcl-pipeline ")[2])
    assert shown == ["simple_python_2", "simple_python_1", "multiple_0"]
    assert last == "Wrong answer 3 of 3, the last."
    assert (
        main(["show", "--failed", "-c", "multiple", "-m", "a", "--run", "pair", "--data", str(staged)]) == 0
    )
    out, err = capsys.readouterr()
    assert out.startswith("multiple_0  answered by a in results/pair")
    assert err == "Wrong answer 1 of 1, the last.\n"


def test_a_terminal_asks_for_the_next(newest: Path, staged: Path) -> None:
    """Enter shows the next wrong answer, and q ends the command."""
    status, printed = on_terminal(["show", "--failed", "--data", str(staged)], 80, typed=b"\nq\n")
    assert (status, printed.count("q: end.")) == (0, 2)
    assert "Wrong answer 2 of 3" in printed
    assert "Wrong answer 3 of 3" not in printed


REFUSED = (
    "simple_python_0 -m n --run one",
    "--failed -m n --run one",
    "--failed -m a",
    "--failed --run pair",
    "--failed -c multipel",
    "simple_python_0 --failed",
    "simple_python_0 -c multiple",
    "simple_python_0 --truth -m m",
    "",
    "simple_python_0 --prompt oracle --model oracle",
    "simple_python_0 --prompt oracle --step 2",
    "simple_python_0 --step 2",
    "simple_python_0 --prompt orcale",
    # A mistyped category or number has similar ids; a missing response the runs that have one.
    "multi_turn_bas_12",
    "multi_turn_base_200",
    "simple_python_0 -m b/c --run pair",
    "multi_turn_base_1 -m a",
    # A release that was staged before a category was added is staged again; ids are not the matter.
    "rest_0 --data older",
    "simple_python_0 --data nowhere",
)


def test_what_cannot_be_shown_is_an_error(
    newest: Path, staged: Path, capsys: pytest.CaptureFixture[str], transcript: Transcript
) -> None:
    """Each refusal says what there is, or which option to leave out."""
    Path("data").symlink_to(staged)
    Path("results/pair/responses/b_c").mkdir()
    Path("older/entries").mkdir(parents=True)
    Path("older/entries/sql.parquet").symlink_to((staged / "entries/sql.parquet").resolve())
    text = ""
    for words in REFUSED:
        capsys.readouterr()
        given = [*words.split(), *([] if "--data" in words else ["--data", "data"])]
        assert main(["show", *given]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        text += f"$ {words}\n{err}\n"
    transcript.same("refusals", text)
