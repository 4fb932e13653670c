"""Digests of the official answers, in `answers/`: the official side computes only what is not recorded.

The official answers depend on nothing but the installed packages, the reference and the questions. A line
of `answers/<seam>.txt` has a digest of these for a block of questions, one of the official answers, and the
places of the answers that differed from ours when they were recorded (exceptions that a test argues for).
Where our answers to the other questions of a block have the recorded digest, they are the official ones.
Everything else is asked of the official package: blocks of which an answer of ours has changed, blocks that
are not recorded, and, always, the questions at those places.

    BFCL_PEER_RECORD=1      asks everything, and writes the digests anew: after a change of the questions,
                            of a reference, or of an installed package
    BFCL_PEER_RECOMPUTE=1   asks everything, and compares the recorded digests too
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from bfcl_pipeline.base.files import atomic_path
from tests.peer.peer import PROCESSES, PYTHON, ask_peer, peer_environment
from tests.support import ROOT

RECORD = "BFCL_PEER_RECORD"
RECOMPUTE = "BFCL_PEER_RECOMPUTE"
ANSWERS = Path(__file__).resolve().parent / "answers"
BLOCK = 100
"""How many questions have one digest."""

Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is known of the official answers to a block of questions."""

    answers: str  # digest of all of them but those at `live`
    live: frozenset[int] = frozenset()  # places of answers that differed from ours, and are asked for

    @classmethod
    def of(cls, official: Sequence[Row], ours: Sequence[Row]) -> Recorded:
        """The record of a block with these answers."""
        pairs = enumerate(zip(official, ours, strict=True))
        live = frozenset(place for place, (theirs, own) in pairs if digest(theirs) != digest(own))
        return cls(_digest_but(official, live), live)

    def has(self, answers: Sequence[Row]) -> bool:
        """Whether the answers are the official ones, but for those that are asked for."""
        return _digest_but(answers, self.live) == self.answers


def _digest_but(answers: Sequence[Row], live: frozenset[int]) -> str:
    return digest([answer for place, answer in enumerate(answers) if place not in live])


def digest(value: Any) -> str:
    """A digest of a JSON value."""
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def folder_digest(folder: Path) -> str:
    """A digest of the files of a folder; in a question it replaces the path of the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    texts = [(path.relative_to(folder).as_posix(), path.read_bytes()) for path in files]
    return digest([(name, sha256(content).hexdigest()) for name, content in texts])


def _same(answer: Row) -> Row:
    return answer


@dataclass(frozen=True)
class Seam:
    """The questions of one test to a reference, whose answers are recorded under a name."""

    name: str
    script: str  # the reference, a module of this folder
    form: Callable[[Row], Row] = _same  # of an answer of either side, in which equal ones are the same
    names: Mapping[str, str] = field(default_factory=dict)  # of paths in questions, which differ by machine
    block: int = BLOCK
    folder: Path = ANSWERS

    def answers(self, rows: Sequence[Row], ours: Sequence[Row], scratch: Path) -> list[Row]:
        """The official answers to `rows`; where ours have the recorded digest, ours.

        scratch: a new folder for the files of the reference.
        """
        assert len(rows) == len(ours)
        answers: list[Row] = json.loads(json.dumps(ours))
        asked = list(self._to_ask(rows, answers))
        processes = PROCESSES if len(asked) > self.block else 1
        found = ask_peer(self.script, [rows[place] for place in asked], scratch, processes)
        official = dict(zip(asked, found, strict=True))
        if os.environ.get(RECORD) == "1":
            self._record(rows, [official[place] for place in range(len(rows))], answers)
        elif os.environ.get(RECOMPUTE) == "1":
            self._check(rows, official)
        print(f"{self.name}: {len(asked):,} of {len(rows):,} answers computed by the official package")
        return [official.get(place, answer) for place, answer in enumerate(answers)]

    def _to_ask(self, rows: Sequence[Row], ours: Sequence[Row]) -> Iterator[int]:
        """The places of the questions that the official side has to answer."""
        known = {} if {os.environ.get(RECORD), os.environ.get(RECOMPUTE)} & {"1"} else self._read()
        for block, questions in self._blocks(rows):
            recorded = known.get(questions)
            if recorded is None or not recorded.has([self.form(ours[place]) for place in block]):
                yield from block
            else:
                yield from (block[place] for place in sorted(recorded.live))

    def _blocks(self, rows: Sequence[Row]) -> Iterator[tuple[range, str]]:
        """Each block, and a digest of all on which its answers depend."""
        given = {"reference": reference_digest(self.script), "packages": packages()}
        for start in range(0, len(rows), self.block):
            block = range(start, min(start + self.block, len(rows)))
            text = json.dumps([given, *rows[block.start : block.stop]])
            for path, name in self.names.items():
                text = text.replace(json.dumps(path)[1:-1], name)
            yield block, sha256(text.encode()).hexdigest()[:16]

    @property
    def _file(self) -> Path:
        return self.folder / f"{self.name}.txt"

    def _read(self) -> dict[str, Recorded]:
        """The records by digest of the questions; a line that is damaged is none."""
        text = self._file.read_text(encoding="ascii", errors="replace") if self._file.exists() else ""
        lines = re.findall(r"^([0-9a-f]{16}) ([0-9a-f]{32})((?: \d+)*)$", text, re.MULTILINE)
        return {
            questions: Recorded(answers, frozenset(map(int, live.split())))
            for questions, answers, live in lines
        }

    def _record(self, rows: Sequence[Row], official: Sequence[Row], ours: Sequence[Row]) -> None:
        lines = []
        for block, questions in self._blocks(rows):
            sides = ([self.form(side[place]) for place in block] for side in (official, ours))
            recorded = Recorded.of(*sides)
            lines.append(" ".join([questions, recorded.answers, *map(str, sorted(recorded.live))]) + "\n")
        with atomic_path(self._file) as out:
            out.write_text("".join(lines), encoding="ascii")

    def _check(self, rows: Sequence[Row], official: Mapping[int, Row]) -> None:
        known = self._read()
        for block, questions in self._blocks(rows):
            recorded = known.get(questions)
            assert recorded is None or recorded.has([self.form(official[place]) for place in block]), (
                f"{self.name}, questions {block}: the official answers are not those that were recorded; "
                f"their reference depends on more than its questions, or record them anew with {RECORD}=1"
            )


@cache
def packages() -> str:
    """A digest of the Python of the official side, its variables, and every package installed there."""
    (site,) = (PYTHON.parent.parent / "lib").glob("python3.*/site-packages")
    record = next(site.glob("bfcl_eval-*.dist-info")) / "RECORD"
    installed = sorted(path.name.partition("+")[0] for path in site.glob("*.dist-info"))
    installed = [name for name in installed if not name.startswith(("pip-", "setuptools-", "wheel-"))]
    variables = {name: value for name, value in peer_environment(Path()).items() if name != "PATH"}
    variables["PYTHONPATH"] = ""
    lines = record.read_text(encoding="utf-8").splitlines()
    files = sorted(line for line in lines if line.startswith("bfcl_eval/") and ".pyc," not in line)
    return digest([site.parent.name, installed, files, variables])


@cache
def reference_digest(script: str) -> str:
    """A digest of the text of a reference and of every module of the tests that it imports."""
    found: dict[str, str] = {}
    waiting = [f"tests.peer.{script}"]
    while waiting:
        path = ROOT / f"{waiting.pop().replace('.', '/')}.py"
        name = path.relative_to(ROOT).as_posix()
        if path.exists() and name not in found:
            found[name] = path.read_text(encoding="utf-8")
            waiting += imported(found[name])
    return digest(found)


def imported(source: str) -> Iterator[str]:
    """The names that a module imports from the tests, each perhaps a module."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module=str(module)) if module.startswith("tests"):
                yield module
                yield from (f"{module}.{name.name}" for name in node.names)
            case ast.Import():
                yield from (name.name for name in node.names if name.name.startswith("tests"))
