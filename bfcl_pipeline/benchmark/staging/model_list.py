"""The models that the official tool supports, and the long texts in prompts of open weights, as literals.

Covers name, leaderboard details and the settings of the official scorer for each, and the constants of the
modules for model families, which `families.rendering` looks up by their beginnings. The source is read as a
syntax tree and never executed; the code of handlers is not read.
"""

import ast
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.staging.json_lines import malformed_release
from bfcl_pipeline.benchmark.staging.literals import literal, parse_module
from bfcl_pipeline.benchmark.staging.release_files import FAMILY_MODULES, MODEL_CONFIG
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


@dataclass(frozen=True, slots=True)
class OfficialModel:
    """One row of models.json."""

    name: str  # on the official command line
    model_name: str  # of its vendor or on the model hub
    display_name: str  # on the leaderboard
    url: str
    org: str
    license: str
    handler: str  # name of the official class that sends its requests and reads its answers
    input_price: float | None = None  # USD per million tokens
    output_price: float | None = None  # USD per million tokens
    is_fc_model: bool = True  # native function calling; False: prompted
    underscore_to_dot: bool = False  # dots in names of functions are replaced by underscores


_FIELDS = {field.name for field in fields(OfficialModel)}


def read_models(release: Release) -> list[dict[str, Json]]:
    """The content of models.json, in source order. Raises MalformedRelease if there are no models."""
    models = [
        asdict(_model(key, call))
        for statement in parse_module(release, MODEL_CONFIG).body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict)
        for key, call in zip(statement.value.keys, statement.value.values, strict=True)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "ModelConfig"
    ]
    if not models:
        raise malformed_release(MODEL_CONFIG, "a mapping of names to ModelConfig(...)", "none")
    return models


def _model(key: ast.expr | None, call: ast.Call) -> OfficialModel:
    where = f"{MODEL_CONFIG}:{call.lineno}"
    details: dict[str, Any] = {}
    try:
        details["name"] = literal(key, {}) if key is not None else None
        for keyword in call.keywords:
            if keyword.arg == "model_handler":
                details["handler"] = ast.unparse(keyword.value)
            elif keyword.arg in _FIELDS:
                details[keyword.arg] = literal(keyword.value, {})
        return OfficialModel(**details)
    except (TypeError, ValueError) as error:
        raise malformed_release(where, "a name and ModelConfig(...) of literals", str(error)) from error
