"""Reads a Python literal, and one call with literal arguments: the form of a conversation's truth."""

import ast
from collections.abc import Callable, Sequence
from typing import Any

from bfcl_pipeline.calls.limits import Undecodable
from bfcl_pipeline.calls.python import parse_expression, read_literal
from bfcl_pipeline.records import Call


def read_literal_call(text: str, parameters: Callable[[str], Sequence[str]]) -> Call:
    """The call in `text`, with a name for every argument.

    parameters: returns the parameter names of a function in order; positional arguments get these names.
    Raises ValueError or TypeError saying what is wrong.
    """
    try:
        node = parse_expression(text)
    except Undecodable as error:
        raise ValueError(str(error)) from None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise TypeError("expected a call of a function by its name")
    names = parameters(node.func.id)
    if len(node.args) > len(names):
        raise ValueError(f"{len(node.args)} arguments without a name, for {len(names)} parameters")
    arguments: dict[str | None, Any] = {
        name: ast.literal_eval(value) for name, value in zip(names, node.args, strict=False)
    }
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in arguments:
            raise ValueError(f"the argument {keyword.arg} is given twice or has no name")
        arguments[keyword.arg] = ast.literal_eval(keyword.value)
    return Call(node.func.id, arguments)


def read_literal_value(text: str) -> Any:
    """The value of a Python literal. Raises ValueError if `text` is anything else, or beyond the bounds."""
    try:
        return read_literal(text)
    except Undecodable as error:
        raise ValueError(str(error)) from None
