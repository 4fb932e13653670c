"""Counts how many small faults in the package its quick tests find, in two versions of the checkout.

    python -m benchmarks.mutants OTHER [--room dialogue] [--count 200] [--seed 1] [--seconds 300]

OTHER is a checkout of another commit, with its staged data. The faults are drawn from functions that both
versions have, word for word, so that both test suites face the same ones: a comparison reversed, a number
one larger, a condition negated, a sum as a difference, a result left out. Each fault is written into a
copy of a checkout, where the files of quick tests that enter its function, at most 12, run until the first
failure, those that name its module first. Prints a line for each fault that only one of the suites finds,
and both rates; both suites run side by side. `--room`: faults in some folders of the package alone, and
the tests that mirror them, which takes minutes.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "bfcl_pipeline"
MOST_FILES = 12
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


_ENTERED = """
import os
seen = set()
def entered(number):
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
    if (number, test) not in seen:
        seen.add((number, test))
        with open({log!r}, "a") as log:
            log.write(f"{{number}} {{test}}\\n")
"""


class Suite:
    """A copy of a checkout whose quick tests are run on faults, one after the other."""

    def __init__(self, checkout: Path, folder: Path, rooms: Sequence[str], seconds: float) -> None:
        which = ["--cached", "--others", "--exclude-standard"]
        listed = ["git", "-C", str(checkout), "ls-files", "-z", *which]
        for name in subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split("\0"):
            if (checkout / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(checkout / name, folder / name)
        for name in ("release", "entries", "encoder"):
            (folder / "data" / name).symlink_to((checkout / "data" / name).resolve())
        self.folder = folder
        self.rooms = rooms
        self.seconds = seconds
        self.functions = {
            text: place
            for text, place in read_functions(folder).items()
            if any(Path(place.module).is_relative_to(Path(PACKAGE, room)) for room in rooms)
        }
        self._files: dict[Place, list[str]] = {}  # of tests, by the function that they enter

    def find_tests(self, places: Sequence[Place]) -> None:
        """Runs all quick tests once, and notes which files of tests enter each function, also in a process.

        Files whose tests fail without a fault are left out. Raises RuntimeError if tests do not run at all.
        """
        log = self.folder.parent / f"{self.folder.name}.entered"
        log.touch()
        noting = self.folder / PACKAGE / "entered.py"
        noting.write_text(_ENTERED.format(log=str(log)), encoding="utf-8")
        texts = {
            path: path.read_text(encoding="utf-8") for path in {self.folder / one.module for one in places}
        }
        for path, text in texts.items():
            tree = ast.parse(text)
            own = list(functions(tree))
            for number, place in enumerate(places):
                if self.folder / place.module == path:
                    body = own[place.number].body
                    call = f"__import__('{PACKAGE}.entered', fromlist=['_']).entered({number})"
                    body.insert(isinstance(body[0], ast.Expr) and len(body) > 1, ast.parse(call).body[0])
            self._write(path, ast.unparse(ast.fix_missing_locations(tree)))
        rooms = [f"tests/{room}" for room in self.rooms]
        done = self._run(["-n", "2", "--dist", "worksteal", "-rfE", *rooms], None)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"the tests of {' '.join(rooms)} do not run in {self.folder}: {done.stdout}")
        for path, text in texts.items():
            self._write(path, text)
        noting.unlink()
        failed = set(re.findall(r"^(?:FAILED|ERROR) ([^:\s]+)", done.stdout, re.MULTILINE))
        failed = {name for name in failed if self._run([name], self.seconds).returncode}
        entered = {tuple(line.split(" ", 1)) for line in log.read_text(encoding="utf-8").splitlines()}
        for number, place in enumerate(places):
            room = Path("tests", *Path(place.module).parts[1:-1]).as_posix()
            name = place.module.removesuffix(".py").replace("/", ".")
            files = [file for one, file in entered if one == str(number) and file and file not in failed]
            self._files[place] = sorted(
                files,
                key=lambda file: (
                    name not in (self.folder / file).read_text(encoding="utf-8"),
                    not file.startswith(f"{room}/"),
                    file,
                ),
            )[:MOST_FILES]

    def finds(self, place: Place, fault: int) -> tuple[bool, str]:
        """Whether a test fails, or does not end, with the fault; and what the fault is."""
        path = self.folder / place.module
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        node = faults(list(functions(tree))[place.number])[fault]
        line = getattr(node, "lineno", 0)
        done = f"{place.module}:{line} {change(node)}"
        if not (tests := self._files[place]):
            return False, done
        try:
            self._write(path, ast.unparse(ast.fix_missing_locations(tree)))
            return self._run(["-x", *tests], self.seconds).returncode not in (0, 5), done
        except subprocess.TimeoutExpired:
            return True, done
        finally:
            self._write(path, text)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink()

    def _run(self, words: Sequence[str], seconds: float | None) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-m", f"not ({SLOW})", *words],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )


def main() -> None:
    """Draws the faults, runs both suites, and prints what they find."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", type=Path, help="a checkout of another commit, with its data")
    parser.add_argument("--room", nargs="+", default=[""], help="folders of the package: judge/scoring")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300, help="after which tests count as failing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(__file__).resolve().parents[1]
        suites = [
            Suite(checkout.resolve(), Path(scratch, name), options.room, options.seconds)
            for name, checkout in (("other", options.other), ("this", here))
        ]
        common = sorted(suites[0].functions.keys() & suites[1].functions.keys())
        places = [
            (text, fault)
            for text in common
            for fault in range(len(faults(next(functions(parsed(suites[0], text))))))
        ]
        drawn = random.Random(options.seed).sample(places, min(options.count, len(places)))
        for suite in suites:
            suite.find_tests([suite.functions[text] for text in dict.fromkeys(text for text, _ in drawn)])
        found = [0, 0]
        for number, (text, fault) in enumerate(drawn, start=1):
            with ThreadPoolExecutor() as pool:
                outcomes = list(pool.map(lambda one: one.finds(one.functions[text], fault), suites))  # noqa: B023
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
