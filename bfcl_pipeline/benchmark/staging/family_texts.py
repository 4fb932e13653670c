"""The long texts in the prompts of open-weight models, read from the syntax tree and never executed.

Covers the constants of the release's modules for model families, also the parts of f-strings, without
docstrings. `families.rendering` looks them up by their beginnings.
"""

import ast
from collections.abc import Iterator

from bfcl_pipeline.benchmark.staging.literals import parse_module
from bfcl_pipeline.benchmark.staging.release_files import FAMILY_MODULES
from bfcl_pipeline.benchmark.staging.source import Release

LONG = 60
"""Characters from which on a text is staged; the templates have shorter ones themselves."""


def read_family_texts(release: Release) -> dict[str, list[str]]:
    """The content of family_texts.json: texts by module, in source order, each once.

    Raises MalformedRelease if a module is not Python.
    """
    return {
        name: list(dict.fromkeys(_texts(parse_module(release, path))))
        for name, path in FAMILY_MODULES.items()
    }


def _texts(tree: ast.Module) -> Iterator[str]:
    unused = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    found = [
        (node.lineno, node.col_offset, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in unused
    ]
    for _, _, text in sorted(found):
        if len(text) >= LONG:
            yield text
