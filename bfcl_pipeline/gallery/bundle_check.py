"""Whether the files beside an archive say what follows from it: sums, records of Every Eval Ever, answers.

The files may be from anybody: their number and sizes are bounded, and their content is compared with what
the same code writes from the verified run, never used.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bfcl_pipeline.archive.findings import UnpackedRun
from bfcl_pipeline.archive.members import file_sha256
from bfcl_pipeline.files import read_regular
from bfcl_pipeline.gallery.bundle import (
    RECORDS,
    RESULTS,
    SUMS,
    files_of,
    scores_of,
    write_records,
    write_results,
)
from bfcl_pipeline.text import line_of

MOST_FILES = 20_000
MOST_BYTES = 256 * 2**20
"""The largest file beside an archive that is read."""

SHOWN = 5
"""How many differences of one kind are listed."""

_LINE = re.compile(r"(?P<sha256>[0-9a-f]{64}) [ *](?P<name>[^\0\n\\]{1,1000})")
_NOT_COMPARED = {"eval_library", "inference_engine"}
"""Keys of a record that name the version that wrote it."""


@dataclass(slots=True)
class Claims:
    """What the files beside an archive say."""

    right: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def differing(self, what: str, lines: list[str]) -> None:
        """Adds the first of some differences."""
        self.wrong += [line_of(f"{what}: {line}") for line in lines[:SHOWN]]
        if len(lines) > SHOWN:
            self.wrong.append(f"{what}: and {len(lines) - SHOWN:,} more differences")


def check_sums(bundle: Path, claims: Claims) -> None:
    """Compares the files of a bundle with its list of sums."""
    files = {path.relative_to(bundle).as_posix(): path for path in files_of(bundle)}
    if len(files) > MOST_FILES:
        claims.wrong.append(f"{len(files):,} files; a bundle has at most {MOST_FILES:,}")
        return
    try:
        text = read_regular(bundle / SUMS, MOST_BYTES).decode()
    except (OSError, ValueError):
        claims.wrong.append(f"{SUMS}: missing, or cannot be read")
        return
    listed = {match["name"]: match["sha256"] for match in map(_LINE.fullmatch, text.splitlines()) if match}
    wrong = [f"{name} is listed but not there" for name in sorted(set(listed) - set(files))]
    wrong += [f"{name} is not listed" for name in sorted(set(files) - set(listed))]
    wrong += [
        f"{name} has another sha256"
        for name in sorted(set(files) & set(listed))
        if file_sha256(files[name]) != listed[name]
    ]
    claims.differing(SUMS, wrong)
    if not wrong:
        claims.right.append(f"{SUMS}: {len(listed):,} files have the sha256 that it lists")


def check_exports(bundle: Path, run: UnpackedRun, claims: Claims) -> None:
    """Compares the exports of a bundle with those of the verified run."""
    with tempfile.TemporaryDirectory(prefix="bfcl-bundle-") as temporary:
        again = Path(temporary)
        if (bundle / RECORDS).is_dir():
            _check_records(bundle, run, again, claims)
        if (bundle / RESULTS).is_dir():
            answers = write_results(run.recorded.folder, again, run.data, _silent)
            wrong = list(_differing_files(bundle / RESULTS, again / RESULTS))
            claims.differing("official result folders", wrong)
            if not wrong:
                claims.right.append(f"official result folders: the {answers:,} answers of the archive")


def _check_records(bundle: Path, run: UnpackedRun, again: Path, claims: Claims) -> None:
    scores = scores_of(run.recorded.folder, run.metadata.ended)
    write_records(scores, again, "unknown", _silent)
    derived = {_key(document): document for document in _documents(again / RECORDS)}
    wrong: list[str] = []
    stated: set[str] = set()
    try:
        for document in _documents(bundle / RECORDS):
            key = _key(document)
            stated.add(key)
            if key not in derived:
                wrong.append(f"a record of {key}, which is not a model of the archive")
            else:
                wrong += _differing_values(document, derived[key], key)
    except (OSError, ValueError, RecursionError) as error:
        wrong.append(f"cannot be read ({error.__class__.__name__})")
    wrong += [f"no record of {key}" for key in sorted(set(derived) - stated)]
    claims.differing("records of Every Eval Ever", wrong)
    if not wrong:
        numbers = sum(len(document["evaluation_results"]) for document in derived.values())
        claims.right.append(f"records of Every Eval Ever: {numbers:,} scores equal the derived ones")


def _documents(folder: Path) -> Iterator[Mapping[str, Any]]:
    for number, path in enumerate(sorted(folder.rglob("*.json"))):
        if number >= MOST_FILES:
            raise ValueError("too many files")
        document = json.loads(read_regular(path, MOST_BYTES))
        if not isinstance(document, dict):
            raise ValueError("not an object")  # noqa: TRY004  # of the content, not of the code
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


def _differing_files(stated: Path, derived: Path) -> Iterator[str]:
    theirs, ours = (
        {path.relative_to(folder).as_posix(): path for path in files_of(folder)}
        for folder in (stated, derived)
    )
    yield from (f"{name} does not follow from the archive" for name in sorted(set(theirs) - set(ours)))
    yield from (f"{name} is missing" for name in sorted(set(ours) - set(theirs)))
    for name in sorted(set(theirs) & set(ours)):
        if theirs[name].stat().st_size != ours[name].stat().st_size or file_sha256(
            theirs[name]
        ) != file_sha256(ours[name]):
            yield f"{name} differs from the archive's answers"


def _silent(line: str) -> None:
    """Receives lines that nobody reads: the same were logged when the bundle was written."""
