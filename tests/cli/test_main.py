"""The command line as a whole."""

import resource
import subprocess
import sys

import pytest

from bfcl_pipeline import __version__
from bfcl_pipeline.cli import COMMANDS, main


def _run(*words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "bfcl_pipeline.cli", *words], capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def test_help_answers_at_once():
    """`--help` lists every command in under half a second of processor time."""
    done, seconds = _run("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in COMMANDS)
    assert seconds < 0.5


def test_help_loads_nothing_heavy():
    """Neither `--help` nor importing the package loads a library of tables or pages."""
    program = (
        "import sys; import bfcl_pipeline.cli as cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('pyarrow', 'polars', 'rich', 'jinja2', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command, capsys):
    """Each command has a module, and a help page that starts with its usage."""
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: bfcl-pipeline {command}")


def test_version(capsys):
    """The version is that of the package."""
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.strip() == f"bfcl-pipeline {__version__}"


def test_an_unknown_command_lists_the_known_ones(capsys):
    """A mistyped command stops with the list of commands."""
    with pytest.raises(SystemExit) as stopped:
        main(["scroe"])
    assert stopped.value.code == 2
    assert "score" in capsys.readouterr().err


def test_errors_are_one_line(capsys, tmp_path):
    """A user error is reported in one line, without a traceback, with exit status 1."""
    missing = tmp_path / "none.parquet"
    assert main(["score", str(missing), "--out", str(tmp_path / "out.parquet")]) == 1
    error = capsys.readouterr().err
    assert "no such table" in error
    assert error.count("\n") == 1
