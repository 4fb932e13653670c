"""Whether the files beside an archive say what follows from it: sums, records of Every Eval Ever, answers.

The files may be from anybody: their number and sizes are bounded, and their content is compared with what
the same code writes from the verified run, never used.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.files import read_regular
from bfcl_pipeline.base.text import line_of
from bfcl_pipeline.runs.archived.members import MAX_FILE_BYTES, file_sha256
from bfcl_pipeline.runs.archived.unpacking import ArchivedRun
from bfcl_pipeline.share.gallery.bundle import (
    RECORDS,
    RESULTS,
    SUMS,
    files_of,
    scores_of,
    write_records,
    write_results,
)
from bfcl_pipeline.share.gallery.record import Claims

MOST_FILES = 20_000
MOST_BYTES = 256 * 2**20
"""The largest record, or list of sums, that is read."""

SHOWN = 5
"""How many differences of one kind are listed."""

_LINE = re.compile(r"(?P<sha256>[0-9a-f]{64}) [ *](?P<name>[^\0\n\\]{1,1000})")
_NOT_COMPARED = {"eval_library", "inference_engine"}
"""Keys of a record that name the version that wrote it."""


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
        wrong += [f"{name} is listed but not there" for name in sorted(set(listed) - set(files))]
        wrong += [f"{name} is not listed" for name in sorted(set(files) - set(listed))]
        both = sorted(set(files) & set(listed))
        wrong += [f"{name} has another sha256" for name in both if files[name] != listed[name]]
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
        write_records(scores_of(run, run.metadata.ended), again, "unknown", _silent)
        answers = write_results(run, again, _silent)
        derived = Bundle.read(again)
        for bundle in bundles:
            if bundle.below(RECORDS):
                _check_records(bundle, derived)
            if bundle.below(RESULTS):
                wrong = list(_differing_files(bundle.below(RESULTS), derived.below(RESULTS)))
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
                wrong += _differing_values(document, derived[key], key)
    except (OSError, ValueError, RecursionError) as error:
        wrong.append(f"cannot be read ({error.__class__.__name__})")
    wrong += [f"no record of {key}" for key in sorted(set(derived) - stated)]
    numbers = sum(len(document["evaluation_results"]) for document in derived.values())
    what = "records of Every Eval Ever"
    bundle.differing(what, wrong, f"{numbers:,} scores equal the derived ones")


def _documents(bundle: Bundle) -> Iterator[Mapping[str, Any]]:
    for name in bundle.below(RECORDS):
        if name.endswith(".json"):
            document = json.loads(read_regular(bundle.folder / RECORDS / name, MOST_BYTES))
            if not isinstance(document, dict):
                raise ValueError("not an object")  # of the content, not of the code
            yield document


def _key(document: Mapping[str, Any]) -> str:
    """What a record is of: the model and the run are in its id."""
    return str(document.get("evaluation_id"))[:300]


def _differing_values(stated: Any, derived: Any, where: str) -> list[str]:
    """The places in which two documents differ, with both values; anybody may be the organization."""
    if isinstance(stated, dict) and isinstance(derived, dict):
        found = []
        for name in sorted({*stated, *derived} - _NOT_COMPARED - {"source_organization_name"}):
            place = f"{where}, {name}"
            if name not in stated or name not in derived:
                found.append(f"{place}: {'added' if name in stated else 'missing'}")
            else:
                found += _differing_values(stated[name], derived[name], place)
        return found
    if isinstance(stated, list) and isinstance(derived, list) and len(stated) == len(derived):
        pairs = zip(stated, derived, strict=True)
        return [
            line for one, two in pairs for line in _differing_values(one, two, f"{where}, {_named(two)}")
        ]
    return [] if stated == derived else [f"{where}: {stated!r:.60}, derived {derived!r:.60}"]


def _named(value: Any) -> str:
    return str(value.get("evaluation_name", "")) if isinstance(value, dict) else "item"


def _differing_files(stated: Mapping[str, str], derived: Mapping[str, str]) -> Iterator[str]:
    yield from (f"{name} does not follow from the archive" for name in sorted(set(stated) - set(derived)))
    yield from (f"{name} is missing" for name in sorted(set(derived) - set(stated)))
    for name in sorted(set(stated) & set(derived)):
        if stated[name] != derived[name]:
            yield f"{name} differs from the archive's answers"


def _silent(line: str) -> None:
    """Receives lines that nobody reads: the same were logged when the bundle was written."""
