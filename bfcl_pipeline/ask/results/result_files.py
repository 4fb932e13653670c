"""Finding the files of results in a folder, by model and category.

Covers the layouts in which results are published: that of `results.layout`, files without the folders of
groups, the folder of one model, and the folder of a run with `result` in it. Only names are looked at. A
file that belongs to no category, or is one of two for the same, is listed with the reason.
"""

from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.ask.results.former_results import RESULT_FILE, ResultName, result_name
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import files_below, is_regular
from bfcl_pipeline.benchmark.definition import CATEGORIES

RESULT = "result"
"""The official tool's name of the folder with the models."""


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One file of results."""

    path: Path
    folder: str  # name of the model's folder
    model_dir: Path  # that folder; the one that holds the file if the model has none
    category: str
    sessions: bool  # of memory sessions, which are not scored; else of entries


@dataclass(frozen=True, slots=True)
class NotRead:
    """A file, or a line of one, that is not read."""

    path: Path
    reason: str  # the same for all lines of the file with this defect
    line: int | None = None  # from 1; None: the whole file
    detail: str = ""  # what this line has


@dataclass(frozen=True, slots=True)
class FoundResults:
    """The files below a folder."""

    files: list[ResultFile]  # by model, category, entries before sessions
    not_read: list[NotRead]


def find_results(result_dir: Path) -> FoundResults:
    """The files of results below `result_dir`.

    Of several files of one model and category that of the newest version of the tool is read, and none if
    there are two of it.

    Raises ConfigError if there is no file that can be read, or `files_below` refuses.
    """
    paths = [path for path in files_below(result_dir) if RESULT_FILE.fullmatch(path.name)]
    inner = result_dir / RESULT
    root = inner if any(path.is_relative_to(inner) for path in paths) else result_dir
    groups = {category.group for category in CATEGORIES.values()}
    own = root.resolve()
    model = own.parent.name if own.name == RESULT else own.name
    found: dict[tuple[str, str, bool], dict[Path, ResultName]] = {}
    not_read = []
    for path in paths:
        if not is_regular(path) or not path.is_relative_to(root):
            reason = f"outside of {inner}" if is_regular(path) else "not a regular file"
            not_read.append(NotRead(path, reason))
            continue
        try:
            name = result_name(path.name)
        except ConfigError as error:
            not_read.append(NotRead(path, str(error)))
            continue
        parts = path.relative_to(root).parts
        folder = model if len(parts) == 1 or parts[0] in groups else parts[0]
        found.setdefault((folder, name.category, name.sessions), {})[path] = name
    files = []
    for (folder, category, sessions), named in found.items():
        newest = max(name.version for name in named.values())
        first, *others = [path for path, name in named.items() if name.version == newest]
        old = [path for path, name in named.items() if name.version < newest]
        not_read += [
            NotRead(path, f"{category} of {folder} of a newer version is in {first}") for path in old
        ]
        if others:
            reason = f"duplicate {category} of {folder}, first {first}. Keep one"
            deeper = "" if folder == model else f", or name {root / folder}, if its folders are the models"
            not_read += [NotRead(path, reason + deeper) for path in (first, *others)]
        else:
            model_dir = root if folder == model else root / folder
            files.append(ResultFile(first, folder, model_dir, category, sessions))
    if all(file.sessions for file in files):
        reasons = "".join(f" {each.path}: {each.reason}." for each in not_read[:3])
        raise ConfigError(
            f"{result_dir}: no results of the official tool; expected "
            f"<model>/<group>/BFCL_v4_<category>_result.json under it, or a model's own folder.{reasons}"
        )
    order = list(CATEGORIES)
    files.sort(key=lambda file: (file.folder, order.index(file.category), file.sessions))
    return FoundResults(files, not_read)
