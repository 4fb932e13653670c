"""Counts how many small faults in the package its quick tests find, in two versions of the checkout.

    python -m benchmarks.mutants OTHER [--count 200] [--seed 1] [--seconds 300]

OTHER is a checkout of another commit, with its staged data. The faults are drawn from functions that both
versions have, word for word, so that both test suites face the same ones: a comparison reversed, a number
one larger, a condition negated, a sum as a difference, a result left out. Each fault is written into a
copy of a checkout, where the quick tests of the room of its module run until the first failure, those
that name the module first. Prints a line for each fault that only one of the suites finds, and both
rates.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "bfcl_pipeline"
SLOW = "workflow or kills or fuzz or install or peer or vllm or slurm or browser or containers"

REVERSED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, order=True)
class Place:
    """A function of one checkout."""

    module: str  # path in the checkout
    number: int  # of the function among those of the module


def functions(tree: ast.Module) -> Iterator[Function]:
    """The functions of a module, in the order of the syntax tree."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def faults(function: Function) -> list[ast.AST]:
    """The nodes of a function that can be changed, without those of types and defaults."""
    return [node for part in function.body for node in ast.walk(part) if can_change(node)]


def can_change(node: ast.AST) -> bool:
    """Whether `change` knows the node."""
    match node:
        case ast.Compare(ops=[operator]) | ast.BoolOp(op=operator) | ast.BinOp(op=operator):
            return type(operator) in REVERSED
        case ast.Constant(value=bool() | int()) | ast.Return(value=ast.expr()) | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.If() | ast.IfExp():
            return True
    return False


def change(node: ast.AST) -> str:
    """Changes the node in place; what was done, for a person."""
    match node:
        case ast.Compare(ops=[operator]):
            node.ops = [REVERSED[type(operator)]()]  # type: ignore[list-item]
            return f"{type(operator).__name__} -> {type(node.ops[0]).__name__}"
        case ast.BoolOp(op=operator) | ast.BinOp(op=operator):
            node.op = REVERSED[type(operator)]()  # type: ignore[assignment]
            return f"{type(operator).__name__} -> {type(node.op).__name__}"
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.Return():
            node.value = ast.Constant(None)
            return "returns None"
        case ast.UnaryOp(operand=operand):
            node.operand = ast.UnaryOp(ast.Not(), operand)
            return "not removed"
        case ast.If(test=test) | ast.IfExp(test=test):
            node.test = ast.UnaryOp(ast.Not(), test)
            return "condition negated"
    return f"constant -> {node.value!r}"  # type: ignore[attr-defined]


def read_functions(checkout: Path) -> dict[str, Place]:
    """The place of each function, by its text; functions that occur more than once are left out."""
    found: dict[str, list[Place]] = {}
    for path in sorted((checkout / PACKAGE).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for number, function in enumerate(functions(tree)):
            place = Place(path.relative_to(checkout).as_posix(), number)
            found.setdefault(ast.dump(function), []).append(place)
    return {text: places[0] for text, places in found.items() if len(places) == 1}


class Suite:
    """A copy of a checkout whose quick tests are run on faults, one after the other."""

    def __init__(self, checkout: Path, folder: Path, seconds: float) -> None:
        listed = [
            "git",
            "-C",
            str(checkout),
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]
        for name in subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split("\0"):
            if (checkout / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(checkout / name, folder / name)
        for name in ("release", "entries", "encoder"):
            (folder / "data" / name).symlink_to((checkout / "data" / name).resolve())
        self.folder = folder
        self.seconds = seconds
        self.functions = read_functions(folder)
        self._pass_without: dict[tuple[str, ...], bool] = {}  # by tests

    def finds(self, place: Place, fault: int) -> tuple[bool, str]:
        """Whether a test fails, or does not end, with the fault; and what the fault is.

        Raises RuntimeError if the tests fail without a fault.
        """
        tests = self._tests(place.module)
        if tests not in self._pass_without:
            self._pass_without[tests] = not self._fails(tests)
        if not self._pass_without[tests]:
            raise RuntimeError(f"tests fail without a fault: {' '.join(tests)} in {self.folder}")
        path = self.folder / place.module
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        node = faults(list(functions(tree))[place.number])[fault]
        line = getattr(node, "lineno", 0)
        done = change(node)
        try:
            self._write(path, ast.unparse(ast.fix_missing_locations(tree)))
            return self._fails(tests), f"{place.module}:{line} {done}"
        finally:
            self._write(path, text)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink()

    def _fails(self, tests: Sequence[str]) -> bool:
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", f"not ({SLOW})", *tests]
        try:
            status = subprocess.run(
                command,
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=self.seconds,
            ).returncode
        except subprocess.TimeoutExpired:
            return True
        return status not in (0, 5)

    def _tests(self, module: str) -> tuple[str, ...]:
        """The tests that name the module, then those of its room."""
        name = module.removesuffix(".py").replace("/", ".")
        naming = [
            path.relative_to(self.folder).as_posix()
            for path in sorted((self.folder / "tests").rglob("test_*.py"))
            if name in path.read_text(encoding="utf-8")
        ]
        room = Path("tests", *Path(module).parts[1:-1])
        while not (self.folder / room).is_dir():
            room = room.parent
        return (*naming, room.as_posix())


def main() -> None:
    """Draws the faults, runs both suites, and prints what they find."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, help="a checkout of another commit, with its data")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300, help="after which tests count as failing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(__file__).resolve().parents[1]
        suites = [
            Suite(checkout.resolve(), Path(scratch, name), options.seconds)
            for name, checkout in (("other", options.other), ("this", here))
        ]
        common = sorted(suites[0].functions.keys() & suites[1].functions.keys())
        places = [
            (text, fault)
            for text in common
            for fault in range(len(faults(next(functions(parsed(suites[0], text))))))
        ]
        drawn = random.Random(options.seed).sample(places, min(options.count, len(places)))
        found = [0, 0]
        for number, (text, fault) in enumerate(drawn, start=1):
            outcomes = [suite.finds(suite.functions[text], fault) for suite in suites]
            found = [count + outcome for count, (outcome, _) in zip(found, outcomes, strict=True)]
            if outcomes[0][0] != outcomes[1][0]:
                print(f"only {'other' if outcomes[0][0] else 'this'}: {outcomes[1][1]}", flush=True)
            print(f"{number} of {len(drawn)}: other {found[0]}, this {found[1]}", file=sys.stderr)
        print(f"found of {len(drawn)} faults: other {found[0]}, this {found[1]}")


def parsed(suite: Suite, text: str) -> ast.Module:
    """A module of nothing but the function of that text."""
    place = suite.functions[text]
    tree = ast.parse((suite.folder / place.module).read_text(encoding="utf-8"))
    return ast.Module([list(functions(tree))[place.number]], [])


if __name__ == "__main__":
    main()
