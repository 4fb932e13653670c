"""Which models files are read, and how a row is added to one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import (
    MODELS_FILE,
    MODELS_VARIABLE,
    MY_MODELS_FILE,
    load_models,
    models_files,
)
from bfcl_pipeline.benchmark.config.added_row import add_row

ROW = {"name": "mine-FC", "kind": "openai_chat", "endpoint": "http://localhost:8000/v1"}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working folder, outside of a workflow."""
    monkeypatch.delenv(MODELS_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    Path("config").mkdir()


def test_the_users_own_file_is_read_if_it_exists() -> None:
    """Without a choice, the shipped file and, if it exists, the user's."""
    assert models_files() == (MODELS_FILE,)
    MY_MODELS_FILE.write_text("models: []")
    assert models_files() == models_files(()) == (MODELS_FILE, MY_MODELS_FILE)


def test_commands_read_the_files_of_the_config() -> None:
    """`models_file` of config/config.yaml holds for every command unless files are named."""
    Path("config/config.yaml").write_text("models_file: [a.yaml, b.yaml]")
    assert models_files() == (Path("a.yaml"), Path("b.yaml"))
    assert models_files("c.yaml") == models_files(["c.yaml"]) == (Path("c.yaml"),)
    Path("config/config.yaml").write_text("models_file: a.yaml")
    assert models_files() == (Path("a.yaml"),)
    Path("config/config.yaml").write_text("models_file: 5")
    with pytest.raises(ConfigError, match="models_file: expected a path"):
        models_files()
    Path("config/config.yaml").write_text("run: [")
    with pytest.raises(ConfigError, match="not readable as YAML"):
        models_files()


def test_steps_of_a_workflow_read_the_files_of_the_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable that the workflow sets precedes the config file, which --config may override."""
    Path("config/config.yaml").write_text("models_file: a.yaml")
    monkeypatch.setenv(MODELS_VARIABLE, "b.yaml:c.yaml")
    assert models_files() == (Path("b.yaml"), Path("c.yaml"))
    assert models_files("d.yaml") == (Path("d.yaml"),)


def test_later_rows_replace_earlier_ones() -> None:
    """Of one name the last row counts; official rows are replaced by any."""
    Path("a.yaml").write_text("models: [{name: x, kind: oracle}, {name: y, kind: oracle}]")
    Path("b.yaml").write_text("models: [{name: y, kind: lexical}]")
    Path("official_models.yaml").write_text("models: [{name: x, kind: lexical}, {name: z, kind: lexical}]")
    rows = load_models(["a.yaml", "b.yaml"])
    assert {name: row.kind for name, row in rows.items()} == {"x": "oracle", "y": "lexical", "z": "lexical"}


def test_a_row_is_added_to_a_new_file() -> None:
    """The file is made, with a comment on what it is, and the row is read back."""
    row = add_row(MY_MODELS_FILE, ROW)
    assert (row.name, row.endpoint) == ("mine-FC", "http://localhost:8000/v1")
    assert MY_MODELS_FILE.read_text().startswith("# Your models")
    assert load_models([MY_MODELS_FILE])["mine-FC"] == row


def test_comments_and_layout_are_kept() -> None:
    """Only lines at the end are added, indented as the rows before."""
    text = "# mine\nmodels:\n- name: a # the first\n  kind: oracle\n# the end\n"
    MY_MODELS_FILE.write_text(text)
    add_row(MY_MODELS_FILE, ROW)
    written = MY_MODELS_FILE.read_text()
    assert written.startswith(text)
    assert written.removeprefix(text).splitlines()[0] == "- name: mine-FC"
    assert list(load_models([MY_MODELS_FILE]))[:2] == ["a", "mine-FC"]


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        ("models:\n  - {name: mine-FC, kind: oracle}\n", {}, "has a row named 'mine-FC' already"),
        ("models:\n  - {name: a, kind: oracle}\n", {"endpoint": "localhost"}, "model 2: endpoint"),
        ("models:\n  - {name: a, kind: oracle}\n", {"modle": "b"}, "unknown key 'modle'"),
        ("models: [{name: a, kind: oracle}]\n", {}, "my_models.yaml: "),
    ],
)
def test_a_row_that_cannot_be_added_changes_nothing(
    text: str, values: dict[str, str], message: str
) -> None:
    """The error names the file and the reason; the file has the same bytes, and no other is left."""
    MY_MODELS_FILE.write_text(text)
    with pytest.raises(ConfigError, match=message):
        add_row(MY_MODELS_FILE, {**ROW, **values})
    assert MY_MODELS_FILE.read_text() == text
    assert [path.name for path in Path("config").iterdir()] == ["my_models.yaml"]
