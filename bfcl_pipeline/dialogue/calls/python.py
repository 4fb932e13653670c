"""Reads Python from the syntax tree: calls as `[name(key=value, ...), ...]`, statements, and literals.

The text is parsed, never compiled or run. Arguments without a keyword are ignored, as in the release.
Values keep their Python types (tuples stay tuples); a name becomes text; a nested call becomes
`{name: arguments}`, or its source text if it has no keywords.
Literals may have arithmetic in them, as in a truth, a conversation, or an entry whose calls are executed.
Source: the release's reading of the Python return format.
"""

import ast
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

from bfcl_pipeline.benchmark.records import Call, Json, Rules
from bfcl_pipeline.dialogue.calls.arithmetic import apply_unary, evaluate, readable
from bfcl_pipeline.dialogue.calls.limits import MAX_BITS, MAX_DEPTH, MAX_TEXT, Undecodable, Work, check_text

_NUMBER_THEN_WORD = re.compile(r"[0-9](?<![\w.].)[\w.]*(?:and|else|for|if|in|is|not|or)\b")

_TWO_WORDS = re.compile(r"[`\n ]*+\[?[ \t\n]*+([A-Za-z]++) ++([A-Za-z]++)\b", re.ASCII)

_MAX_DIGIT_BITS = 4
"""Bits of a digit of an integer, at most."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the calls of one text are read."""

    rules: Rules
    work: Work  # that may still be done for the answer


def read_python(text: str, rules: Rules, work: Work) -> list[tuple[str, Json]]:
    """Names and arguments of the calls in `text`. Raises Undecodable, also if `work` is used up."""
    reading = _Reading(rules, work)
    try:
        text = check_text(text.strip().strip("'"))
        work.spend(len(text))
        body = parse_expression(text)
        if isinstance(body, ast.Call):
            return [_read_call(body, reading, MAX_DEPTH)]
        if not isinstance(body, ast.List | ast.Tuple | ast.Set):
            raise Undecodable(f"expected a list of calls, got {type(body).__name__}")
        return [_read_element(element, reading) for element in body.elts]
    except (TypeError, ValueError, RecursionError, ArithmeticError) as error:
        raise Undecodable(f"an argument cannot be read ({error})") from None


def read_statements(text: str) -> list[tuple[str, Json]] | None:
    """Names and arguments of the calls in lines of Python; None if one of them is not a call.

    What a line does with the value, such as giving it a name, is left out, as in the release.
    """
    reading = _Reading(Rules.OFFICIAL, Work())
    try:
        reading.work.spend(len(check_text(text)))
        calls = [getattr(line, "value", None) for line in _unwarned(_lines, text, "Python")]
        return [_read_element(call, reading) for call in calls]
    except (Undecodable, TypeError, ValueError, RecursionError, ArithmeticError):
        return None


def is_prose(text: str) -> bool:
    """Whether `text`, which may lack its opening bracket, begins with two words that no calls begin with.

    Two names side by side are a syntax error in Python, so such a text is known to be undecodable without
    parsing it. Only a part of all undecodable texts is recognised, from their first MAX_TEXT characters.
    """
    words = _TWO_WORDS.match(text, 0, MAX_TEXT)
    return words is not None and not iskeyword(words[1]) and not iskeyword(words[2])


def parse_expression(text: str) -> ast.expr:
    """The syntax tree of one Python expression. Raises Undecodable if `text` is not one."""
    tree: ast.expr = _unwarned(_parse, check_text(text), "a Python expression")
    return tree


def read_literal(text: str) -> Any:
    """The value of a Python literal. Raises Undecodable if `text` is anything else."""
    return _unwarned(_literal, check_text(text), "a Python literal")


def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _lines(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


def _literal(text: str) -> Any:
    body = _parse(text.lstrip(" \t"))
    if len(text) * _MAX_DIGIT_BITS > MAX_BITS:
        for node in ast.walk(body):
            if isinstance(node, ast.Constant):
                readable(node.value)
    return ast.literal_eval(body)


def _unwarned(read: Callable[[str], Any], text: str, what: str) -> Any:
    """`read(text)`, without the warnings of Python's parser about escapes and numbers in the text.

    Suppressing warnings takes a third of the time of a parse, so it is done only for text that may cause
    one.
    """
    try:
        if "\\" not in text and _NUMBER_THEN_WORD.search(text) is None:
            return read(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        # The parser raises MemoryError when its stack, not the memory, is exhausted.
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise Undecodable(f"not {what} ({reason})") from None


def _read_element(element: ast.expr | None, reading: _Reading) -> tuple[str, Json]:
    if not isinstance(element, ast.Call):
        raise Undecodable(f"expected a call in the list, got {type(element).__name__}")
    return _read_call(element, reading, MAX_DEPTH)


def _read_call(call: ast.Call, reading: _Reading, levels: int) -> tuple[str, dict[str | None, Any]]:
    return _dotted_name(call.func), {
        keyword.arg: _read_value(keyword.value, reading, levels) for keyword in call.keywords
    }


def _dotted_name(node: ast.expr) -> str:
    """`a.b.c` for a name or attribute; any other expression before the dots is dropped."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    return ".".join(reversed(parts))


def _read_value(node: ast.expr | None, reading: _Reading, levels: int) -> Any:
    if levels == 0:
        raise Undecodable(f"arguments are nested more than {MAX_DEPTH} levels deep")
    match node:
        case ast.Constant(value=value):
            return "..." if value is Ellipsis else readable(value)
        case ast.Name(id=name):
            return name
        case ast.List(elts=items):
            return [_read_value(item, reading, levels - 1) for item in items]
        case ast.Tuple(elts=items):
            return tuple([_read_value(item, reading, levels - 1) for item in items])
        case ast.Dict(keys=keys, values=values):
            return {
                _read_value(key, reading, levels - 1): _read_value(value, reading, levels - 1)
                for key, value in zip(keys, values, strict=True)
            }
        case ast.UnaryOp():
            return unary_value(node, reading.rules, reading.work)
        case ast.BinOp():
            return evaluate(node, reading.work)
        case ast.Call(keywords=[]):
            return ast.unparse(node)  # stays text
        case ast.Subscript():  # so does this, with the index written by itself, as the release does
            return f"{ast.unparse(node.value)}[{ast.unparse(node.slice)}]"
        case ast.Call():
            name, arguments = _read_call(node, reading, levels - 1)
            return {name: arguments}
    raise Undecodable(f"an argument is a {type(node).__name__}, which is not a value")


def unary_value(node: ast.UnaryOp, rules: Rules, work: Work) -> Any:
    """Rule `unary-operator`: official negates the operand for every operator, so `+5` is read as -5.

    Corrected applies the written operator, to any arithmetic operand.
    """
    if rules is Rules.CORRECTED:
        return evaluate(node, work)
    if not isinstance(node.operand, ast.Constant):
        raise Undecodable("an operator is applied to something that is not a number")
    return apply_unary(ast.UnaryOp(ast.USub(), node.operand), node.operand.value)


def read_literal_call(text: str, parameters: Callable[[str], Sequence[str]]) -> Call:
    """The call in `text`, with a name for every argument.

    parameters: returns the parameter names of a function in order; positional arguments get these names.
    Raises ValueError or TypeError saying what is wrong.
    """
    try:
        return _read_literal_call(parse_expression(text), parameters, Work())
    except Undecodable as error:
        raise ValueError(str(error)) from None


def _read_literal_call(node: ast.expr, parameters: Callable[[str], Sequence[str]], work: Work) -> Call:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise TypeError("expected a call of a function by its name")
    names = parameters(node.func.id)
    if len(node.args) > len(names):
        raise ValueError(f"{len(node.args)} arguments without a name, for {len(names)} parameters")
    arguments: dict[str | None, Any] = {
        name: _literal_value(value, work) for name, value in zip(names, node.args, strict=False)
    }
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in arguments:
            raise ValueError(f"the argument {keyword.arg} is given twice or has no name")
        arguments[keyword.arg] = _literal_value(keyword.value, work)
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
        return _literal_value(parse_expression(text.lstrip(" \t")), work)
    except Undecodable as error:
        raise ValueError(str(error)) from None


def _literal_value(node: ast.expr | None, work: Work) -> Any:
    match node:
        case ast.Dict(keys=keys, values=values):
            return {
                _literal_value(key, work): _literal_value(value, work)
                for key, value in zip(keys, values, strict=True)
            }
        case ast.List(elts=items):
            return [_literal_value(item, work) for item in items]
        case ast.Tuple(elts=items):
            return tuple([_literal_value(item, work) for item in items])
        case ast.BinOp(op=ast.BitOr()) if (mappings := _united(node)) is not None:
            return {
                key: value for mapping in mappings for key, value in _literal_value(mapping, work).items()
            }
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
