"""The command line as a whole."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.base import __version__
from bfcl_pipeline.cli import CLOSED_PIPE, COMMANDS, main
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks

MODELS = Path(__file__).resolve().parents[2] / "config/models.yaml"


QUICK = {  # seconds of the processor, and what is loaded by it or by those before it
    "--help": (0.5, ""),
    "export --help": (1, ""),
    "plan --within 3": (1, ""),
    "table run": (1, ""),
    f"models --models {MODELS}": (1, "jinja2"),
}


def test_quick_commands_load_nothing_heavy(tmp_path):
    """In one process, one after the other; each is far below a second."""
    made_up_tables(tmp_path, [MadeUpModel("a", {"multiple": marks(1)})])
    program = (
        "import sys, time; import bfcl_pipeline.cli as cli\n"
        "heavy = 'polars pyarrow numpy jsonschema aiohttp openai litellm inspect_ai rich jinja2'.split()\n"
        "for words in sys.argv[1:]:\n"
        "    try: cli.main(words.split())\n"
        "    except SystemExit: pass\n"
        "    print(time.process_time(), *(one for one in heavy if one in sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", program, *QUICK]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    before = 0.0
    for (words, (most, loads)), line in zip(QUICK.items(), done.stderr.splitlines(), strict=True):
        seconds, _, loaded = line.partition(" ")
        assert (words, loaded) == (words, loads)
        assert float(seconds) - before < most, words
        before = float(seconds)
    assert "every-eval-ever" in done.stdout


def test_an_unknown_option_shows_the_usage_of_its_command(capsys):
    """Exit status 2, and the options that the command has."""
    with pytest.raises(SystemExit) as stopped:
        main(["run", "--sampel", "3"])
    assert stopped.value.code == 2
    usage, error = capsys.readouterr().err.splitlines()[-2:]
    assert usage.startswith("usage: bfcl-pipeline run [-m MODEL]")
    assert error == "bfcl-pipeline run: error: unrecognized arguments: --sampel. Did you mean '--sample'?"


def test_version(capsys):
    """The version is that of the package."""
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.strip() == f"bfcl-pipeline {__version__}"


def test_errors_are_one_line(capsys, tmp_path):
    """A user error is reported in one line, without a traceback, with exit status 1."""
    missing = tmp_path / "none.parquet"
    assert main(["score", str(missing), "--out", str(tmp_path / "out.parquet")]) == 1
    error = capsys.readouterr().err
    assert "no such table" in error
    assert error.count("\n") == 1


def test_without_arguments_the_help_is_printed(capsys):
    """`bfcl-pipeline` alone lists the commands and succeeds."""
    with pytest.raises(SystemExit) as stopped:
        main([])
    assert stopped.value.code == 0
    printed = capsys.readouterr().out
    assert all(command in printed for command in COMMANDS)


@pytest.mark.parametrize("words", [["models", "--models", str(MODELS)], ["show", "simple_python_3"]])
def test_a_closed_pipe_ends_a_command_quietly(words, staged, tmp_path):
    """A reader that ends early, such as `head`, causes no traceback; the exit status is that of SIGPIPE."""
    if words[0] == "show":
        words = [*words, "--data", str(staged)]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "bfcl_pipeline.cli", *words],
        cwd=tmp_path,  # without results, whose newest run `show` would take
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode == CLOSED_PIPE


def test_another_broken_pipe_is_not_hidden(monkeypatch):
    """A broken pipe that is not the output stays an error."""

    def fail(_arguments):
        raise BrokenPipeError("a connection")

    monkeypatch.setattr("bfcl_pipeline.cli._run", fail)
    with pytest.raises(BrokenPipeError, match="a connection"):
        main(["models"])


def test_a_file_that_cannot_be_written_is_one_line(tmp_path, capsys, staged):
    """A file where a directory should be, named in one line; no traceback."""
    row = {"entry_id": "irrelevance_0", "category": "irrelevance", "mode": "prompt", "result_json": '"no"'}
    source = tmp_path / "r.parquet"
    pq.write_table(pa.Table.from_pylist([row]), source)
    command = ["score", str(source), "--data", str(staged), "--out", str(source / "v.parquet")]
    assert main(command) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"bfcl-pipeline score: {source}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "simple_python_0", "--run", "."], "-m NAME. . has no responses."),
        (["gather", ".", "--category", "simpl_java", "--out", "x"], "Did you mean 'simple_java'?"),
        (["verify", "nosuch"], "neither an archive nosuch nor results/nosuch.crate.zip"),
        (["score", "few.txt", "--out", "v.parquet"], "ends in .parquet, .csv, .jsonl"),
    ],
)
def test_a_typical_mistake_is_answered_with_a_remedy(words, message, tmp_path, capsys, monkeypatch):
    """The error says what was wrong and what would be right, without a traceback."""
    monkeypatch.chdir(tmp_path)
    with contextlib.suppress(SystemExit):  # of argparse
        assert main(words) == 1
    assert message in capsys.readouterr().err
