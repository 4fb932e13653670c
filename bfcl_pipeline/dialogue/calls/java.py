"""Reads a call written as Java: `Class.method(name = value, ...)`.

Reads the first method invocation of the text. Arguments are assignments; a bare name or class literal
is an argument without a name; everything else among the arguments is ignored, as in the release. Values
stay source text; `scoring` converts them by the function doc.
Source: the release's reading of the Java return format.
"""

from dataclasses import dataclass

from tree_sitter import Node

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.dialogue.calls.grammar import MAX_LEVELS, named_arguments, parse, walk
from bfcl_pipeline.dialogue.calls.limits import Undecodable

_QUOTED = ("string_literal", "character_literal")
_WHOLE = ("identifier", "class_literal", "type_identifier", "method_invocation")


@dataclass(frozen=True, slots=True)
class _Source:
    """The parsed text, in both encodings."""

    text: str
    encoded: bytes
    rules: Rules

    def of(self, node: Node) -> str:
        """The source text of `node`."""
        return cut_source(self, node.start_byte, node.end_byte)


def cut_source(source: _Source, start_byte: int, end_byte: int) -> str:
    """Rule `java-offsets`: official applies byte offsets to characters, so any character outside ASCII
    shifts all text after it. Corrected converts the offsets.
    """
    if source.rules is Rules.OFFICIAL:
        return source.text[start_byte:end_byte]
    return source.encoded[start_byte:end_byte].decode()


def read_java(text: str, rules: Rules) -> list[tuple[str, dict[str | None, str]]] | None:
    """Name and arguments of the first call in `text`; None without a call. Raises Undecodable."""
    root, encoded = parse(text, "java")
    source = _Source(text, encoded, rules)
    for node in walk(root):
        if node.type == "method_invocation":
            return [(_name(node, source), _arguments(node, source))]
    return None


def _name(invocation: Node, source: _Source) -> str:
    name = source.of(_field(invocation, "name"))
    target = invocation.child_by_field_name("object")
    return name if target is None else f"{source.of(target)}.{name}"


def _arguments(invocation: Node, source: _Source) -> dict[str | None, str]:
    pairs: list[tuple[str | None, str]] = []
    for node in _field(invocation, "arguments").children:
        if node.type == "assignment_expression":
            name, value = node.children[0], node.children[2]
            pairs.append((source.of(name), _value(value, source)))
        elif node.type in ("identifier", "class_literal"):
            pairs.append((None, source.of(node)))
    return named_arguments(pairs)


def _value(node: Node, source: _Source) -> str:
    """The source text of a value, without the quotes of a literal."""
    if node.type in _QUOTED:
        return source.of(node)[1:-1]
    return _text(node, source, MAX_LEVELS)


def _text(node: Node, source: _Source, levels: int) -> str:
    """The source text of a node without the white space between its parts."""
    if levels == 0:
        raise Undecodable(f"a value is nested more than {MAX_LEVELS} levels deep")
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


def _creation(node: Node, source: _Source, levels: int) -> str:
    kind = _text(_field(node, "type"), source, levels - 1)
    given = node.child_by_field_name("arguments")
    arguments = [
        _text(child, source, levels - 1)
        for child in (given.children if given else ())
        if child.type not in (",", "(", ")")
    ]
    return f"new {kind}({', '.join(arguments)}){class_body(node, source)}"


def class_body(node: Node, source: _Source) -> str:
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
