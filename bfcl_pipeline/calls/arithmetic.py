"""A small interpreter for arithmetic in arguments, working on Python's syntax tree.

Models write `amount=5 * 10**3` or `ratio=(1 + 2) / 4`. The release passes such expressions to the
Python interpreter. Here numbers, text, lists and tuples are combined by the operators below and a few
pure functions of numbers, within bounds. Names, attributes, methods, comparisons, formatting and
everything else are rejected, so text written by a model is never executed.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from bfcl_pipeline.calls.limits import MAX_DEPTH, Undecodable

MAX_BITS = 14_000
"""Bits of an integer: about 4,200 decimal digits, which Python still converts to text."""

MAX_ITEMS = 50_000
"""Characters of a text, or items of a list, in the result of an operator."""


def _shift_left(number: Any, places: Any) -> Any:
    _require_int(number, places)
    _require_bits(number.bit_length() + max(places, 0))
    return number << places


def _power(base: Any, exponent: Any) -> Any:
    _require_number(base, exponent)
    if isinstance(base, int) and isinstance(exponent, int) and exponent > 0:
        _require_bits(base.bit_length() * exponent)
    return base**exponent


def _times(left: Any, right: Any) -> Any:
    for sequence, count in ((left, right), (right, left)):
        if isinstance(sequence, str | list | tuple):
            _require_int(count)
            if len(sequence) * max(count, 0) > MAX_ITEMS:
                raise Undecodable(f"a repetition makes more than {MAX_ITEMS:,} items")
            return left * right
    _require_number(left, right)
    if isinstance(left, int) and isinstance(right, int):
        _require_bits(left.bit_length() + right.bit_length())
    return left * right


def _plus(left: Any, right: Any) -> Any:
    if type(left) in (str, list, tuple) and type(left) is type(right):
        if len(left) + len(right) > MAX_ITEMS:
            raise Undecodable(f"a concatenation makes more than {MAX_ITEMS:,} items")
    else:
        _require_number(left, right)
    return left + right


def _of_numbers(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(left: Any, right: Any) -> Any:
        _require_number(left, right)
        return operation(left, right)

    return apply


_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: _plus,
    ast.Sub: _of_numbers(operator.sub),
    ast.Mult: _times,
    ast.Div: _of_numbers(operator.truediv),
    ast.FloorDiv: _of_numbers(operator.floordiv),
    ast.Mod: _of_numbers(operator.mod),
    ast.Pow: _power,
    ast.LShift: _shift_left,
    ast.RShift: _of_numbers(operator.rshift),
    ast.BitAnd: _of_numbers(operator.and_),
    ast.BitOr: _of_numbers(operator.or_),
    ast.BitXor: _of_numbers(operator.xor),
}

_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}

_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": abs,
    "float": float,
    "int": int,
    "len": len,
    "max": max,
    "min": min,
    "pow": _power,
    "round": round,
    "sum": sum,
}


def evaluate(node: ast.expr) -> Any:
    """The value of an arithmetic expression. Raises Undecodable for any other expression."""
    try:
        return _value(node, MAX_DEPTH)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise Undecodable(f"an expression cannot be computed ({error})") from None


def apply_unary(node: ast.UnaryOp, operand: Any) -> Any:
    """The result of the unary operator of `node` on the value `operand`."""
    return _UNARY[type(node.op)](operand)


def _value(node: ast.expr, levels: int) -> Any:
    if levels == 0:
        raise Undecodable(f"an expression is nested more than {MAX_DEPTH} levels deep")
    match node:
        case ast.Constant(value=value):
            return value
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, levels - 1), _value(right, levels - 1))
        case ast.UnaryOp(operand=operand):
            return apply_unary(node, _value(operand, levels - 1))
        case ast.List(elts=items):
            return [_value(item, levels - 1) for item in items]
        case ast.Tuple(elts=items):
            return tuple(_value(item, levels - 1) for item in items)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(argument, levels - 1) for argument in arguments))
    raise Undecodable(f"{type(node).__name__} is not arithmetic; only literals and operators are read")


def _require_number(*values: Any) -> None:
    if not all(isinstance(value, int | float | complex) for value in values):
        raise Undecodable("an operator is applied to something that is not a number")


def _require_int(*values: Any) -> None:
    if not all(isinstance(value, int) for value in values):
        raise Undecodable("an operator needs whole numbers")


def _require_bits(bits: int) -> None:
    if bits > MAX_BITS:
        raise Undecodable(f"a whole number of more than {MAX_BITS:,} bits")
