"""Reads a call written as JavaScript: `object.method(name = value, ...)`.

Reads the first call among the statements of the text. Arguments are assignments; a bare name or `true`
is an argument without a name; everything else among the arguments is ignored, as in the release. Values
stay source text, without quotes around it; `scoring` converts them by the function doc.
Source: the release's reading of the JavaScript return format.
"""

from tree_sitter import Node

from bfcl_pipeline.dialogue.calls.grammar import named_arguments, parse


def read_javascript(text: str) -> list[tuple[str, dict[str | None, str]]] | None:
    """Name and arguments of the first call in `text`; None without a call. Raises Undecodable."""
    root, source = parse(text, "javascript")
    if root.type != "program":
        return None
    for statement in root.children:
        if statement.type != "expression_statement":
            continue
        for expression in statement.children:
            if expression.type == "call_expression":
                name, arguments = expression.children[0], expression.children[1]
                return [(_text(name, source), _arguments(arguments, source))]
    return None


def _arguments(node: Node, source: bytes) -> dict[str | None, str]:
    pairs: list[tuple[str | None, str]] = []
    for child in node.children:
        if child.type == "assignment_expression":
            name, value = child.children[0], child.children[2]
            pairs.append((_text(name, source), _unquoted(_text(value, source))))
        elif child.type in ("identifier", "true"):
            pairs.append((None, _text(child, source)))
    return named_arguments(pairs)


def _unquoted(text: str) -> str:
    for quote in ('"', "'"):
        if text.startswith(quote) and text.endswith(quote):
            return text[1:-1]
    return text


def _text(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode()
