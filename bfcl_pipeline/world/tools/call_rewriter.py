"""Reproduces how the release rewrites the source text of a call before it evaluates it.

The release writes a call as Python source, inserts an instance name before every method name that is
followed by a bracket, removes the space between a word and a bracket, and evaluates the result. Here
nothing is evaluated; only the effects on text arguments and on invalid names are reproduced, because
results and states show them.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from keyword import iskeyword
from typing import Any

from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools.api import MAX_SOURCE, MAX_SOURCES, BoundExceeded

_WORD_BEFORE_BRACKET = re.compile(r"\b([a-zA-Z_]\w*)\s*(?=\()")
_SOURCE_NAME = "<string>"  # the file name in Python's syntax errors
_KEPT_NAME = 100  # characters of a name that is remembered as plain or not


class CallRewriter:
    """Rewrites calls in a world with `instances`: the instance name of each method."""

    def __init__(self, instances: Mapping[str, str]) -> None:
        self._instances = instances
        self._characters_left = MAX_SOURCES

    def text(self, value: str) -> str:
        """A rewritten text argument: `ls ()` becomes `<instance>.ls()`, and `see (1)` becomes `see(1)`."""
        if "(" not in value:
            return value
        source = repr(value)
        rewritten = self._rewritten(source)
        if rewritten == source:
            return value
        text: str = ast.literal_eval(rewritten)  # still a string literal: only words and dots were inserted
        return text

    def problem(self, call: Call) -> str | None:
        """Python's error message for the source text of `call`; None if Python accepts it.

        Raises BoundExceeded if the text is longer than is parsed.
        """
        if len(call.name) > MAX_SOURCE:
            raise BoundExceeded(f"a function name of more than {MAX_SOURCE:,} characters")
        if _is_plain(call):
            return None
        source = self._rewritten(self._counted(_source(call))).lstrip(" \t")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                flags = ast.PyCF_ONLY_AST  # parses only; the tree is never executed
                tree = compile(source, _SOURCE_NAME, "eval", flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return str(error)
        repeated = _repeated(tree)
        if repeated is not None:
            return f"keyword argument repeated: {repeated.arg} ({_SOURCE_NAME}, line {repeated.lineno})"
        instances = set(self._instances.values())
        name = next((name for name in _names(tree.body) if name not in instances), None)
        return None if name is None else undefined_name_error(name)

    def _counted(self, source: str) -> str:
        self._characters_left -= len(source)
        if len(source) > MAX_SOURCE or self._characters_left < 0:
            raise BoundExceeded("the names of a call are not plain, and its text is too long to be parsed")
        return source

    def _rewritten(self, source: str) -> str:
        return _WORD_BEFORE_BRACKET.sub(self._with_instance, source)

    def _with_instance(self, word: re.Match[str]) -> str:
        name = word[1]
        return f"{self._instances[name]}.{name}" if name in self._instances else name


def undefined_name_error(name: str) -> str:
    """Python's error message for an undefined name."""
    return f"name {name!r} is not defined"


def _is_plain(call: Call) -> bool:
    """Whether all names in `call`, and in calls among its arguments, are ASCII identifiers."""
    return (
        _is_plain_name(call.name)
        and all(_is_plain_name(name) for name in call.arguments)
        and all(_is_plain(inner) for value in call.arguments.values() for inner in _calls_in(value))
    )


def _is_plain_name(name: Any) -> bool:
    if not isinstance(name, str):
        return False
    return _is_plain_text(name) if len(name) <= _KEPT_NAME else _is_plain_text.__wrapped__(name)


@lru_cache(maxsize=4096)
def _is_plain_text(name: str) -> bool:
    return name.isascii() and name.isidentifier() and not iskeyword(name)


def _calls_in(value: Any) -> Iterator[Call]:
    if isinstance(value, Call):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _calls_in(item)


def _source(value: Any) -> str:
    if isinstance(value, Call):
        arguments = ", ".join(f"{name}={_source(item)}" for name, item in value.arguments.items())
        return f"{value.name}({arguments})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_source(item)}" for key, item in value.items()) + "}"
    return repr(value)


def _repeated(tree: ast.AST) -> ast.keyword | None:
    """A keyword that occurs twice in a call, after Python's normalisation of identifiers."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            seen = set()
            for keyword in call.keywords:
                if keyword.arg in seen:
                    return keyword
                seen.add(keyword.arg)
    return None


def _names(node: ast.AST) -> Iterator[str]:
    """The names in `node`, in the order in which Python would evaluate them."""
    if isinstance(node, ast.Name):
        yield node.id
    for child in ast.iter_child_nodes(node):
        yield from _names(child)
