"""Figures of the structure of the package: python -m benchmarks.structure [CHECKOUT]

Reads the source text only; the package is not imported. Prints one line per figure: lines and modules,
floors and the arrows among them, class names defined twice, imports inside functions, import cycles, upward
imports, long files, how far the options of `generate` travel, and which files have a config key.
benchmarks/entry_path.py counts the modules that one entry enters at run time.
`--svg docs/architecture.svg` draws the floors with their rooms. `--check` compares the lines of each floor
with `[tool.lines]` of pyproject.toml, and exits with 1 if one has more.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PACKAGE = "bfcl_pipeline"
LONGEST = 400
KEYS = ("sample", "search_tool")
"""The config keys for which the files that name them are counted."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One source file of the package."""

    name: str  # dotted, without the package: cli.generate
    lines: int
    tree: ast.Module

    def imports(self, modules: Mapping[str, Module]) -> dict[str, tuple[str, str]]:
        """By local name, the module and name that it was imported from, also inside functions."""
        found = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(PACKAGE):
                source = node.module.removeprefix(PACKAGE).removeprefix(".")
                for alias in node.names:
                    found[alias.asname or alias.name] = _defined(source, alias.name, modules)
        return found

    def function(self, name: str) -> Function | None:
        """A function of the module, or the `__init__` of a class of it."""
        for node in self.tree.body:
            if isinstance(node, Function) and node.name == name:
                return node
            if isinstance(node, ast.ClassDef) and node.name == name:
                return next(
                    (one for one in node.body if isinstance(one, Function) and one.name == "__init__"), None
                )
        return None

    def has_class(self, name: str) -> bool:
        """Whether a class of that name is defined here."""
        return any(isinstance(node, ast.ClassDef) and node.name == name for node in self.tree.body)


def read_package(checkout: Path) -> dict[str, Module]:
    """Every module of the package by its dotted name; a package's `__init__` has the package's name."""
    modules = {}
    for path in sorted((checkout / PACKAGE).rglob("*.py")):
        parts = path.relative_to(checkout / PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        modules[name] = Module(name, len(text.splitlines()), ast.parse(text))
    return modules


def _defined(source: str, name: str, modules: Mapping[str, Module]) -> tuple[str, str]:
    """Where a name that `source` exports is defined: re-exports of packages are followed."""
    for _ in range(4):
        module = modules.get(source)
        if module is None or module.has_class(name) or module.function(name) is not None:
            break
        origin = next(
            (
                node.module.removeprefix(PACKAGE).removeprefix(".")
                for node in module.tree.body
                if isinstance(node, ast.ImportFrom)
                and node.module
                and node.module.startswith(PACKAGE)
                and any(a.name == name for a in node.names)
            ),
            None,
        )
        if origin is None:
            break
        source = origin
    return source, name


def duplicate_classes(modules: Mapping[str, Module]) -> list[str]:
    """Class names that are defined more than once."""
    counts = Counter(
        node.name
        for module in modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    )
    return sorted(name for name, count in counts.items() if count > 1)


def function_imports(modules: Mapping[str, Module]) -> int:
    """Import statements inside functions."""
    return sum(
        isinstance(node, ast.Import | ast.ImportFrom)
        for module in modules.values()
        for function in ast.walk(module.tree)
        if isinstance(function, Function)
        for node in _own(function)
    )


def _own(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions inside it."""
    waiting: list[ast.AST] = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function):
            waiting.extend(ast.iter_child_nodes(node))


def floor_of(name: str) -> str:
    """The floor of a module: the first part of its name."""
    return name.partition(".")[0]


def lines_of_floors(modules: Mapping[str, Module]) -> dict[str, int]:
    """The lines of Python of each floor."""
    lines: Counter[str] = Counter()
    for name, module in modules.items():
        lines[floor_of(name)] += module.lines
    lines.pop("")  # the package itself
    return dict(lines)


def over_budget(checkout: Path) -> list[str]:
    """A sentence for each floor with more lines than it may have."""
    config = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    most: dict[str, int] = config["tool"]["lines"]
    return [
        f"{floor}: {lines:,} lines, {lines - most[floor]:,} more than [tool.lines] of pyproject.toml gives "
        "it: delete as many, or raise the number in the same commit and say why."
        for floor, lines in lines_of_floors(read_package(checkout)).items()
        if lines > most[floor]
    ]


def import_graph(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """The floors that each floor imports."""
    graph: dict[str, set[str]] = {floor_of(name): set() for name in modules if name}
    for name, module in modules.items():
        for source, _ in module.imports(modules).values():
            if name and source and floor_of(source) != floor_of(name):
                graph[floor_of(name)].add(floor_of(source))
    return graph


def cycles(graph: Mapping[str, set[str]]) -> int:
    """Floors that can be reached from themselves."""

    def reachable(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = list(graph[start])
        while waiting:
            room = waiting.pop()
            if room not in seen:
                seen.add(room)
                waiting.extend(graph.get(room, ()))
        return seen

    return sum(room in reachable(room) for room in graph)


def layers_of(checkout: Path) -> list[list[str]]:
    """The floors by the first contract of pyproject.toml, the highest first; `api` stands beside `cli`."""
    config = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    layers = config["tool"]["importlinter"]["contracts"][0]["layers"]
    return [[one.strip() for one in layer.split("|")] for layer in layers]


def heights(checkout: Path) -> dict[str, int]:
    """The height of each floor; the lowest is 1."""
    return {name: number for number, layer in enumerate(reversed(layers_of(checkout)), 1) for name in layer}


@dataclass
class Trip:
    """Where the value of one parameter is passed on to, until it is put into a record."""

    modules: Mapping[str, Module]
    stays: list[str] = field(default_factory=list)  # modules in order, repeated where it returns
    _seen: set[tuple[str, str, tuple[str, ...]]] = field(default_factory=set)

    def follow(self, module: str, function: str, parameters: Sequence[str]) -> None:
        """Enters a function with the value in `parameters`."""
        visit = (module, function, tuple(sorted(parameters)))
        node = self.modules[module].function(function)
        if node is None:
            return
        self._stay(module)
        if visit in self._seen:
            return
        self._seen.add(visit)
        names = set(parameters)
        imports = self.modules[module].imports(self.modules)
        for statement in node.body:
            self._walk(module, statement, names, imports)

    def _stay(self, module: str) -> None:
        if not self.stays or self.stays[-1] != module:
            self.stays.append(module)

    def _walk(
        self, module: str, node: ast.AST, names: set[str], imports: Mapping[str, tuple[str, str]]
    ) -> None:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call):
                self._call(module, inner, names, imports)
            if isinstance(inner, ast.Assign) and self._carries(module, inner.value, names, imports):
                names.update(
                    one.id
                    for target in inner.targets
                    for one in ast.walk(target)
                    if isinstance(one, ast.Name)
                )
            if isinstance(inner, ast.For | ast.comprehension) and _uses(inner.iter, names):
                names.update(one.id for one in ast.walk(inner.target) if isinstance(one, ast.Name))

    def _call(
        self, module: str, call: ast.Call, names: set[str], imports: Mapping[str, tuple[str, str]]
    ) -> None:
        target = self._callee(module, call, imports)
        if target is None:
            return
        source, name = target
        node = self.modules[source].function(name)
        if node is None:
            return
        parameters = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
        if parameters[:1] == ["self"]:
            parameters = parameters[1:]
        carried = [
            parameter
            for parameter, argument in zip(parameters, call.args, strict=False)
            if _uses(argument, names)
        ]
        carried += [word.arg for word in call.keywords if word.arg and _uses(word.value, names)]
        if carried:
            self.follow(source, name, carried)

    def _callee(
        self, module: str, call: ast.Call, imports: Mapping[str, tuple[str, str]]
    ) -> tuple[str, str] | None:
        function = call.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            function = function.value  # a class method: the class decides
        if not isinstance(function, ast.Name):
            return None
        source, name = imports.get(function.id, (module, function.id))
        return (source, name) if source in self.modules else None

    def _carries(
        self, module: str, value: ast.expr, names: set[str], imports: Mapping[str, tuple[str, str]]
    ) -> bool:
        """Whether the value of an assignment is still the options: a record made of them is not."""
        if isinstance(value, ast.Call):
            target = self._callee(module, value, imports)
            if target is not None and self._makes_record(*target):
                return False
        return _uses(value, names)

    def _makes_record(self, source: str, name: str) -> bool:
        module = self.modules[source]
        if module.has_class(name):
            return True
        node = module.function(name)
        returns = node.returns if node is not None else None
        text = ast.unparse(returns).strip("'\"") if returns is not None else ""
        return any(one.has_class(text) for one in self.modules.values())


def _uses(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(node))


def options_trip(modules: Mapping[str, Module], floor: Mapping[str, int]) -> tuple[int, int, int]:
    """Modules, climbs and returns on the way of the parsed options of `generate`."""
    trip = Trip(modules)
    trip.follow("cli.generate", "run", ["args"])
    steps = list(zip(trip.stays, trip.stays[1:], strict=False))
    climbs = sum(floor[floor_of(after)] > floor[floor_of(before)] for before, after in steps)
    returns = len(trip.stays) - len(set(trip.stays))
    return len(set(trip.stays)), climbs, returns


def files_with(key: str, checkout: Path) -> list[str]:
    """The files of workflow and package in which a config key is a text in quotes.

    Attributes of the same name are not counted: type checkers find them. A column of a table or an option
    of a command that has the name of the key is counted.
    """
    quoted = re.compile(rf"""["']{key}["']""")
    paths = [checkout / "Snakefile"]
    paths += [*checkout.glob("workflow/**/*.smk"), *checkout.glob(f"{PACKAGE}/**/*.py")]
    return sorted(
        str(path.relative_to(checkout)) for path in paths if quoted.search(path.read_text(encoding="utf-8"))
    )


LEGS = {
    "stage": ("benchmark.staging", "benchmark.tables"),
    "generate": (
        *("ask.jobs", "ask.generation", "ask.models", "world.web", "world.tools", "dialogue.prompts"),
        *("runs.journal", "benchmark.tables"),
    ),
    "score": ("judge.judging", "judge.scoring", "dialogue.calls", "benchmark.tables"),
    "aggregate, report": (
        *("show.report", "show.transcripts", "show.playback", "judge.scoring", "benchmark.tables"),
    ),
}
"""The rooms that an entry passes through in each step."""
COLOURS = {"stage": "#8ecae6", "generate": "#ffb703", "score": "#95d5b2", "aggregate, report": "#cdb4db"}
UNDIVIDED = ("base", "cli")
"""Floors that are drawn as one box."""


def rooms_of(floor: str, modules: Mapping[str, Module]) -> dict[str, int]:
    """The rooms of a floor and their lines: the packages and modules directly inside it."""
    lines: Counter[str] = Counter()
    for name, module in modules.items():
        if floor_of(name) == floor:
            room = floor if floor in UNDIVIDED else ".".join(name.split(".")[:2])
            lines[room] += module.lines
    return {room: count for room, count in sorted(lines.items()) if count > 1}


def draw(checkout: Path, modules: Mapping[str, Module]) -> str:
    """The floors of the package as SVG, each a row of its rooms; colours for the steps of a run."""
    left, width, height, gap, top = 120, 1000, 54, 8, 60
    parts = []
    layers = layers_of(checkout)
    for row, (floor, *_) in enumerate(layers):
        y = top + row * (height + gap)
        parts.append(f'<text x="10" y="{y + 32}" class="floor">{floor}</text>')
        rooms = rooms_of(floor, modules)
        rooms.pop(floor, None) if len(rooms) > 1 else None
        box = (width - gap * (len(rooms) - 1)) / len(rooms)
        for column, (room, lines) in enumerate(rooms.items()):
            x = left + column * (box + gap)
            steps = [COLOURS[leg] for leg, its in LEGS.items() if room in its] or ["#e9ecef"]
            for number, colour in enumerate(steps):
                part = box / len(steps)
                place = f'x="{x + number * part:.1f}" y="{y}" width="{part:.1f}" height="{height}"'
                parts.append(f'<rect {place} fill="{colour}"/>')
            middle = x + box / 2
            name = room.rpartition(".")[2]
            parts.append(f'<text x="{middle:.1f}" y="{y + 24}" class="room">{name}</text>')
            parts.append(f'<text x="{middle:.1f}" y="{y + 42}" class="lines">{lines:,} lines</text>')
    for number, (leg, colour) in enumerate(COLOURS.items()):
        x = left + number * 200
        parts.append(f'<rect x="{x}" y="14" width="26" height="20" fill="{colour}"/>')
        parts.append(f'<text x="{x + 34}" y="29" class="leg">{number + 1}. {leg}</text>')
    parts.append('<text x="940" y="29" class="leg">imports: down</text>')
    total = top + len(layers) * (height + gap)
    style = (
        "text{font-family:sans-serif;fill:#212529}.room{font-size:14px;text-anchor:middle;font-weight:bold}"
        ".floor{font-size:16px}.lines{font-size:12px;text-anchor:middle}.leg{font-size:14px}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 10} {total}">'
        f'<style>{style}</style><rect width="100%" height="100%" fill="white"/>'
        + "\n".join(parts)
        + "</svg>\n"
    )


def main(checkout: Path) -> None:
    """Prints the figures."""
    modules = read_package(checkout)
    height = heights(checkout)
    graph = import_graph(modules)
    upward = sum(height[after] >= height[before] for before, afters in graph.items() for after in afters)
    entered, climbs, returns = options_trip(modules, height)
    twice = duplicate_classes(modules)
    keyed = {key: files_with(key, checkout) for key in KEYS}
    rows = [
        ("lines of Python", f"{sum(one.lines for one in modules.values()):,}", ""),
        ("modules", f"{len(modules):,}", ""),
        ("floors", str(len(graph)), ", ".join(sorted(graph))),
        ("arrows among the floors", str(sum(map(len, graph.values()))), ""),
        ("options of generate: modules entered", str(entered), ""),
        ("options of generate: climbs, returns", f"{climbs}, {returns}", ""),
        *(
            (f"files with the config key {key} as text", str(len(files)), ", ".join(files))
            for key, files in keyed.items()
        ),
        ("class names defined twice", str(len(twice)), ", ".join(twice)),
        ("imports inside functions", str(function_imports(modules)), ""),
        ("floors in an import cycle", str(cycles(graph)), ""),
        ("imports to the same floor or upward", str(upward), ""),
        (f"files over {LONGEST} lines", str(sum(one.lines > LONGEST for one in modules.values())), ""),
    ]
    width = max(len(name) for name, _, _ in rows)
    for name, figure, remark in rows:
        print(f"{name:<{width}}  {figure:>7}  {remark}".rstrip())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", nargs="?", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the rooms into this file, too")
    parser.add_argument("--check", action="store_true", help="only compare the lines with the budget")
    arguments = parser.parse_args()
    if arguments.check:
        sys.exit("\n".join(over_budget(arguments.checkout)) or 0)
    main(arguments.checkout)
    if arguments.svg is not None:
        arguments.svg.write_text(
            draw(arguments.checkout, read_package(arguments.checkout)), encoding="utf-8"
        )
