"""The words of the command line: its help, and its answers to names that do not exist.

tests/workflow/test_help_examples.py runs the examples.
"""

from __future__ import annotations

import ast
import contextlib
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.cli.commands import COMMANDS, GROUPS, example_of
from tests.support import ROOT

ACTIONS = [[name] for name in COMMANDS] + [["web", action] for action in ("check", "status", "try")]

PRIVATE = re.compile(
    r"\b(askings|told|tells|odd ones?|partings?|seams?|wings?|floors?|the house|planted|twins?|players?"
    r"|tapes?|machinery|archive's word|nouns?|gets|is no (?:entry|run|model|file|call|answer) that)\b",
    re.IGNORECASE,
)
"""Words that only readers of the code know, or that say in another way what the glossary has a word for."""

SAYING = {"print", "add_argument", "add_argument_group", "step_line", "print_to_stderr"}
"""Functions whose texts are printed, beside what is raised."""


def shown(
    words: list[str], width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """The help of a command on a terminal of this width."""
    monkeypatch.setenv("COLUMNS", str(width))
    with contextlib.suppress(SystemExit):
        main([*words, "--help"])
    return capsys.readouterr().out


@pytest.mark.parametrize("words", [[], *ACTIONS], ids=" ".join)
def test_a_help_fits_terminals_of_two_widths(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No line is longer, none of its paragraphs keeps the breaks of another width, no word is private."""
    narrow, wide = (shown(words, width, monkeypatch, capsys) for width in (80, 100))
    assert max(map(len, narrow.splitlines())) <= 80
    assert max(map(len, wide.splitlines())) <= 100
    assert narrow.split() == wide.split()
    assert PRIVATE.findall(narrow) == []
    for line, following in zip(wide.splitlines(), wide.splitlines()[1:], strict=False):
        if line[:1].strip() and following[:1].strip():  # within a paragraph
            assert len(f"{line} {following.split()[0]}") > 98


def test_the_help_lists_each_command_once_daily_ones_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In groups, a line each; those that `run` calls come last."""
    lines = shown([], 80, monkeypatch, capsys).splitlines()
    listed = [line.split()[0] for line in lines if re.match(r"  [a-z]", line)]
    assert Counter(listed) == Counter([*COMMANDS])
    assert [line[:-1] for line in lines if line.endswith(":") and line != "options:"] == [*GROUPS]
    assert listed[:2] == ["run", "watch"]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_help_ends_with_an_example(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is a command that the parser accepts."""
    last = shown([name], 80, monkeypatch, capsys).splitlines()[-1]
    assert last == f"  {example_of(name)}"
    seen: list[object] = []
    module = f"bfcl_pipeline.cli.{name.replace('-', '_')}"
    monkeypatch.setattr(f"{module}.run", lambda options: seen.append(options) or 0)
    assert main(shlex.split(example_of(name))[1:]) == 0
    assert len(seen) == 1


def printed_texts() -> Iterator[tuple[str, str]]:
    """The texts in what is raised or printed anywhere in the package, each with its place."""
    for path in sorted((ROOT / "bfcl_pipeline").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            name = getattr(called, "id", getattr(called, "attr", ""))
            if isinstance(node, ast.Raise) or name in SAYING:
                for part in ast.walk(node):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield f"{path.relative_to(ROOT)}:{part.lineno}", part.value


def test_no_message_has_a_private_word() -> None:
    """Of thousands of texts in errors and prints."""
    texts = list(printed_texts())
    assert [(place, text) for place, text in texts if PRIVATE.search(text)] == []
    assert len(texts) > 2_000


NEAR = {
    "tabel embedded": "table",
    "run --sampel 3": "--sample",
    "run --web recrod": "record",
    "gate first --agianst second --no-worse 1": "--against",
    "web chekc": "check",
    "table fisrt": "first",
    "show simple_pyton_0": "simple_python_0",
    "show simple_python_0 --run fisrt": "first",
    "show simple_python_0 --prompt orcale": "oracle",
    "compare fisrt:oracle first:oracle": "first",
    "diff first scond": "second",
    "gate first --against scond --no-worse 1": "second",
    "gate first --against first --no-worse 1 --category livee": "live",
    "figures fisrt": "first",
    "report fisrt": "first",
    "aggregate fisrt": "first",
    "export fisrt --form latex --out x": "first",
    "export first --form latx --out x": "latex",
    "export-official fisrt --out x": "first",
    "archive fisrt": "first",
    "verify fisrt": "first",
    "submit fisrt --out x": "first",
    "replay fisrt": "first",
    "watch fisrt": "first",
    "blame fisrt": "first",
    "web status fisrt": "first",
    "split --run fisrt": "first",
    "split --name cluster-v1": "clusters-v1",
    "plan --within 5 --model orcale": "oracle",
    "plan --within 5 --of overal": "overall",
    "models orcale-FC": "oracle-FC",
    "ping orcale": "oracle",
    "serve orcale --address-out x": "oracle",
    "categories mult_turn": "multi_turn",
    "audit simple_pyton_0": "simple_python_0",
    "audit --detector enums": "enum",
    "journal --category simple_pyton": "simple_python",
    "ceiling --parser hermez": "hermes",
    "table first --rules offical": "official",
    "generate --model orcale --category simple_java --run r --out o": "oracle",
    "generate --model oracle --category simple_jaav --run r --out o": "simple_java",
    "generate --model oracle --category rest --run r --out o --entry-ids rest_699": "rest_69",
}
"""Command lines with one wrong name, and the name that is meant."""


@pytest.mark.parametrize("words", NEAR)
def test_a_wrong_name_is_answered_with_the_one_that_is_meant(
    words: str,
    staged: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Commands, options, choices, runs, models, categories, entries, scores.

    tests/workflow/test_messages.py has keys of a config.
    """
    (tmp_path / "data").symlink_to(staged)
    for run in ("first", "second"):
        (tmp_path / "results" / run).mkdir(parents=True)
        (tmp_path / "results" / run / "config.yaml").write_text(f"run: {run}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    status: object = None
    try:
        status = main(shlex.split(words))
    except SystemExit as ended:
        status = ended.code
    assert status in (1, 2)
    error = capsys.readouterr().err
    assert f"Did you mean '{NEAR[words]}'" in error
    assert status == 2 or error.splitlines()[-1].startswith("bfcl-pipeline ")


def test_an_error_is_broken_between_words_on_a_terminal_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """At its width; elsewhere an error is one line, for programs that read it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["categories", "mult_turn"]) == 1
    whole = capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["categories", "mult_turn"]) == 1
    broken = capsys.readouterr().err
    assert whole.count("\n") == 1
    assert 70 < max(map(len, broken.splitlines())) <= 80
    assert broken.split() == whole.split()
