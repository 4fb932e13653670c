"""How the release alters a call on its way to execution, as text that Python reads.

The release writes a call as Python source, puts an instance before every word that stands before a
bracket and names a method, takes the space between a word and a bracket away, and evaluates the
result. Here nothing is evaluated; what that does to text arguments and to names that are none is
reproduced, since results and states show it.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from keyword import iskeyword
from typing import Any

from bfcl_pipeline.records import Call

_WORD_BEFORE_BRACKET = re.compile(r"\b([a-zA-Z_]\w*)\s*(?=\()")
_SOURCE_NAME = "<string>"  # what Python calls the text in the message of a syntax error


class Retelling:
    """The alterations in a world whose methods belong to `instances` (by method name)."""

    def __init__(self, instances: Mapping[str, str]) -> None:
        self._instances = instances

    def text(self, value: str) -> str:
        """A text argument as a method gets it: `ls ()` becomes `<instance>.ls()`, `see (1)` `see(1)`."""
        if "(" not in value:
            return value
        source = repr(value)
        altered = self._altered(source)
        if altered == source:
            return value
        told: str = ast.literal_eval(altered)  # still a string literal: words and dots were put in
        return told

    def problem(self, call: Call) -> str | None:
        """Why Python does not take `call` as written; None if all its names are plain or it does."""
        if _is_plain(call):
            return None
        source = self._altered(_source(call)).lstrip(" \t")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                flags = ast.PyCF_ONLY_AST  # a tree, nothing that could be run
                tree = compile(source, _SOURCE_NAME, "eval", flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return str(error)
        repeated = _repeated(tree)
        if repeated is not None:
            return f"keyword argument repeated: {repeated.arg} ({_SOURCE_NAME}, line {repeated.lineno})"
        known = set(self._instances.values())
        name = next((name for name in _names(tree.body) if name not in known), None)
        return None if name is None else undefined(name)

    def _altered(self, source: str) -> str:
        return _WORD_BEFORE_BRACKET.sub(self._with_instance, source)

    def _with_instance(self, word: re.Match[str]) -> str:
        name = word[1]
        return f"{self._instances[name]}.{name}" if name in self._instances else name


def undefined(name: str) -> str:
    """Python's message for a name that stands for nothing."""
    return f"name {name!r} is not defined"


def _is_plain(call: Call) -> bool:
    """Whether the names of `call`, and of calls among its arguments, are plain Python names."""
    return (
        _is_plain_name(call.name)
        and all(_is_plain_name(name) for name in call.arguments)
        and all(_is_plain(inner) for value in call.arguments.values() for inner in _calls_in(value))
    )


@lru_cache(maxsize=4096)
def _is_plain_name(name: Any) -> bool:
    return isinstance(name, str) and name.isascii() and name.isidentifier() and not iskeyword(name)


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
    """A parameter that a call names twice, perhaps in other letters that Python takes for the same."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            seen = set()
            for keyword in call.keywords:
                if keyword.arg in seen:
                    return keyword
                seen.add(keyword.arg)
    return None


def _names(node: ast.AST) -> Iterator[str]:
    """The names in `node`, in the order in which Python would look them up."""
    if isinstance(node, ast.Name):
        yield node.id
    for child in ast.iter_child_nodes(node):
        yield from _names(child)
