"""What identifies the weights of an open model: the digest of its files, or its commit on the hub.

A model in a directory is identified by all files from which it may be loaded. Each is hashed once; its hash
is kept by size and modification time, and files that the hub's cache names by their SHA-256 are not read.
Of a model from the hub, the commit is read from that cache; nothing is fetched.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import named_file, read_json, write_text
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import JobPaths, ModelRow
from bfcl_pipeline.benchmark.config.choices import OPEN_KINDS
from bfcl_pipeline.benchmark.config.model_rows import COMMIT, UNKNOWN_WEIGHTS
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.families.rendering import prompts_digest

_COMMIT = re.compile(r"[0-9a-f]{40}")


def cached_commit(model: str, revision: str | None = None) -> str | None:
    """The commit of a branch, tag or commit (default: main) of a model; None if it is not known here."""
    revision = revision or "main"
    if _COMMIT.fullmatch(revision):
        return revision
    try:
        commit = (_folder(model) / "refs" / revision).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return None
    return commit if _COMMIT.fullmatch(commit) else None


def model_files(model: str, revision: str | None = None) -> Path | None:
    """A model's own folder, or that in the hub's cache; None if neither is here."""
    return Path(model) if Path(model).is_dir() else cached_snapshot(model, revision)


def cached_snapshot(model: str, revision: str | None = None) -> Path | None:
    """The directory with the files of a model at a revision; None if there is none."""
    commit = cached_commit(model, revision)
    folder = _folder(model) / "snapshots" / (commit or "")
    return folder if commit is not None and folder.is_dir() else None


def _folder(model: str) -> Path:
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache/huggingface")
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    return hub / f"models--{model.replace('/', '--')}"


WEIGHTS_CACHE = JobPaths().weights_cache
"""Where hashes of files are kept. It can be deleted at any time."""

ANNOUNCED_BYTES = 2**30
"""Reading this much takes long enough for a line in the log."""

MOST_BYTES = 2**44
"""Of one file: no weights are larger, but some files of a system that are computed when they are read."""

TEMPLATES = "additional_chat_templates"
"""The subdirectory from which tokenizers read further chat templates."""

_MOST_INDEX_BYTES = 2**28
_DOCUMENTS = (".md", ".gitattributes", ".gitignore", ".png", ".jpg", ".svg", ".pdf")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def identify_weights(row: ModelRow, log: Log = lambda _line: None, cache: Path = WEIGHTS_CACHE) -> ModelRow:
    """`row` with the digests of its weights and prompts, if it is of open weights that a run loads.

    Args:
        row: the model. A digest that it has already is checked, if its directory is here.
        log: receives a line before much is read.
        cache: directory of the hashes that are kept.

    Raises:
        ConfigError: a file cannot be read, or the weights are not those that the row names.
    """
    if row.kind not in OPEN_KINDS:
        return row
    if row.family is not None and row.prompts is None:
        row = replace(row, prompts=prompts_digest(row.family))
    if row.weights == UNKNOWN_WEIGHTS or (row.kind == "vllm" and not row.served):
        return row  # it was decided before, or the weights are those of another program
    folder = Path(row.model)
    if not folder.exists():
        if row.weights is not None:
            return row
        return replace(row, weights=UNKNOWN_WEIGHTS if is_path(row.model) else _commit_of(row))
    found = folder_digest(folder, log, cache)
    if row.weights not in (None, found):
        raise ConfigError(
            f"model {row.name!r}: the files in {folder} are not those that its row names: weights are "
            f"{found}, not {row.weights}. Restore them, or remove `weights` from the row."
        )
    return replace(row, weights=found)


def identified_rows(
    rows: Mapping[str, ModelRow], names: Iterable[str], log: Log, cache: Path = WEIGHTS_CACHE
) -> dict[str, ModelRow]:
    """`rows`, those called `names` as of `identify_weights`. Raises ConfigError as it does."""
    wanted = frozenset(names)
    return {
        name: identify_weights(row, log, cache) if name in wanted else row for name, row in rows.items()
    }


def is_path(model: str) -> bool:
    """Whether `model` can only be a path, not a name on the hub."""
    return model.startswith(("/", "./", "../", "~")) or model.count("/") > 1


def folder_digest(folder: Path, log: Log = lambda _line: None, cache: Path = WEIGHTS_CACHE) -> str:
    """`sha256:` and the digest of the names and contents of the files in `folder`, or of one file.

    Subdirectories do not count but for `TEMPLATES` and what an index of the weights names, nor do hidden
    files and documents. Raises ConfigError if a file cannot be read.
    """
    digests = file_digests(folder, log, cache)
    lines = "".join(f"{sha256} {name}\n" for name, sha256 in sorted(digests.items()))
    return f"sha256:{hashlib.sha256(os.fsencode(lines)).hexdigest()}"


def file_digests(
    folder: Path, log: Log = lambda _line: None, cache: Path = WEIGHTS_CACHE
) -> dict[str, str]:
    """The SHA-256 of each file in `folder` that counts, by name; or of `folder`, if it is a file.

    Raises ConfigError if a file cannot be read.
    """
    folder = folder.resolve()
    kept = cache / f"{hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]}.json"
    before = _kept(kept)
    now: dict[str, Json] = {}
    try:
        files = _files(folder)
        stats = {name: path.stat() for name, path in files.items()}
        stamps = {name: [stat.st_size, stat.st_mtime_ns] for name, stat in stats.items()}
        unread = [name for name in files if before.get(name, [])[:2] != stamps[name]]
        size = sum(stats[name].st_size for name in unread if _blob(files[name]) is None)
        if size >= ANNOUNCED_BYTES:
            log(f"{folder}: hashing {size / 2**30:,.1f} GiB of weights, once")
        for name, path in files.items():
            sha256 = _sha256(path, stats[name].st_size) if name in unread else before[name][2]
            now[name] = [*stamps[name], sha256]
    except OSError as error:
        raise ConfigError(
            f"{error.filename or folder}: cannot read a file of the model ({error.strerror})."
        ) from error
    if now != before:
        try:
            write_text(kept, json.dumps(now, indent=1) + "\n")
        except OSError as error:  # for example a file system without write access
            log(f"{kept}: hashes of the weights are not kept ({error.strerror})")
    return {name: values[2] for name, values in now.items()}


def _files(folder: Path) -> dict[str, Path]:
    """The files that count, by their names in `folder`; or `folder`, if it is a file."""
    if folder.is_file():
        return {folder.name: folder}
    names = {path.name for path in folder.iterdir() if _counts(path.name)}
    names |= {f"{TEMPLATES}/{path.name}" for path in (folder / TEMPLATES).glob("*.jinja")}
    names |= {part for index in folder.glob("*.index.json") for part in _parts(index)}
    return {name: folder / name for name in sorted(names) if (folder / name).is_file()}


def _parts(index: Path) -> set[str]:
    """The files with the weights of a model, as its index names them: also in other directories."""
    try:
        named = read_json(named_file(index), _MOST_INDEX_BYTES)["weight_map"].values()
        return {name for name in named if isinstance(name, str) and "\0" not in name}
    except (AttributeError, LookupError, OSError, TypeError, ValueError):
        return set()  # nothing can be loaded by it


def _counts(name: str) -> bool:
    return not name.startswith(".") and not name.lower().endswith(_DOCUMENTS)


def _kept(path: Path) -> dict[str, list[Json]]:
    """The hashes in `path`: size, modification time and SHA-256 by file name; empty if unreadable."""
    try:
        values = read_json(path, _MOST_INDEX_BYTES)
    except (OSError, ValueError):
        return {}
    known = values.items() if isinstance(values, dict) else ()
    return {name: value for name, value in known if _is_kept(value)}


def _is_kept(value: Json) -> bool:
    return (
        isinstance(value, list)
        and [type(item) for item in value] == [int, int, str]
        and _SHA256.fullmatch(value[2]) is not None
    )


def _sha256(path: Path, size: int) -> str:
    """Of a file of `size` bytes. Empty ones are not opened: reading some files of a system never ends."""
    blob = _blob(path)
    if blob is not None:
        return blob
    if size == 0:
        return hashlib.sha256().hexdigest()
    if size > MOST_BYTES:
        raise ConfigError(f"{path}: not a file of a model ({size / 2**40:,.0f} TiB). Correct `model`.")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _blob(path: Path) -> str | None:
    """The SHA-256 by which the hub's cache names the content of a link; None if it does not."""
    target = path.resolve()
    return target.name if target.parent.name == "blobs" and _SHA256.fullmatch(target.name) else None


def _commit_of(row: ModelRow) -> str | None:
    """`commit:` and the commit of a model in the hub's cache; None if it is not there."""
    commit = cached_commit(row.model, row.revision)
    return f"{COMMIT}{commit}" if commit is not None else None
