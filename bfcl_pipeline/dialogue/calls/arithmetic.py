"""A small interpreter for arithmetic in arguments, working on Python's syntax tree.

Models write `amount=5 * 10**3` or `ratio=(1 + 2) / 4`. The release passes such expressions to the
Python interpreter. Here numbers, text, lists and tuples are combined by the operators below and a few
pure functions of numbers, within bounds. Names, attributes, methods, comparisons, formatting and
everything else are rejected, so text written by a model is never executed.

A list that is repeated within a list is one object in several places. Bounds therefore count its items once
for each place, as whatever walks, copies, compares or prints the value will.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from bfcl_pipeline.dialogue.calls.limits import MAX_BITS, MAX_DEPTH, Undecodable, Work

MAX_ITEMS = 50_000
"""Characters of a text, or items of a list, in the result of an operator."""

_WORD_BITS = 64  # bits of an integer that count as one step of work


def _shift_left(number: Any, places: Any, _work: Work) -> Any:
    _require_int(number, places)
    _require_bits(number.bit_length() + max(places, 0))
    return number << places


def _power(base: Any, exponent: Any, _work: Work) -> Any:
    _require_number(base, exponent)
    if isinstance(base, int) and isinstance(exponent, int) and exponent > 0:
        _require_bits(base.bit_length() * exponent)
    return base**exponent


def _times(left: Any, right: Any, work: Work) -> Any:
    for sequence, count in ((left, right), (right, left)):
        if isinstance(sequence, str | list | tuple):
            _require_int(count)
            if len(sequence) * max(count, 0) > MAX_ITEMS:
                raise Undecodable(f"a repetition makes more than {MAX_ITEMS:,} items")
            work.spend(_items(sequence) * max(count, 0))
            return left * right
    _require_number(left, right)
    if isinstance(left, int) and isinstance(right, int):
        _require_bits(left.bit_length() + right.bit_length())
    return left * right


def _plus(left: Any, right: Any, work: Work) -> Any:
    if type(left) in (str, list, tuple) and type(left) is type(right):
        if len(left) + len(right) > MAX_ITEMS:
            raise Undecodable(f"a concatenation makes more than {MAX_ITEMS:,} items")
        work.spend(_items(left) + _items(right))
    else:
        _require_number(left, right)
    return left + right


def _items(value: Any, known: dict[int, int] | None = None) -> int:
    """The items in `value` at all depths, each counted once for each place in which it is.

    An object in several places is walked once. known: the items in lists and tuples, by their ids.
    """
    if isinstance(value, str):
        return len(value)
    known = {} if known is None else known
    if id(value) not in known:
        parts = [item for item in value if isinstance(item, str | list | tuple)]
        known[id(value)] = len(value) + sum(_items(item, known) for item in parts)
    return known[id(value)]


def _of_numbers(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Work], Any]:
    def apply(left: Any, right: Any, _work: Work) -> Any:
        _require_number(left, right)
        return operation(left, right)

    return apply


_BINARY: Mapping[type[ast.operator], Callable[[Any, Any, Work], Any]] = {
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


def _pure(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(_work: Work, *arguments: Any) -> Any:
        return function(*arguments)

    return apply


def _rounded(_work: Work, number: Any, places: Any = None) -> Any:
    if isinstance(number, int) and isinstance(places, int):
        # An integer rounded to more places than its length is 0; Python would compute the power of ten.
        places = max(places, -number.bit_length() - 1)
    return round(number, places)


def _sum(work: Work, items: Any, start: Any = 0) -> Any:
    """The plain running sum; the built-in `sum` compensates for rounding since Python 3.12."""
    for item in items:
        start = _plus(start, item, work)
    return start


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": _pure(abs),
    "float": _pure(float),
    "int": _pure(int),
    "len": _pure(len),
    "max": _pure(max),
    "min": _pure(min),
    "pow": lambda work, base, exponent: _power(base, exponent, work),
    "round": _rounded,
    "sum": _sum,
}
"""Pure functions by name; each takes the work that is left, then its arguments."""


def evaluate(node: ast.expr, work: Work) -> Any:
    """The value of an arithmetic expression. Raises Undecodable for any other, or if `work` is used up."""
    try:
        return _value(node, MAX_DEPTH, work)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise Undecodable(f"an expression cannot be computed ({error})") from None


def apply_unary(node: ast.UnaryOp, operand: Any) -> Any:
    """The result of the unary operator of `node` on the value `operand`. Raises as `evaluate` does."""
    return readable(_UNARY[type(node.op)](operand))


def readable(value: Any) -> Any:
    """`value`, of a constant or an operator. Raises Undecodable for an integer of more than MAX_BITS bits,
    such as a hexadecimal one, which Python would not convert to text.
    """
    if type(value) is int:
        _require_bits(value.bit_length())
    return value


def _value(node: ast.expr, levels: int, work: Work) -> Any:
    if levels == 0:
        raise Undecodable(f"an expression is nested more than {MAX_DEPTH} levels deep")
    match node:
        case ast.Constant(value=value):
            return readable(value)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            operands = _value(left, levels - 1, work), _value(right, levels - 1, work)
            return _counted(_BINARY[type(op)](*operands, work), work)
        case ast.UnaryOp(operand=operand):
            return apply_unary(node, _value(operand, levels - 1, work))
        case ast.List(elts=items):
            return [_value(item, levels - 1, work) for item in items]
        case ast.Tuple(elts=items):
            return tuple(_value(item, levels - 1, work) for item in items)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            values = [_value(argument, levels - 1, work) for argument in arguments]
            return _counted(_FUNCTIONS[name](work, *values), work)
    raise Undecodable(f"{type(node).__name__} is not arithmetic; only literals and operators are read")


def _counted(value: Any, work: Work) -> Any:
    """`value`, whose digits are counted; sequences are counted before they are made."""
    if type(value) is int:
        work.spend(1 + value.bit_length() // _WORD_BITS)
    return readable(value)


def _require_number(*values: Any) -> None:
    if not all(isinstance(value, int | float | complex) for value in values):
        raise Undecodable("an operator is applied to something that is not a number")


def _require_int(*values: Any) -> None:
    if not all(isinstance(value, int) for value in values):
        raise Undecodable("an operator needs whole numbers")


def _require_bits(bits: int) -> None:
    if bits > MAX_BITS:
        raise Undecodable(f"a whole number of more than {MAX_BITS:,} bits")
