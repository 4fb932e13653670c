"""Reads Python literals, also with arithmetic in them, one call with such arguments, and syntax trees.

Such a call is the form of a truth, of a conversation or of an entry whose calls are executed.
"""

import ast
from collections.abc import Callable, Sequence
from typing import Any

from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.dialogue.calls.arithmetic import evaluate
from bfcl_pipeline.dialogue.calls.limits import Undecodable, Work
from bfcl_pipeline.dialogue.calls.python import parse_expression, read_literal


def read_literal_call(text: str, parameters: Callable[[str], Sequence[str]]) -> Call:
    """The call in `text`, with a name for every argument.

    parameters: returns the parameter names of a function in order; positional arguments get these names.
    Raises ValueError or TypeError saying what is wrong.
    """
    try:
        return _read_call(parse_expression(text), parameters, Work())
    except Undecodable as error:
        raise ValueError(str(error)) from None


def _read_call(node: ast.expr, parameters: Callable[[str], Sequence[str]], work: Work) -> Call:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise TypeError("expected a call of a function by its name")
    names = parameters(node.func.id)
    if len(node.args) > len(names):
        raise ValueError(f"{len(node.args)} arguments without a name, for {len(names)} parameters")
    arguments: dict[str | None, Any] = {
        name: _value(value, work) for name, value in zip(names, node.args, strict=False)
    }
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in arguments:
            raise ValueError(f"the argument {keyword.arg} is given twice or has no name")
        arguments[keyword.arg] = _value(keyword.value, work)
    return Call(node.func.id, arguments)


def read_expression(text: str) -> ast.expr:
    """The syntax tree of one Python expression. Raises ValueError if `text` is anything else, or beyond the
    bounds.
    """
    try:
        return parse_expression(text)
    except Undecodable as error:
        raise ValueError(str(error)) from None


def read_literal_value(text: str) -> Any:
    """The value of a Python literal. Raises ValueError if `text` is anything else, or beyond the bounds."""
    try:
        return read_literal(text)
    except Undecodable as error:
        raise ValueError(str(error)) from None


def read_value(text: str, work: Work | None = None) -> Any:
    """The value of Python brackets, literals and arithmetic, as an evaluation would return it.

    work: what may still be done for the answer that `text` is a part of; None: it is the whole answer.
    Raises ValueError or TypeError if `text` is anything else, or beyond the bounds.
    """
    try:
        work = Work() if work is None else work
        work.spend(len(text))
        return _value(parse_expression(text.lstrip(" \t")), work)
    except Undecodable as error:
        raise ValueError(str(error)) from None


def _value(node: ast.expr | None, work: Work) -> Any:
    match node:
        case ast.Dict(keys=keys, values=values):
            return {_value(key, work): _value(value, work) for key, value in zip(keys, values, strict=True)}
        case ast.List(elts=items):
            return [_value(item, work) for item in items]
        case ast.Tuple(elts=items):
            return tuple([_value(item, work) for item in items])
        case ast.BinOp(op=ast.BitOr()) if (mappings := _united(node)) is not None:
            return {key: value for mapping in mappings for key, value in _value(mapping, work).items()}
        case None:
            raise Undecodable("a mapping is unpacked")
    return evaluate(node, work)


def _united(node: ast.expr) -> list[ast.Dict] | None:
    """The mappings in `{...} | {...}`, in order; None if anything else is united."""
    operands: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        operands.append(node.right)
        node = node.left
    operands = [node, *reversed(operands)]
    mappings = [operand for operand in operands if isinstance(operand, ast.Dict)]
    return mappings if len(mappings) == len(operands) else None
