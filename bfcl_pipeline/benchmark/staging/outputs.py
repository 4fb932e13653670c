"""Staging: from the pinned release to the data directory.

The release is fetched, verified, read and checked, by the counts of `definition.CATEGORIES` too, before the
first output appears; then all outputs are renamed to their names. Equal releases give equal bytes. Function
docs have no language hints, which are added to prompts.
"""

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.base.files import atomic_path
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.definition import CATEGORIES, Category, Check
from bfcl_pipeline.benchmark.definition import release as pinned
from bfcl_pipeline.benchmark.errata.verified_data import IDENTITY, is_verified
from bfcl_pipeline.benchmark.records import Entry, Json
from bfcl_pipeline.benchmark.staging.executable import (
    read_chatable,
    read_executable,
    read_recorded_calls,
    read_sql,
)
from bfcl_pipeline.benchmark.staging.json_lines import malformed_release
from bfcl_pipeline.benchmark.staging.literals import literal, parse_module, read_texts
from bfcl_pipeline.benchmark.staging.multi_turn import (
    read_api_docs,
    read_memory,
    read_multi_turn,
    read_web_search,
)
from bfcl_pipeline.benchmark.staging.release_files import FAMILY_MODULES, MODEL_CONFIG, questions_file
from bfcl_pipeline.benchmark.staging.single_turn import read_format_sensitivity, read_single_turn
from bfcl_pipeline.benchmark.staging.source import (
    MAX_WHEEL_BYTES,
    Release,
    download_wheel,
    read_bounded,
    read_folder,
    read_wheel,
    sha256_of,
)
from bfcl_pipeline.benchmark.tables import entries_path, write_entries

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
    """The content of models.json, in source order: models of the official tool, read as literals.

    Name, leaderboard details and settings of the official scorer; not the code of handlers. Raises
    MalformedRelease if there are no models.
    """
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


_EXECUTABLE = {"sql": read_sql, "chatable": read_chatable}

_ANSWER_FORMAT = "ADDITIONAL_SYSTEM_PROMPT_FOR_AGENTIC_RESPONSE_FORMAT"


def read_all_entries(release: Release, texts: Mapping[str, Mapping[str, Json]]) -> dict[str, list[Entry]]:
    """The entries of all categories by category, in the order of `definition.CATEGORIES`.

    `texts` is the content of texts.json. Raises MalformedRelease if a file does not have the documented
    form or a category does not have its number of entries.
    """
    docs = read_api_docs(release)
    answer_format = texts["default_prompts"][_ANSWER_FORMAT]
    staged: dict[str, list[Entry]] = {}
    for name, category in CATEGORIES.items():
        match category.check:
            case Check.FORMAT_SENSITIVITY:
                staged[name] = read_format_sensitivity(release, staged)
            case Check.MULTI_TURN:
                staged[name] = read_multi_turn(release, name, docs)
            case Check.MEMORY:
                staged[name] = read_memory(release, name, docs, answer_format)
            case Check.WEB_SEARCH:
                staged[name] = read_web_search(release, name, docs, answer_format)
            case _ if category.group == "executable":
                staged[name] = _EXECUTABLE.get(name, read_executable)(release, name)
            case _:
                staged[name] = read_single_turn(release, name)
        _check_counts(category, staged[name])
    return staged


def _check_counts(category: Category, entries: Sequence[Entry]) -> None:
    prerequisites = sum(entry.prerequisite for entry in entries)
    for kind, got, expected in (
        ("entries", len(entries) - prerequisites, category.entries),
        ("prerequisite sessions", prerequisites, category.prerequisites),
    ):
        if got != expected:
            raise MalformedRelease(
                f"{questions_file(category.name)}: expected {expected} {kind} of {category.name}, "
                f"got {got}. Check that version and source are the pinned release."
            )


def stage(
    data: Path,
    *,
    source: Path | None = None,
    version: str = pinned.VERSION,
    sha256: str = pinned.SHA256,
    log: Log,
) -> None:
    """Writes release/{<wheel>,*.json} and entries/<category>.parquet below `data`.

    Args:
        data: the directory of staged data.
        source: a wheel or an unpacked folder; None: the wheel is fetched with pip, unless it is staged.
        version: of the release.
        sha256: of the wheel or, for a folder, of its contents (`source.contents_sha256`); the hash of the
            pinned wheel also means the pinned contents.
        log: receives lines about the progress.

    Raises:
        StagingError: the release cannot be fetched, verified or read; it names file and line, and nothing
            is written.
    """
    release, wheel = _fetch(data, source, version, sha256, log)
    log(f"read {release.origin}: sha256 verified")
    texts = read_texts(release)
    entries = read_all_entries(release, texts)
    executed = [one for name, rows in entries.items() if CATEGORIES[name].executes for one in rows]
    contents = {} if wheel is None else {_wheel_name(version): wheel}
    contents |= {
        "texts.json": _json_bytes(texts),
        "family_texts.json": _json_bytes(read_family_texts(release)),
        "recorded_calls.json": _json_bytes(read_recorded_calls(release, executed)),
        "models.json": _json_bytes(read_models(release)),
    }
    identity = data / "release" / IDENTITY
    if source is not None and is_verified(source):
        contents[IDENTITY] = (source / IDENTITY).read_bytes()
    else:
        identity.unlink(missing_ok=True)
    with ExitStack() as outputs:
        # The outputs are renamed when the stack unwinds, after all were written without an error.
        for name, content in contents.items():
            outputs.enter_context(atomic_path(data / "release" / name)).write_bytes(content)
        for category, rows in entries.items():
            write_entries(outputs.enter_context(atomic_path(entries_path(data, category))), rows)
            log(f"{category}: {len(rows)} entries")


def _fetch(
    data: Path, source: Path | None, version: str, sha256: str, log: Log
) -> tuple[Release, bytes | None]:
    """The verified release, and the wheel that it was read from, if any."""
    if source is not None and source.is_dir():
        return read_folder(source, sha256), None
    path = data / "release" / _wheel_name(version)
    if source is not None:
        path = source
        wheel = read_bounded(source, MAX_WHEEL_BYTES)
    elif path.is_file() and sha256_of(staged := read_bounded(path, MAX_WHEEL_BYTES)) == sha256.lower():
        wheel = staged
    else:
        log(f"fetching {pinned.DISTRIBUTION} {version} with pip")
        wheel = download_wheel(pinned.DISTRIBUTION, version, _wheel_name(version))
    return read_wheel(path, wheel, sha256), wheel


def _wheel_name(version: str) -> str:
    return pinned.WHEEL.replace(pinned.VERSION, version)


def _json_bytes(value: Json) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
