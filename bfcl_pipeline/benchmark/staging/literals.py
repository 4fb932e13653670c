"""Literal constants of Python source, read from the syntax tree and never executed.

Covers assignments whose value is a literal or is concatenated from earlier literals of the same module
(`A + "text"`), and their JSON form. Everything else in a module is ignored.
"""

import ast
import builtins
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.constants import ELLIPSIS
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.staging.json_lines import malformed_release
from bfcl_pipeline.benchmark.staging.release_files import LITERAL_MODULES, LiteralModule
from bfcl_pipeline.benchmark.staging.source import Release


def read_texts(release: Release) -> dict[str, dict[str, Json]]:
    """The content of texts.json: literal constants by module and name, in JSON form."""
    return {module.key: read_literals(release, module) for module in LITERAL_MODULES}


def read_literals(release: Release, module: LiteralModule) -> dict[str, Json]:
    """The literal constants of one module by name: in source order, then those in classes and functions.

    Raises MalformedRelease if a required or inner name has no literal.
    """
    tree = parse_module(release, module.path)
    constants = module_constants(tree)
    for name in module.required:
        if name not in constants:
            raise malformed_release(module.path, f"a literal constant {name}", "none of that name")
    for path in module.inner:
        constants[path] = _inner(module, tree, path, constants)
    return {name: json_form(value) for name, value in constants.items()}


def parse_module(release: Release, name: str) -> ast.Module:
    """The syntax tree of the module `name`. Raises MalformedRelease if it is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes and comparisons in the release
            return ast.parse(release.files[name], filename=name)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        line = getattr(error, "lineno", None) or 1
        raise malformed_release(f"{name}:{line}", "Python source", str(error)) from error


def module_constants(tree: ast.Module) -> dict[str, Any]:
    """The literals that are assigned to module-level names; the last assignment counts."""
    constants: dict[str, Any] = {}
    for name, node in _assignments(tree.body):
        try:
            constants[name] = literal(node, constants)
        except (ValueError, RecursionError):
            constants.pop(name, None)
    return constants


def literal(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """The value of a literal, or of a concatenation of texts with `known` names. Raises ValueError."""
    match node:
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.Constant(value=bytes() | complex()):
            raise ValueError("JSON cannot represent it")
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = literal(left, known), literal(right, known)
            if isinstance(first, str) and isinstance(second, str):
                return first + second
            raise ValueError("only texts are concatenated")
        case ast.List(elts=items):
            return [literal(item, known) for item in items]
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            return {literal(key, known): literal(value, known) for key, value in pairs if key is not None}
        case _:
            try:
                return ast.literal_eval(node)
            except (TypeError, SyntaxError, MemoryError, RecursionError) as error:
                raise ValueError(str(error)) from error


def json_form(value: Any) -> Json:
    """`value` as JSON.

    Tuples become lists and sets sorted lists; a mapping whose keys are not all texts becomes a list
    of [key, value] pairs in the mapping's order; Python's `...` becomes `ELLIPSIS`.
    """
    match value:
        case builtins.Ellipsis:
            return ELLIPSIS
        case dict() if all(isinstance(key, str) for key in value):
            return {key: json_form(item) for key, item in value.items()}
        case dict():
            return [[json_form(key), json_form(item)] for key, item in value.items()]
        case set() | frozenset():
            return [json_form(item) for item in sorted(value)]
        case list() | tuple():
            return [json_form(item) for item in value]
        case _:
            return value


def _assignments(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.Return(value=ast.expr() as value):
                yield "return", value


def _inner(module: LiteralModule, tree: ast.Module, path: str, known: Mapping[str, Any]) -> Any:
    *scopes, variable = path.split(".")
    body: list[ast.stmt] = tree.body
    for scope in scopes:
        body = next(
            (
                statement.body
                for statement in body
                if isinstance(statement, ast.ClassDef | ast.FunctionDef) and statement.name == scope
            ),
            [],
        )
    error: MalformedRelease = malformed_release(module.path, f"a literal {path}", "none of that name")
    for name, node in _assignments(body):
        if name == variable:
            try:
                return literal(node, known)
            except (ValueError, RecursionError):
                error = malformed_release(
                    f"{module.path}:{node.lineno}", f"a literal {path}", ast.unparse(node)[:80]
                )
    raise error
