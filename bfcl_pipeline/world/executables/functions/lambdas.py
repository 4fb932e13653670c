"""A small interpreter for the text of a lambda with one parameter, such as `lambda x: 3*x**2 - 1`.

Covers numbers, the parameter, + - * / // % **, signs, brackets, and `pow` and `math.pow` with two
arguments. The text is parsed, and its syntax tree is walked, in bounded length, depth and work; nothing is
compiled or evaluated, and names are compared, never looked up elsewhere. All else is an error: what Python
would refuse, and what it would compute but no published answer contains (other functions, conditions,
lambdas in lambdas). Of 95 distinct texts in published answers 18 are lambdas, which need only numbers,
names and + - * **.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from bfcl_pipeline.base.text import cut, printable
from bfcl_pipeline.dialogue.calls import read_expression
from bfcl_pipeline.world.executables.binding import ExecutionFailed, quote_name
from bfcl_pipeline.world.executables.functions.work import EvaluationWork

MAX_TEXT = 2_000
"""Characters of a lambda."""

MAX_LEVELS = 100
"""Operators around an operand. The longest published lambda has 8."""

Lambda: TypeAlias = Callable[[Any, EvaluationWork], Any]
"""The value of a lambda for one argument. Raises as Python's operators, and ExecutionFailed."""

_BINARY: Mapping[type[ast.operator], Callable[[EvaluationWork, Any, Any], Any]] = {
    ast.Add: EvaluationWork.plus,
    ast.Sub: lambda _work, left, right: left - right,
    ast.Mult: EvaluationWork.times,
    ast.Div: lambda _work, left, right: left / right,
    ast.FloorDiv: EvaluationWork.divided,
    ast.Mod: EvaluationWork.remainder,
    ast.Pow: EvaluationWork.power,
    ast.BitXor: lambda _work, left, right: left ^ right,  # mistaken for a power
}

_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}

_FUNCTIONS: Mapping[str, Callable[[EvaluationWork, Any, Any], Any]] = {
    "pow": EvaluationWork.power,
    "math.pow": lambda _work, base, exponent: math.pow(base, exponent),
}
"""Functions of two numbers, by the text that calls them."""


def read_lambda(text: Any) -> Lambda:
    """The function that `text` is the lambda of.

    Raises ExecutionFailed with the error that Python would report if it evaluated the text and called the
    result.
    """
    if not isinstance(text, str):
        raise ExecutionFailed(f"TypeError: the function is {type(text).__name__}, not the text of a lambda")
    if len(text) > MAX_TEXT:
        raise ExecutionFailed(f"Bound: a lambda of more than {MAX_TEXT:,} characters")
    try:
        tree = read_expression(text.lstrip(" \t"))
    except ValueError as error:
        raise ExecutionFailed(f"SyntaxError: {cut(printable(str(error)), MAX_TEXT)}") from None
    if not isinstance(tree, ast.Lambda):
        raise ExecutionFailed("TypeError: the text of the function is an expression, not a lambda")
    parameter, body = _only_parameter(tree.args), tree.body
    return lambda argument, work: _value(body, {parameter: argument}, MAX_LEVELS, work)


def _only_parameter(parameters: ast.arguments) -> str:
    names = [one.arg for one in (*parameters.posonlyargs, *parameters.args)]
    others = (parameters.vararg, parameters.kwarg, *parameters.kwonlyargs, *parameters.defaults)
    if len(names) != 1 or any(others):
        raise ExecutionFailed(f"TypeError: the lambda has {len(names)} parameters, not exactly one")
    return names[0]


def _value(node: ast.expr, known: Mapping[str, Any], levels: int, work: EvaluationWork) -> Any:
    """The value of an expression in which the names of `known` have values."""
    if levels == 0:
        raise ExecutionFailed(f"Bound: a lambda with more than {MAX_LEVELS} operators around an operand")
    work.spend()
    match node:
        case ast.Constant(value=int() | float() | complex() as number):
            return number
        case ast.Constant(value=value):
            raise TypeError(f"unsupported operand type: {type(value).__name__!r}")
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.Name(id=name):
            raise ExecutionFailed(f"NameError: name {quote_name(name)} is not defined")
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            return _UNARY[type(op)](_value(operand, known, levels - 1, work))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            operands = [_value(side, known, levels - 1, work) for side in (left, right)]
            return _BINARY[type(op)](work, *operands)
        case ast.Call(func=function) if _dotted(function).partition(".")[0] in known:
            raise TypeError("the parameter of the lambda is a number, which cannot be called")
        case ast.Call(func=function, args=[_, _] as given, keywords=[]) if _dotted(function) in _FUNCTIONS:
            values = [_value(argument, known, levels - 1, work) for argument in given]
            return _FUNCTIONS[_dotted(function)](work, *values)
    raise ExecutionFailed(
        f"Bound: a lambda with {type(node).__name__}; only numbers, its parameter, + - * / // % ** and pow "
        "are computed"
    )


def _dotted(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return f"{module}.{name}"
    return ""


STEP = 0.0000000001
"""The difference of the two places at which the function is computed."""


def estimate_derivative(work: EvaluationWork, function: Any, x: Any) -> Any:
    """The difference quotient to the right of x.

    function: the text of a lambda with one parameter; it is read by `lambdas`, not evaluated.
    """
    value = read_lambda(function)
    return (value(x + STEP, work) - value(x, work)) / STEP
