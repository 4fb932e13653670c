"""Variables from a file `.env`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FILE = """\
# keys
FROM_FILE='a $HOME key'
export OPENAI_API_KEY=of-the-file
"""


def test_every_command_reads_the_file(tmp_path: Path) -> None:
    """A key in `.env` is no longer missing; the value is not printed."""
    variables = {name: value for name, value in os.environ.items() if name != "OPENAI_API_KEY"}
    (tmp_path / "models.yaml").write_text("models: [{name: paid, kind: openai_chat}]")
    command = [sys.executable, "-m", "bfcl_pipeline.cli", "models", "--models", "models.yaml"]

    def printed() -> str:
        done = subprocess.run(
            command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=True
        )
        return done.stdout + done.stderr

    assert "0 ready" in printed()
    (tmp_path / ".env").write_text(FILE)
    assert "1 ready" in printed()
    assert "of-the-file" not in printed()


def test_the_environment_takes_precedence(tmp_path: Path) -> None:
    """A variable that is set is kept; another has the value as written, without expansion."""
    (tmp_path / ".env").write_text(FILE)
    code = (
        "from bfcl_pipeline.base.project import read_env_file; import os; read_env_file();"
        "print(os.environ['OPENAI_API_KEY'], os.environ['FROM_FILE'], sep='|')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "OPENAI_API_KEY": "mine"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "mine|a $HOME key"


@pytest.mark.parametrize("content", ["A=1\n".encode("utf-16"), b"A=s\xe9same\n", b"A=a\0b\n"])
def test_a_file_that_is_not_text_is_an_error_of_one_line(tmp_path: Path, content: bytes) -> None:
    """A file in another encoding or with null characters is reported, by name, without its content."""
    (tmp_path / ".env").write_bytes(content)
    command = [sys.executable, "-m", "bfcl_pipeline.cli", "models", "lexical"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "bfcl-pipeline models: .env: not text in UTF-8. Save it in this encoding, with lines NAME=VALUE.\n"
    )


def test_a_byte_order_mark_is_not_part_of_the_first_name(tmp_path: Path) -> None:
    """Editors of Windows begin a file in UTF-8 with one."""
    (tmp_path / ".env").write_text(FILE.removeprefix("# keys\n"), encoding="utf-8-sig")
    code = (
        "from bfcl_pipeline.base.project import read_env_file; import os; read_env_file();"
        "print(os.environ['FROM_FILE'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "a $HOME key"
