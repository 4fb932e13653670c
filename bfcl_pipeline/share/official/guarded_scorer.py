"""Scores result folders with the official package: a script for the environment of that package.

Usage: python guarded_scorer.py RESULTS SCORES REFUSED ENTRY. RESULTS has the folder of one model, SCORES is
a new directory for the official score files. In it are written: REFUSED, `{category: [entry id, ...]}` of
entries in whose answers something was refused, or which the official package cannot judge; and ENTRY, the
id of the entry that is being scored, if the process dies. The pipeline never imports this module.

The official package evaluates parts of answers as Python code: arithmetic in arguments, calls of the
simulated APIs, and answers in the forms of some models. Here its `eval` accepts literals, arithmetic on
numbers and calls of the simulated APIs' own methods only; everything else is refused before it runs, and
the entry is reported. So is an entry that takes too long, as a call with a huge number does. As a second
barrier, an audit hook ends the process if anything starts a program, opens a connection, loads native code,
or changes a file outside SCORES.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

PACKAGE = "bfcl_eval"
APIS = "bfcl_eval.eval_checker.multi_turn_eval.func_source_code"
"""The modules whose classes are the simulated APIs."""

MOST_CHARACTERS = 100_000
"""Of an expression; longer ones are refused."""

ENTRY_SECONDS = 30.0
"""The processor time of one entry: usually milliseconds. A call that takes longer is ended, unless it is a
single long step of a library in C; the limits of the process end that."""

REFUSED_STATUS = 86
"""The exit status if the audit hook ended the process."""

_ENTRY_FUNCTIONS = (
    "_evaluate_single_agentic_entry",
    "_evaluate_single_ast_entry",
    "_evaluate_single_multi_turn_entry",
    "_evaluate_single_relevance_entry",
)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_FORBIDDEN = (
    "ctypes.",
    "os.chown",
    "os.exec",
    "os.fork",
    "os.kill",
    "os.link",
    "os.posix_spawn",
    "os.spawn",
    "os.symlink",
    "os.system",
    "os.truncate",
    "pty.spawn",
    "shutil.",
    "socket.",
    "sqlite3.",
    "subprocess.Popen",
    "urllib.Request",
)
"""Beginnings of the names of audit events that end the process."""

_NOT_SCORED = ("memory_", "web_search")
"""Simulated APIs whose calls no score depends on; one of them loads an encoder from the network."""

_OF_PATHS = ("os.chmod", "os.mkdir", "os.remove", "os.rename", "os.rmdir")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(Exception):
    """An expression that is not evaluated."""


def check_expression(text: object, names: Mapping[str, Any]) -> ast.Expression:
    """The expression `text`, if evaluating it can do no harm.

    Args:
        text: what the official package would evaluate.
        names: the global names of the module that would evaluate it.

    Raises:
        Refused: it has anything but literals, arithmetic on numbers, names that do not exist, and calls of
            methods of the simulated APIs.
        SyntaxError, ValueError, RecursionError, MemoryError: it is no expression, as of `eval`.
    """
    if not isinstance(text, str) or len(text) > MOST_CHARACTERS:
        raise Refused
    tree = ast.parse(text.lstrip(" \t"), mode="eval")
    _check(tree.body, names)
    return tree


def _check(node: ast.expr, names: Mapping[str, Any]) -> None:
    match node:
        case ast.Constant():
            return
        case ast.Name(id=name) if not _exists(name, names):
            return  # a NameError, as ever
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            parts = items
        case ast.Dict(keys=keys, values=values) if None not in keys:
            parts = [key for key in keys if key is not None] + values
        case ast.UnaryOp(op=ast.UAdd() | ast.USub() | ast.Not(), operand=operand):
            parts = [operand]
        case ast.BinOp() if _is_arithmetic(node):
            return
        case ast.Call(func=function, args=arguments, keywords=keywords):
            _check_function(function, names)
            if any(keyword.arg is None for keyword in keywords):
                raise Refused
            parts = [*arguments, *(keyword.value for keyword in keywords)]
        case _:
            raise Refused
    for part in parts:
        _check(part, names)


def _check_function(function: ast.expr, names: Mapping[str, Any]) -> None:
    match function:
        case ast.Name(id=name) if not _exists(name, names):
            return
        case ast.Attribute(value=ast.Name(id=name), attr=method) if not method.startswith("_"):
            if not _exists(name, names) or _is_api(names.get(name)):
                return
    raise Refused


def _is_arithmetic(node: ast.expr) -> bool:
    """Whether it is arithmetic on numbers, without powers, or texts that are joined."""
    match node:
        case ast.BinOp(op=operator, left=left, right=right) if isinstance(operator, _OPERATORS):
            return (_is_arithmetic(left) and _is_arithmetic(right)) or _is_joined(node)
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=operand):
            return _is_arithmetic(operand)
        case ast.Constant(value=value):
            return type(value) in (int, float)
    return False


def _is_joined(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _is_joined(left) and _is_joined(right)
        case ast.Constant(value=value):
            return type(value) is str
    return False


def _exists(name: str, names: Mapping[str, Any]) -> bool:
    return name in names or hasattr(builtins, name)


def _is_api(value: object) -> bool:
    return type(value).__module__.startswith(APIS)


class Guard:
    """Stands in the place of `eval` in the modules of the official package."""

    def __init__(self, entry_file: Path | None = None) -> None:
        """entry_file: has the id of the entry that is being scored, and is empty between entries."""
        self._file = entry_file
        self.entry: tuple[str, str] | None = None  # the category and id of the entry being scored
        self.refused: dict[str, set[str]] = {}  # entry ids by category

    def eval(
        self,
        text: object,
        globals_: dict[str, Any] | None = None,
        locals_: Mapping[str, Any] | None = None,
    ) -> object:
        """The value of `text`. Raises NameError, which the official package expects, if it is refused."""
        caller = sys._getframe(1)
        names = caller.f_globals if globals_ is None else globals_
        local = (caller.f_locals if globals_ is None else names) if locals_ is None else locals_
        try:
            tree = check_expression(text, {**names, **local})
        except Refused:
            self._note()
            raise NameError("refused: not evaluated") from None
        return builtins.eval(compile(tree, "<answer>", "eval"), names, local)  # noqa: S307  # checked above

    def _note(self) -> None:
        """Notes that something in the answers of the present entry was refused."""
        if self.entry is not None:
            self.refused.setdefault(self.entry[0], set()).add(self.entry[1])

    def expired(self, *_: object) -> NoReturn:
        """Ends a call after ENTRY_SECONDS: a handler of SIGPROF."""
        self._note()
        raise Refused("the processor time of an entry is used up")

    def watch(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function`, which scores one entry, with that entry noted and its time limited.

        An exception is a refusal of the entry, whose answer then is wrong: the others are judged.
        """

        @functools.wraps(function)
        def scored(*arguments: Any, **named: Any) -> Any:
            values = [*arguments, *named.values()]
            entry = next(value for value in values if isinstance(value, dict) and "id" in value)
            self._at(str(entry["id"]))
            signal.setitimer(signal.ITIMER_PROF, ENTRY_SECONDS, 1)
            try:
                return function(*arguments, **named)
            except Exception:  # noqa: BLE001  # whatever an answer makes the official package raise
                self._note()
                return {"id": entry["id"], "valid": False}
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                self._at("")

        return scored

    def _at(self, entry_id: str) -> None:
        self.entry = (entry_id.rpartition("_")[0], entry_id) if entry_id else None
        if self._file is not None:
            self._file.write_text(entry_id, encoding="utf-8")


def forbid(scores: Path) -> None:
    """From now on, ends the process before it does anything but compute, read, and write in `scores`."""
    folder = str(scores.resolve())

    def inside(path: object) -> bool:
        if not isinstance(path, str | bytes | os.PathLike):
            return isinstance(path, int)  # a file that is open already
        real = os.path.realpath(os.fsdecode(path))
        return real == folder or real.startswith(folder + os.sep)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            writes = bool(flags & _WRITING) if isinstance(flags, int) else "r" not in str(mode)
            if writes and not inside(path):
                _end(f"{event} {path!r}")
        elif event in _OF_PATHS:
            if not all(inside(path) for path in arguments if isinstance(path, str | bytes | os.PathLike)):
                _end(f"{event} {arguments!r}")
        elif event.startswith(_FORBIDDEN):
            _end(event)

    sys.addaudithook(hook)


def _end(what: str) -> NoReturn:
    os.write(2, f"\nrefused: {what[:300]}\n".encode(errors="replace"))
    os._exit(REFUSED_STATUS)


def main() -> None:
    """Scores what the arguments name."""
    results, scores, refused, entry_file = map(Path, sys.argv[1:])
    runner = importlib.import_module(f"{PACKAGE}.eval_checker.eval_runner")
    helper: Any = importlib.import_module(f"{PACKAGE}.eval_checker.eval_runner_helper")
    # The simulated APIs are imported when they are first used: before the hook.
    apis = Path(str(importlib.import_module(APIS).__path__[0]))
    for file in sorted(apis.glob("*.py")):
        if not file.stem.startswith(_NOT_SCORED):
            importlib.import_module(f"{APIS}.{file.stem}")
    # A category that is missing is loaded for its size, for each model anew: once is enough.
    helper.load_dataset_entry = functools.cache(helper.load_dataset_entry)
    guard = Guard(scores / entry_file.name)
    for name, module in list(sys.modules.items()):
        if name == PACKAGE or name.startswith(f"{PACKAGE}."):
            module.eval = guard.eval  # type: ignore[attr-defined]
    for name in _ENTRY_FUNCTIONS:
        setattr(runner, name, guard.watch(getattr(runner, name)))
    signal.signal(signal.SIGPROF, guard.expired)
    sys.dont_write_bytecode = True
    forbid(scores)
    runner.main(None, ["all"], results, scores, partial_eval=True)
    document = {category: sorted(ids) for category, ids in sorted(guard.refused.items())}
    (scores / refused.name).write_text(json.dumps(document), encoding="utf-8")


if __name__ == "__main__":
    main()
