"""Bounded parsing of Java and JavaScript with tree-sitter.

Covers the parser and the detection of syntax errors; `java` and `javascript` find the calls in a tree.
A tree is only walked with an explicit stack or to a bounded depth, because tree-sitter's own printing
is recursive in C and overflows the stack on hostile input.
"""

from collections.abc import Iterator
from functools import cache
from itertools import count

import tree_sitter_java
import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

from bfcl_pipeline.dialogue.calls.limits import (
    MAX_GRAMMAR_OPERATORS,
    MAX_GRAMMAR_TEXT,
    Undecodable,
    check_text,
)

MAX_PARSE_CHECKS = 2_000
"""Times that the parser asks whether to go on. It does so every hundred operations, so its work is bounded
alike on every machine: 21 times for the longest published answer, at most 250 for valid text of
MAX_GRAMMAR_TEXT characters, and 40,000 for some invalid texts of that length."""

MAX_LEVELS = 450
"""Depth to which a value's syntax tree is converted to text."""


def parse(text: str, language: str) -> tuple[Node, bytes]:
    """The root of the syntax tree of `text`, and `text` as UTF-8. `language`: java or javascript.

    Raises Undecodable if the text has a syntax error or exceeds a bound.
    """
    check_text(text, MAX_GRAMMAR_TEXT)
    if sum(map(text.count, "<>=")) > MAX_GRAMMAR_OPERATORS:
        raise Undecodable(f"more than {MAX_GRAMMAR_OPERATORS} of the characters < > =")
    try:
        source = text.encode()
    except UnicodeEncodeError:
        raise Undecodable("the text holds characters that are not Unicode text") from None
    checks = count(1)
    try:
        tree = _parser(language).parse(
            lambda offset, _point: source[offset:],
            progress_callback=lambda _offset, _error: next(checks) > MAX_PARSE_CHECKS,
        )
    except ValueError:
        _parser(language).reset()
        raise Undecodable(f"not {language}: parsing was given up") from None
    if tree.root_node.has_error and any(node.is_error for node in walk(tree.root_node)):
        raise Undecodable(f"not {language}: syntax error")
    return tree.root_node, source


@cache
def _parser(language: str) -> Parser:
    grammars = {"java": tree_sitter_java, "javascript": tree_sitter_javascript}
    return Parser(Language(grammars[language].language()))


def walk(root: Node) -> Iterator[Node]:
    """`root` and all nodes below it, parents before children, in the order of the text."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.children))


def named_arguments(pairs: list[tuple[str | None, str]]) -> dict[str | None, str]:
    """Arguments as a mapping. Raises Undecodable if a name occurs twice, or two arguments have none."""
    arguments: dict[str | None, str] = {}
    for name, value in pairs:
        if name in arguments:
            raise Undecodable(f"the argument {name or 'without a name'} is given twice")
        arguments[name] = value
    return arguments
