"""The time of every regular expression of the package grows linearly with the text.

Patterns are found by walking the package, so a new one needs no entry here. The texts are members of the
pattern in which one part is repeated, with an end that lets the match fail late.
"""

from __future__ import annotations

import ast
import dataclasses
import gc
import importlib
import math
import pkgutil
import random
import re
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import bfcl_pipeline

ROOT = Path(bfcl_pipeline.__file__).parent

NOT_IMPORTED = {
    "bfcl_pipeline.cli.__main__": "runs the command",
    "bfcl_pipeline.environments.openenv_server": "needs openenv-core, and has no pattern",
    "bfcl_pipeline.environments.verifiers_tasks": "needs verifiers, and has no pattern",
}
"""Modules that are not imported here, each with the reason."""

BOUNDED = {
    "bfcl_pipeline.judge.scoring.java_values._ADD": "collections beyond java_values.MAX_TEXT stay text",
    "bfcl_pipeline.judge.scoring.java_values._ARRAY": "the same",
    "bfcl_pipeline.judge.scoring.javascript_values._PAIR": "the same",
    "bfcl_pipeline.judge.scoring.javascript_values._ROW": "the same",
}
"""Patterns that are not linear but see some thousand characters, each with what bounds them."""

SIZE, FACTOR = 2_500, 4
MOST = 6.0  # times as long, for a text FACTOR times as long
FLOOR = 0.001  # seconds for SIZE characters that a quadratic pattern, of 3,000,000 steps, takes at least
MEASURABLE = 0.02  # seconds that the clocks of all systems measure well; some count milliseconds
TRIES = 4
LONGEST = 2.0  # seconds of one use of a pattern
MEMBERS = 12  # members of each pattern of which texts are made
METHODS = ("match", "search", "fullmatch", "sub", "subn", "finditer", "findall", "split")
CHARACTERS = "aA0_é \n\t<>[](){}\"'`-.,:=/\\|*!?@#&;+%"

Regex = re.Pattern[str] | re.Pattern[bytes]


@cache
def sources() -> Mapping[str, str]:
    """The text of each module of the package, by its name."""
    paths = {path: path.relative_to(ROOT.parent).with_suffix("") for path in sorted(ROOT.rglob("*.py"))}
    return {
        ".".join(name.parts).removesuffix(".__init__"): path.read_text(encoding="utf-8")
        for path, name in paths.items()
    }


def regexes_in(value: Any, levels: int = 3) -> Iterator[Regex]:
    """The patterns in `value`, also in collections and dataclasses."""
    if isinstance(value, re.Pattern):
        yield value
    elif not levels or isinstance(value, type):
        return
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from regexes_in(getattr(value, field.name, None), levels - 1)
    elif isinstance(value, (Mapping, list, tuple, set, frozenset)):
        for item in [*value, *value.values()] if isinstance(value, Mapping) else value:
            yield from regexes_in(item, levels - 1)


def written_in_functions(module: str) -> Iterator[tuple[str, Regex, frozenset[str]]]:
    """The patterns that a module gives to functions of `re` as text."""
    source = sources()[module]
    for node in ast.walk(ast.parse(source)) if re.search(rf"\bre\.({'|'.join(METHODS)})\(", source) else ():
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method),
                args=[ast.Constant(value=str() | bytes() as pattern), *_],
            ) if method in METHODS:
                yield f"{module}:{node.lineno}", re.compile(pattern), frozenset({method})


def patterns() -> Iterable[tuple[str, Regex, frozenset[str]]]:
    """Each pattern of the package once: where it is, itself, and the methods with which it is used."""
    found: dict[tuple[Any, int], tuple[str, Regex, frozenset[str]]] = {}
    everything = "\n".join(sources().values())
    for module in pkgutil.walk_packages([str(ROOT)], "bfcl_pipeline."):
        if module.name in NOT_IMPORTED:
            continue
        names = vars(importlib.import_module(module.name))
        named = [
            (f"{module.name}.{name}", regex, name) for name in names for regex in regexes_in(names[name])
        ]
        for where, regex, name in named:
            if (regex.pattern, regex.flags) in found:
                continue
            source = sources()[module.name] if name.startswith("_") else everything
            used = frozenset(re.findall(rf"\b{name}\.({'|'.join(METHODS)})\b", source) or ["search"])
            found[regex.pattern, regex.flags] = (where, regex, used)
        for where, regex, used in written_in_functions(module.name):
            found.setdefault((regex.pattern, regex.flags), (where, regex, used))
    return found.values()


class Texts:
    """Texts for one pattern."""

    def __init__(self, regex: Regex) -> None:
        pattern = regex.pattern if isinstance(regex.pattern, str) else regex.pattern.decode("latin-1")
        self._flags = regex.flags if isinstance(regex.pattern, str) else regex.flags | re.ASCII
        self._random = random.Random(ascii(pattern))
        self._tree = _parser.parse(pattern, self._flags)

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        """What precedes the part that is repeated, that part, and the end."""
        members = [self._member(self._tree) for _ in range(MEMBERS)]
        characters = sorted({*"".join(members), *" \na1"})
        for member in members:
            start = self._random.randrange(len(member) + 1)
            for part in (*self._random.sample(characters, 2), "".join(self._random.sample(characters, 2))):
                yield member[:start], part, "\x01"
            yield "", member[:-1] or " ", "\x01"
            for first in (0, start):
                stop = first + self._random.randint(1, 8)
                for end in ("\x01", f"{member[stop:]}\x01"):
                    yield member[:first], member[first:stop] or " ", end
        for character in characters:
            yield "", character, "\x01"

    def _member(self, nodes: Any) -> str:
        """A text that the nodes match, apart from what assertions say."""
        return "".join(self._part(str(kind), value) for kind, value in nodes)

    def _part(self, kind: str, value: Any) -> str:
        match kind:
            case "LITERAL":
                return chr(value)
            case "NOT_LITERAL" | "IN" | "ANY":
                return self._random.choice(self._matched(kind, value))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, body = value
                times = least + self._random.randint(0, min(int(most) - least, 3))
                return "".join(self._member(body) for _ in range(times))
            case "SUBPATTERN":
                return self._member(value[-1])
            case "ATOMIC_GROUP":
                return self._member(value)
            case "BRANCH":
                return self._member(self._random.choice(value[1]))
        return ""

    def _matched(self, kind: str, value: Any) -> list[str]:
        """Characters that a class of characters matches."""
        within = [] if kind != "IN" else [at for _, at in value if isinstance(at, (int, tuple))]
        pool = [*CHARACTERS, *(chr(at if isinstance(at, int) else at[0]) for at in within)]
        node = _parser.SubPattern(self._tree.state, [(getattr(_parser, kind), value)])
        regex = _compiler.compile(node, self._flags & ~re.DEBUG)
        return [character for character in pool if regex.fullmatch(character)] or ["a"]


def seconds(regex: Regex, method: str, text: tuple[str, str, str], size: int) -> float:
    """Processor time of a use of the pattern on some `size` characters; infinite above LONGEST."""
    before, part, end = text
    made: Any = before + part * (size // len(part)) + end
    if isinstance(regex.pattern, bytes):
        made = made.encode("latin-1", "replace")
    call: Callable[..., Any] = getattr(regex, method)
    arguments = (regex.pattern[:0], made) if method in ("sub", "subn") else (made,)
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        result = call(*arguments)
        if method == "finditer":
            deque(result, maxlen=0)
    except TimeoutError:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return time.process_time() - start


def grows(regex: Regex, method: str, text: tuple[str, str, str]) -> float:
    """How many times as long a text FACTOR times as long takes: 0 if it takes too little to say."""
    early = SIZE // FACTOR**2
    size = early if (small := seconds(regex, method, text, early)) >= FLOOR else SIZE
    factor = math.inf
    for _ in range(TRIES if small < LONGEST else 0):
        if (small := seconds(regex, method, text, size)) < FLOOR:
            return 0.0
        large = seconds(regex, method, text, FACTOR * size)
        if large == math.inf:
            return large
        factor = large / small
        if factor < MOST:
            break
        if small < MEASURABLE:
            size *= FACTOR
    return factor


@pytest.fixture(autouse=True)
def _measured_alone() -> Iterator[None]:
    """Ends a use that takes LONGEST, and keeps the collection of garbage out of what is measured."""

    def end(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, end)
    gc.disable()
    yield
    gc.enable()
    signal.signal(signal.SIGPROF, before)


def first_slow(regex: Regex, methods: Iterable[str]) -> str | None:
    """A use of the pattern that grows faster than MOST."""
    uses = ((text, method) for text in Texts(regex) for method in sorted(methods))
    growths = ((text, method, grows(regex, method, text)) for text, method in uses)
    return next((f"{method}: {by:.0f} times, {text}" for text, method, by in growths if by >= MOST), None)


def test_patterns_are_linear() -> None:
    """No pattern of the package takes more than MOST times as long for a text FACTOR times as long."""
    found = patterns()
    assert BOUNDED.keys() <= {where for where, _, _ in found}
    slow = {where: first_slow(regex, used) for where, regex, used in found if where not in BOUNDED}
    assert {where: use for where, use in slow.items() if use} == {}


GROUPS = {"bfcl_pipeline.runs.journal.lines._TEXT", "bfcl_pipeline.world.web.cache._LINE"}
"""Patterns with a group that is repeated without backtracking, each tried with Python 3.11.2."""


def _repeated_groups(node: Any) -> Iterator[Any]:
    if isinstance(node, (_parser.SubPattern, list, tuple)):
        for part in node:
            yield from _repeated_groups(part)
    if isinstance(node, tuple) and str(node[0]) == "POSSESSIVE_REPEAT":
        (_, _, body) = node[1]
        if len(body) > 1 or str(body[0][0]) in {"BRANCH", "SUBPATTERN"}:
            yield body


def test_patterns_match_the_same_before_python_3_11_5() -> None:
    """Python 3.11.0 to 3.11.4 match some groups with a possessive quantifier otherwise (CPython 106052)."""
    found = [
        where
        for where, regex, _ in patterns()
        if [*_repeated_groups(_parser.parse(regex.pattern, regex.flags))]
    ]
    assert set(found) == GROUPS


@pytest.mark.parametrize("pattern", [r"\S*\d\S*", r"(?:a|a)*b", r"x\s*,?\s*y"])
def test_growth_is_found(pattern: str) -> None:
    """A pattern whose repeated parts match the same characters is found."""
    assert first_slow(re.compile(pattern), ["search"]) is not None
