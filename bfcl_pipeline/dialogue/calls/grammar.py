"""Reads a call written as Java or JavaScript, `Class.method(name = value, ...)`, with tree-sitter.

Java: the first method invocation of the text; JavaScript: the first call among its statements. Arguments
are assignments; a bare name, class literal or (in JavaScript) `true` is an argument without a name;
everything else among the arguments is ignored, as in the release. Values stay source text; `scoring`
converts them by the function doc. A tree is only walked with an explicit stack or to a bounded depth,
because tree-sitter's own printing is recursive in C and overflows the stack on hostile input.

Source: the release's reading of the Java and JavaScript return formats.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count

import tree_sitter_java
import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

from bfcl_pipeline.benchmark.records import Rules
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

_MAX_LEVELS = 450
"""Depth to which a value's syntax tree is converted to text."""


def _parse(text: str, language: str) -> tuple[Node, bytes]:
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
    if tree.root_node.has_error and any(node.is_error for node in _walk(tree.root_node)):
        raise Undecodable(f"not {language}: syntax error")
    return tree.root_node, source


@cache
def _parser(language: str) -> Parser:
    grammars = {"java": tree_sitter_java, "javascript": tree_sitter_javascript}
    return Parser(Language(grammars[language].language()))


def _walk(root: Node) -> Iterator[Node]:
    """`root` and all nodes below it, parents before children, in the order of the text."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.children))


def _named_arguments(pairs: list[tuple[str | None, str]]) -> dict[str | None, str]:
    """Arguments as a mapping. Raises Undecodable if a name occurs twice, or two arguments have none."""
    arguments: dict[str | None, str] = {}
    for name, value in pairs:
        if name in arguments:
            raise Undecodable(f"the argument {name or 'without a name'} is given twice")
        arguments[name] = value
    return arguments


_QUOTED = ("string_literal", "character_literal")
_WHOLE = ("identifier", "class_literal", "type_identifier", "method_invocation")


@dataclass(frozen=True, slots=True)
class _Java:
    """The parsed text, in both encodings."""

    text: str
    encoded: bytes
    rules: Rules

    def of(self, node: Node) -> str:
        """The source text of `node`."""
        return cut_source(self, node.start_byte, node.end_byte)


def cut_source(source: _Java, start_byte: int, end_byte: int) -> str:
    """Rule `java-offsets`: official applies byte offsets to characters, so any character outside ASCII
    shifts all text after it. Corrected converts the offsets.
    """
    if source.rules is Rules.OFFICIAL:
        return source.text[start_byte:end_byte]
    return source.encoded[start_byte:end_byte].decode()


def read_java(text: str, rules: Rules) -> list[tuple[str, dict[str | None, str]]] | None:
    """Name and arguments of the first call in `text`; None without a call. Raises Undecodable."""
    root, encoded = _parse(text, "java")
    source = _Java(text, encoded, rules)
    for node in _walk(root):
        if node.type == "method_invocation":
            return [(_java_name(node, source), _java_arguments(node, source))]
    return None


def _java_name(invocation: Node, source: _Java) -> str:
    name = source.of(_field(invocation, "name"))
    target = invocation.child_by_field_name("object")
    return name if target is None else f"{source.of(target)}.{name}"


def _java_arguments(invocation: Node, source: _Java) -> dict[str | None, str]:
    pairs: list[tuple[str | None, str]] = []
    for node in _field(invocation, "arguments").children:
        if node.type == "assignment_expression":
            name, value = node.children[0], node.children[2]
            pairs.append((source.of(name), _value(value, source)))
        elif node.type in ("identifier", "class_literal"):
            pairs.append((None, source.of(node)))
    return _named_arguments(pairs)


def _value(node: Node, source: _Java) -> str:
    """The source text of a value, without the quotes of a literal."""
    if node.type in _QUOTED:
        return source.of(node)[1:-1]
    return _text(node, source, _MAX_LEVELS)


def _text(node: Node, source: _Java, levels: int) -> str:
    """The source text of a node without the white space between its parts."""
    if levels == 0:
        raise Undecodable(f"a value is nested more than {_MAX_LEVELS} levels deep")
    if node.type in _QUOTED or node.type in _WHOLE:
        return source.of(node)
    if node.type == "array_creation_expression":
        kind = _text(_field(node, "type"), source, levels - 1)
        return f"new {kind}[]{_text(_field(node, 'value'), source, levels - 1)}"
    if node.type == "object_creation_expression":
        return _creation(node, source, levels)
    if not node.children:
        return source.of(node)
    text = ""
    for child in node.children:  # not a comprehension, which would add a stack frame per level
        text += _text(child, source, levels - 1)
    return text


def _creation(node: Node, source: _Java, levels: int) -> str:
    kind = _text(_field(node, "type"), source, levels - 1)
    given = node.child_by_field_name("arguments")
    arguments = [
        _text(child, source, levels - 1)
        for child in (given.children if given else ())
        if child.type not in (",", "(", ")")
    ]
    return f"new {kind}({', '.join(arguments)}){class_body(node, source)}"


def class_body(node: Node, source: _Java) -> str:
    """Rule `java-initialiser`: official drops the body of `new ArrayList<>() {{ add(1); }}`, so the
    collection is read as empty. Corrected keeps the body.
    """
    if source.rules is Rules.OFFICIAL:
        return ""
    bodies = [source.of(child) for child in node.children if child.type == "class_body"]
    return "".join(f" {body}" for body in bodies)


def _field(node: Node, name: str) -> Node:
    child = node.child_by_field_name(name)
    if child is None:
        raise Undecodable(f"a {node.type} has no {name}")
    return child


def read_javascript(text: str) -> list[tuple[str, dict[str | None, str]]] | None:
    """Name and arguments of the first call in `text`; None without a call. Raises Undecodable."""
    root, source = _parse(text, "javascript")
    if root.type != "program":
        return None
    for statement in root.children:
        if statement.type != "expression_statement":
            continue
        for expression in statement.children:
            if expression.type == "call_expression":
                name, arguments = expression.children[0], expression.children[1]
                return [(_source_text(name, source), _javascript_arguments(arguments, source))]
    return None


def _javascript_arguments(node: Node, source: bytes) -> dict[str | None, str]:
    pairs: list[tuple[str | None, str]] = []
    for child in node.children:
        if child.type == "assignment_expression":
            name, value = child.children[0], child.children[2]
            pairs.append((_source_text(name, source), _unquoted(_source_text(value, source))))
        elif child.type in ("identifier", "true"):
            pairs.append((None, _source_text(child, source)))
    return _named_arguments(pairs)


def _unquoted(text: str) -> str:
    for quote in ('"', "'"):
        if text.startswith(quote) and text.endswith(quote):
            return text[1:-1]
    return text


def _source_text(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode()
