"""Whether the files beside an archive say what follows from it: sums, records of Every Eval Ever, answers.

The files may be from anybody: their number and sizes are bounded, and their content is compared with what
the same code writes from the verified run, never used.
"""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.differences import MISSING, differences, items_of
from bfcl_pipeline.base.files import read_json, read_regular
from bfcl_pipeline.base.text import line_of
from bfcl_pipeline.runs.archived.members import MAX_FILE_BYTES, file_sha256
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.share.gallery.bundle import (
    RECORDS,
    RESULTS,
    SUMS,
    files_of,
    write_exports,
)
from bfcl_pipeline.share.gallery.record import Claims

MOST_FILES = 20_000
MOST_BYTES = 256 * 2**20
"""The largest record, or list of sums, that is read."""

SHOWN = 5
"""How many differences of one kind are listed."""

_LINE = re.compile(r"(?P<sha256>[0-9a-f]{64}) [ *](?P<name>[^\0\n\\]{1,1000})")
_NOT_COMPARED = {"eval_library", "inference_engine", "source_organization_name"}
"""Keys of a record that name the version that wrote it, and who made the run."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A folder with an archive, and what it has beside it."""

    folder: Path
    sums: Mapping[str, str]  # sha256 of each file by its place in the folder, or why it has none
    claims: Claims

    @classmethod
    def read(cls, folder: Path) -> "Bundle":
        """The bundle in a folder; a folder with neither sums nor records has nothing to check."""
        claims = Claims(line_of(folder.name))
        is_bundle = (folder / SUMS).is_file() or (folder / RECORDS).is_dir()
        files = sorted(islice(files_of(folder), MOST_FILES + 1)) if is_bundle else []
        if len(files) > MOST_FILES:
            claims.wrong.append(f"more than {MOST_FILES:,} files")
            files = []
        sums = {path.relative_to(folder).as_posix(): sum_of(path) for path in files}
        bundle = cls(folder, sums, claims)
        if files:
            bundle.check_sums()
        return bundle

    def check_sums(self) -> None:
        """Compares the files with the list of their sums, of which each line must be one."""
        try:
            lines = read_regular(self.folder / SUMS, MOST_BYTES).decode().removesuffix("\n").split("\n")
        except (OSError, ValueError):
            self.differing(SUMS, ["missing, or cannot be read"], "")
            return
        listed: dict[str, str] = {}
        wrong: list[str] = []
        for number, line in enumerate(lines, start=1):
            match = _LINE.fullmatch(line)
            if match is None:
                wrong.append(f"line {number:,} is not the sum of a file")
            elif match["name"] in listed:
                wrong.append(f"{match['name']} is listed twice")
            else:
                listed[match["name"]] = match["sha256"]
        files = {name: sha256 for name, sha256 in self.sums.items() if name != SUMS}
        how = ("is listed but not there", "is not listed", "has another sha256")
        wrong += file_differences(listed, files, *how)
        self.differing(SUMS, wrong, f"{len(listed):,} files have the sha256 that it lists")

    def below(self, folder: str) -> dict[str, str]:
        """The sums of the files below a folder, by their places in it."""
        start = f"{folder}/"
        return {
            name.removeprefix(start): sha256 for name, sha256 in self.sums.items() if name.startswith(start)
        }

    def differing(self, what: str, lines: list[str], right: str) -> None:
        """Notes the first of some differences; if there are none, what is right."""
        self.claims.wrong += [line_of(f"{what}: {line}") for line in lines[:SHOWN]]
        if len(lines) > SHOWN:
            self.claims.wrong.append(f"{what}: and {len(lines) - SHOWN:,} more differences")
        if not lines:
            self.claims.right.append(f"{what}: {right}")


def sum_of(path: Path) -> str:
    """The sha256 of a file, or why it has none."""
    try:
        return "too large" if path.stat().st_size > MAX_FILE_BYTES else file_sha256(path)
    except OSError as error:
        return f"cannot be read: {error.strerror}"


def check_exports(bundles: Sequence[Bundle], run: ArchivedRun) -> None:
    """Compares the exports of bundles with those of the verified run, which are made once."""
    bundles = [bundle for bundle in bundles if bundle.sums]
    if not bundles:
        return
    with tempfile.TemporaryDirectory(prefix="bfcl-bundle-") as temporary:
        again = Path(temporary)
        _, answers = write_exports(run, again, "unknown", lambda _line: None)
        derived = Bundle.read(again)
        for bundle in bundles:
            if bundle.below(RECORDS):
                _check_records(bundle, derived)
            if stated := bundle.below(RESULTS):
                how = (
                    "does not follow from the archive",
                    "is missing",
                    "differs from the archive's answers",
                )
                wrong = list(file_differences(stated, derived.below(RESULTS), *how))
                right = f"the {answers:,} answers of the archive"
                bundle.differing("official result folders", wrong, right)


def _check_records(bundle: Bundle, again: Bundle) -> None:
    derived = {_key(document): document for document in _documents(again)}
    wrong: list[str] = []
    stated: set[str] = set()
    try:
        for document in _documents(bundle):
            key = _key(document)
            stated.add(key)
            if key not in derived:
                wrong.append(f"a record of {key}, which is not a model of the archive")
            else:
                wrong += (f"{key}, {line}" for line in _differing_values(document, derived[key]))
    except (OSError, ValueError) as error:
        wrong.append(f"cannot be read ({error.__class__.__name__})")
    wrong += [f"no record of {key}" for key in sorted(set(derived) - stated)]
    numbers = sum(len(document["evaluation_results"]) for document in derived.values())
    what = "records of Every Eval Ever"
    bundle.differing(what, wrong, f"{numbers:,} scores equal the derived ones")


def _documents(bundle: Bundle) -> Iterator[Mapping[str, Any]]:
    for name in bundle.below(RECORDS):
        if name.endswith(".json"):
            document = read_json(bundle.folder / RECORDS / name, MOST_BYTES)
            if not isinstance(document, dict):
                raise ValueError("not an object")  # of the content, not of the code
            yield document


def _key(document: Mapping[str, Any]) -> str:
    """What a record is of: the model and the run are in its id."""
    return str(document.get("evaluation_id"))[:300]


def _differing_values(stated: Any, derived: Any) -> Iterator[str]:
    """The places in which two documents differ, with both values; anybody may be the organization."""
    for one in differences(stated, derived, parts=_parts):
        if MISSING in (one.first, one.second):
            yield f"{one.path}: {'added' if one.second is MISSING else 'missing'}"
        else:
            yield f"{one.path}: {one.first!r:.60}, derived {one.second!r:.60}"


def _parts(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, dict):
        return {f".{name}": item for name, item in value.items() if name not in _NOT_COMPARED}
    return items_of(value)


def file_differences(
    first: Mapping[str, str], second: Mapping[str, str], only_first: str, only_second: str, other: str
) -> Iterator[str]:
    """What differs between two lists of files, by their sha256: a line for each, sorted by name.

    only_first, only_second, other: what is said of a file that only one has, or that has other bytes.
    """
    for one in sorted(differences(first, second), key=lambda difference: difference.path):
        how = only_first if one.second is MISSING else only_second if one.first is MISSING else other
        yield f"{one.path} {how}"
