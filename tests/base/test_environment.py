"""Variables from a file `.env`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bfcl_pipeline.base import project
from bfcl_pipeline.base.project import ENV_FILE, read_env_file
from bfcl_pipeline.cli import main

FILE = """\
# keys
FROM_FILE='a $HOME key'
export OPENAI_API_KEY=of-the-file
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, without the variables of the file, now and after the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(project, "ENV_FILE", ENV_FILE)  # which other tests do not read
    for name in ("FROM_FILE", "OPENAI_API_KEY", "A"):
        monkeypatch.setenv(name, "")  # is deleted again when the test ends, if it was not set
        monkeypatch.delenv(name)
    return tmp_path


def test_every_command_reads_the_file(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A key in `.env` is no longer missing; the value is not printed."""
    (folder / "models.yaml").write_text("models: [{name: paid, kind: openai_chat}]")
    assert main(["models", "--models", "models.yaml"]) == 0
    assert "0 ready" in "".join(capfd.readouterr())
    (folder / ".env").write_text(FILE)
    assert main(["models", "--models", "models.yaml"]) == 0
    printed = "".join(capfd.readouterr())
    assert "1 ready" in printed
    assert "of-the-file" not in printed


def test_the_environment_takes_precedence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that is set is kept; another has the value as written, without expansion."""
    (folder / ".env").write_text(FILE)
    monkeypatch.setenv("OPENAI_API_KEY", "mine")
    read_env_file()
    assert (os.environ["OPENAI_API_KEY"], os.environ["FROM_FILE"]) == ("mine", "a $HOME key")


@pytest.mark.parametrize("content", ["A=1\n".encode("utf-16"), b"A=s\xe9same\n", b"A=a\0b\n"])
def test_a_file_that_is_not_text_is_an_error_of_one_line(
    folder: Path, content: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    """A file in another encoding or with null characters is reported, by name, without its content."""
    (folder / ".env").write_bytes(content)
    assert main(["models", "lexical"]) == 1
    assert capfd.readouterr().err == (
        "bfcl-pipeline models: .env: not text in UTF-8. Save it in this encoding, with lines NAME=VALUE.\n"
    )


def test_a_byte_order_mark_is_not_part_of_the_first_name(folder: Path) -> None:
    """Editors of Windows begin a file in UTF-8 with one."""
    (folder / ".env").write_text(FILE.removeprefix("# keys\n"), encoding="utf-8-sig")
    read_env_file()
    assert os.environ["FROM_FILE"] == "a $HOME key"
