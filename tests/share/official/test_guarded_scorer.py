"""What the guarded official scorer evaluates and refuses, and what ends its process."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bfcl_pipeline.share.official import guarded_scorer
from bfcl_pipeline.share.official.guarded_scorer import (
    APIS,
    REFUSED_STATUS,
    Guard,
    Refused,
    check_expression,
)


class FileSystem:
    __module__ = f"{APIS}.gorilla_file_system"

    def mv(self, source: str, destination: str) -> str:
        return f"{source} -> {destination}"

    def spin(self) -> None:
        while True:
            pass

    def _hidden(self) -> None:
        raise AssertionError("called")


NAMES = {"fs": FileSystem(), "os": __import__("os"), "copy": __import__("copy")}

EVALUATED = """\
1 + 2 * 3
-(4.5 / 2) % 3
'a' + 'b'
[1, (2, 3), {'k': None}, {4}]
fs.mv(source='a', destination='b')
fs.mv('a', destination=fs.mv('b', 'c'))
unknown(x=1)
unknown.method('a')
fs.mv(source=undefined, destination='b')""".splitlines()

REFUSED = """\
__import__('os').system('true') ;; os.system('true') ;; copy.os ;; open('x', 'w') ;; print(1)
len('ab') * 2 ;; fs._hidden() ;; fs.__class__ ;; fs.mv.__func__(1)
fs.mv(source=open('x', 'w'), destination='b') ;; fs.mv(source=fs, destination='b')
fs.mv(*['a', 'b']) ;; fs.mv(**{'source': 'a', 'destination': 'b'})
().__class__.__bases__[0].__subclasses__() ;; [x for x in (1, 2)] ;; (lambda: 1)() ;; (y := 1)
f'{fs}' ;; '%s' % fs ;; 'a' * 1000000000 ;; [1] * 1000000000 ;; 9 ** 9 ** 9 ;; 1 << 999999999
{**{}} ;; 1 if fs else 2 ;; 'abc'[0] ;; fs.mv if 1 else 2 ;; await_(fs).mv ;; __builtins__"""


@pytest.mark.parametrize("text", EVALUATED)
def test_literals_arithmetic_and_calls_of_the_apis_are_evaluated(text: str) -> None:
    """As by `eval`, with its NameError for what does not exist."""
    guard = Guard()

    def outcome(evaluate) -> object:
        try:
            return evaluate(text, dict(NAMES))
        except NameError as error:
            return str(error)

    assert outcome(guard.eval) == outcome(eval)
    assert guard.refused == {}


@pytest.mark.parametrize("text", re.split(r" ;; |\n", REFUSED))
def test_all_else_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        check_expression(text, {**NAMES, "__builtins__": __builtins__})


def test_what_is_no_short_text_is_refused() -> None:
    for value in (None, b"1", "1+" * 60_000 + "1"):
        with pytest.raises(Refused):
            check_expression(value, {})


def test_a_refusal_is_noted_with_its_entry() -> None:
    """And is a NameError for the official package, as any name that does not exist."""
    guard = Guard()

    def score(_handler: object, answer: str, entry: dict[str, str]) -> str:
        try:
            guard.eval(answer, dict(NAMES))
        except NameError:
            return "wrong"
        return "right"

    watched = guard.watch(score)
    assert watched(None, "os.system('true')", {"id": "multi_turn_base_3"}) == "wrong"
    assert watched(None, "1", entry={"id": "multi_turn_base_4"}) == "right"
    assert guard.refused == {"multi_turn_base": {"multi_turn_base_3"}}


def test_an_exception_within_an_entry_is_its_refusal(tmp_path: Path) -> None:
    """Its answer is wrong for the official scorer and noted; the entry that is scored is in a file."""
    entry_file, seen = tmp_path / "entry.txt", []
    guard = Guard(entry_file)

    def score(entry: dict[str, str]) -> str:
        seen.append(entry_file.read_text())
        return repr(int(entry["answer"], 16))  # raises ValueError for thousands of digits

    long = {"id": "simple_python_0", "answer": "1" * 5000}
    assert guard.watch(score)(long) == {"id": "simple_python_0", "valid": False}
    assert guard.watch(score)({"id": "simple_python_1", "answer": "1"}) == "1"
    assert guard.refused == {"simple_python": {"simple_python_0"}}
    assert seen == ["simple_python_0", "simple_python_1"]
    assert entry_file.read_text() == ""


def test_an_expression_too_deep_is_an_error_as_ever() -> None:
    for text in ("(" * 5000, "-" * 50_000 + "1", "+".join(["1"] * 30_000), "\x00"):
        with pytest.raises((SyntaxError, RecursionError, MemoryError, ValueError)):
            check_expression(text, NAMES)


def test_a_call_without_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the processor time of its entry, which is noted; afterwards no timer is left."""
    monkeypatch.setattr(guarded_scorer, "ENTRY_SECONDS", 0.05)
    guard = Guard()
    before = signal.signal(signal.SIGPROF, guard.expired)
    try:
        scored = guard.watch(lambda _entry: guard.eval("fs.spin()", NAMES))({"id": "multi_turn_base_0"})
        assert scored == {"id": "multi_turn_base_0", "valid": False}
        assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    finally:
        signal.signal(signal.SIGPROF, before)
    assert guard.refused == {"multi_turn_base": {"multi_turn_base_0"}}


FORBIDDEN = {
    "a program": "import subprocess; subprocess.run(['true'])",
    "a shell": "import os; os.system('true')",
    "a new process": "import os; os.fork()",
    "a process in place": "import os; os.execv('/bin/true', ['true'])",
    "a connection": "import socket; socket.create_connection(('127.0.0.1', 9))",
    "a name look-up": "import socket; socket.getaddrinfo('localhost', 80)",
    "a file elsewhere": "open(OTHER + '/new', 'w')",
    "a file elsewhere, by number": "import os; os.open(OTHER + '/new', os.O_CREAT | os.O_WRONLY)",
    "a link out of the folder": "open(SCORES + '/out/new', 'w')",
    "a folder elsewhere": "import os; os.mkdir(OTHER + '/new')",
    "a deletion": "import os; os.remove(OTHER + '/kept')",
    "a renaming": "import os; os.rename(OTHER + '/kept', SCORES + '/kept')",
    "a tree": "import shutil; shutil.rmtree(OTHER)",
    "native code": "import ctypes; ctypes.CDLL(None)",
    "a signal": "import os, signal; os.kill(os.getppid(), 0)",
}


SCORING = """
import os, json
os.mkdir(SCORES + '/new'); open(SCORES + '/new/a', 'w').write('1')
os.rename(SCORES + '/new/a', SCORES + '/new/b'); os.chmod(SCORES + '/new/b', 0o600)
assert open(SCORES + '/new/b').read() == '1'; open(OTHER + '/kept').read()
"""

PROGRAM = f"""
import json, os, pathlib, runpy, sys
SCORES, OTHER, codes = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
module = runpy.run_path({guarded_scorer.__file__!r}, run_name='guarded')
for code in codes:
    if (child := os.fork()) == 0:
        module['forbid'](pathlib.Path(SCORES))
        exec(code)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
"""Runs each code in a process of its own, after the audit hook was set."""


def test_whatever_does_more_than_score_ends_the_process(tmp_path: Path) -> None:
    """The second barrier, should an answer pass the first one; what the official scorer does goes on."""
    scores, other = tmp_path / "scores", tmp_path / "other"
    for folder in (scores, other):
        folder.mkdir()
    (scores / "out").symlink_to(other)
    (other / "kept").touch()
    codes = {**FORBIDDEN, "scoring": SCORING}
    command = [sys.executable, "-c", PROGRAM, str(scores), str(other), json.dumps([*codes.values()])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    statuses = dict(zip(codes, map(int, done.stdout.split()), strict=True))
    assert statuses == {**dict.fromkeys(FORBIDDEN, REFUSED_STATUS), "scoring": 0}, done.stderr
    assert done.stderr.count("refused:") == len(FORBIDDEN)
    assert [path.name for path in other.iterdir()] == ["kept"]
