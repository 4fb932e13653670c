"""`bfcl-pipeline models add --results`: a row for each model of a result folder of the official tool."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bfcl_pipeline.cli import main

OWN = """\
# A comment.
models:
  - {name: kept, kind: lexical}
"""
OFFICIAL = """
models:
  - {name: org/known, mode: fc, kind: openai_chat, org: Org, license: MIT, input_price: 2, url: "https://x.org"}
"""


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A result folder of three models, in the working folder of a project with a models file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/models.yaml").write_text("models: []\n")
    (tmp_path / "config/my_models.yaml").write_text(OWN)
    (tmp_path / "config/official_models.yaml").write_text(OFFICIAL)
    for folder in ("org_known", "team-FC", "kept"):
        file = tmp_path / "result" / folder / "non_live/BFCL_v4_simple_java_result.json"
        file.parent.mkdir(parents=True)
        file.write_text("")
    return Path("result")


def rows() -> list[dict[str, object]]:
    """The rows of the user's file."""
    found: list[dict[str, object]] = yaml.safe_load(Path("config/my_models.yaml").read_text())["models"]
    return found


def test_each_model_gets_a_row(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A known one is described as on the leaderboard; rows that are there stay; --set is of every row."""
    assert main(["models", "add", "--results", str(results), "--set", "web=live"]) == 0
    assert rows()[1:] == [
        {
            "name": "org/known",
            "kind": "results",
            "path": "result/org_known",
            "mode": "fc",
            "display_name": "org/known",
            "org": "Org",
            "license": "MIT",
            "url": "https://x.org",
            "input_price": 2,
            "web": "live",
        },
        {"name": "team-FC", "kind": "results", "path": "result/team-FC", "web": "live"},
    ]
    assert Path("config/my_models.yaml").read_text().startswith(OWN)
    printed = capsys.readouterr().out
    assert "added 2 models of result." in printed
    assert "Kept as they are: kept." in printed
    assert "They replace rows of the same names in other files: org/known." in printed
    assert main(["models", "add", "--results", str(results)]) == 0
    assert "added 0 models" in capsys.readouterr().out
    assert len(rows()) == 3


def test_the_folder_of_one_model_is_one_row(results: Path) -> None:
    """Its path is the folder itself."""
    assert main(["models", "add", "--results", str(results / "team-FC")]) == 0
    assert rows()[1:] == [{"name": "team-FC", "kind": "results", "path": "result/team-FC"}]


@pytest.mark.parametrize(
    ("answer", "mode"),
    [('[{"f": "{}"}]', "fc"), ("[]", "fc"), ('"[f(a=1)]"', None), ("null", None)],
)
def test_the_mode_of_a_model_that_is_not_known_is_found_in_its_answers(
    results: Path, capsys: pytest.CaptureFixture[str], answer: str, mode: str | None
) -> None:
    """A list as an answer is a native call, whatever the name is; damaged lines show nothing."""
    file = results / "mine/non_live/BFCL_v4_simple_java_result.json"
    file.parent.mkdir(parents=True)
    file.write_text(f'not JSON\n{{"id": "simple_java_0", "result": {answer}}}\n')
    assert main(["models", "add", "--results", str(results / "mine")]) == 0
    assert rows()[-1].get("mode") == mode
    assert ("Mode fc (native calls)" in capsys.readouterr().out) == (mode is not None)


def test_a_model_with_two_modes_is_an_error(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With both counts; --set decides."""
    file = results / "mine/BFCL_v3_java_result.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"id": "java_0", "result": [{"f": "{}"}]}\n{"id": "java_1", "result": "[f(a=1)]"}\n')
    assert main(["models", "add", "--results", str(results / "mine")]) == 1
    assert "mine: two forms: answers that are lists of calls: 1; " in capsys.readouterr().err
    assert main(["models", "add", "--results", str(results / "mine"), "--set", "mode=fc"]) == 0
    assert rows()[-1] == {"name": "mine", "kind": "results", "path": "result/mine", "mode": "fc"}


def test_the_folder_of_a_run_has_its_models_in_result(results: Path) -> None:
    """The paths of the rows are those of the models."""
    assert main(["models", "add", "--results", "."]) == 0
    assert [row["path"] for row in rows()[1:]] == ["result/org_known", "result/team-FC"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["models", "team", "--results", "result"], "expected `models add --results DIR`"),
        (["models", "add", "name", "--results", "result"], "expected `models add --results DIR`"),
        (["models", "add", "--results", "config"], "no results of the official tool"),
        (["models", "add", "--results", "result", "--set", "endpoint=http://x"], "remove endpoint"),
        (["models", "add", "--results", "result", "--set", "web=elsewhere"], "web"),
    ],
)
def test_a_mistake_leaves_the_file_as_it_is(
    results: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    """One line says what is wrong."""
    assert main(words) == 1
    assert message in capsys.readouterr().err
    assert Path("config/my_models.yaml").read_text() == OWN
