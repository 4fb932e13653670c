"""BFCL-Verified, the release with the changes that the errata propose; and these as patches.

`bfcl-pipeline audit --dataset` writes it and `bfcl-pipeline stage --source` stages it. A patch is a mail as
`git format-patch` writes it, one per defect; author and date are constants, so equal errata give equal
bytes.
"""

import difflib
import hashlib
import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError, ErrataError, StagingError
from bfcl_pipeline.base.files import replace_folder
from bfcl_pipeline.benchmark.definition import category_of
from bfcl_pipeline.benchmark.definition import release as pinned
from bfcl_pipeline.benchmark.errata import Edit, Erratum, alike, edit_line, errata_digest, same
from bfcl_pipeline.benchmark.errata.page import BUNDLE_TITLE, THREAD, bundle_readme, fixes_page
from bfcl_pipeline.benchmark.errata.verified_data import IDENTITY, is_verified
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.staging.release_files import questions_file, release_id, truths_file
from bfcl_pipeline.benchmark.staging.source import (
    MAX_WHEEL_BYTES,
    Release,
    contents_sha256,
    read_bounded,
    read_wheel,
)

_ESCAPE = rb"\u"


def edited_files(files: Mapping[str, bytes], record: Iterable[Erratum]) -> dict[str, bytes]:
    """The files that the edits of one record change, with their new content, else byte for byte as before.

    A changed value is written in the style of its line (separators, escapes).

    Several entries of the benchmark may stand in one line of the release; it is edited once. Raises
    ErrataError if an entry has no line, or an edit does not fit it.
    """
    lines: dict[tuple[str, str], tuple[str, tuple[Edit, ...]]] = {}
    for erratum in record:
        for name, edits in _by_file(erratum).items():
            lines[name, release_id(erratum.entry_id)] = (erratum.entry_id, edits)
    changed: dict[str, bytes] = {}
    for (name, line_id), (entry_id, edits) in lines.items():
        content = changed.get(name, files.get(name, b"")).split(b"\n")
        number = _line_number(content, line_id)
        if number is None:
            raise ErrataError(f"{entry_id}: {name} has no line with the id {line_id}.")
        try:
            content[number] = _edited_line(content[number], edits, _escapes(content, number))
        except ErrataError as error:
            raise ErrataError(f"{entry_id}: {name}:{number + 1}: {error}") from None
        changed[name] = b"\n".join(content)
    return changed


def _by_file(erratum: Erratum) -> dict[str, tuple[Edit, ...]]:
    """The edits of an erratum by the file of the release that they change."""
    category = category_of(erratum.entry_id)
    found: dict[str, tuple[Edit, ...]] = {}
    for edit in erratum.edits:
        name = truths_file(category) if edit.in_truths_file else questions_file(category)
        if name is None:
            raise ErrataError(f"{erratum.entry_id}: {category} has no file of truths.")
        found[name] = (*found.get(name, ()), edit)
    return found


def _line_number(lines: list[bytes], line_id: str) -> int | None:
    needle = json.dumps(line_id).encode()
    for number, line in enumerate(lines):
        if needle in line and json.loads(line).get("id") == line_id:
            return number
    return None


def _escapes(lines: list[bytes], number: int) -> bool:
    """Whether a line has characters beyond ASCII as escapes: as it does, or else as most of the file do."""
    line = lines[number]
    if not line.isascii() or _ESCAPE in line:
        return line.isascii()
    return sum(_ESCAPE in each for each in lines) >= sum(not each.isascii() for each in lines)


def _edited_line(line: bytes, edits: tuple[Edit, ...], ascii_only: bool) -> bytes:
    old = json.loads(line)
    new = edit_line(old, edits)
    text: str | None = line.decode()
    for key in old:
        if text is not None and not same(old[key], new.get(key)):
            text = _replaced(text, key, old[key], new.get(key), ascii_only)
    if text is None or not same(json.loads(text), new):
        raise ErrataError("its JSON is written in a style that cannot be kept; propose `exclude`.")
    return text.encode()


def _replaced(line: str, key: str, old: Json, new: Json, ascii_only: bool) -> str | None:
    """`line` with another value of `key`; None if the line does not have the old one in this style."""

    def written(value: Json) -> str:
        return f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=ascii_only)}"

    return line.replace(written(old), written(new)) if line.count(written(old)) == 1 else None


REPOSITORY_FOLDER = "berkeley-function-call-leaderboard"
"""The folder of the benchmark's repository that contains the package of the release."""

_AUTHOR = "bfcl-pipeline <bfcl-pipeline@localhost>"
_DATE = "Mon, 23 Mar 2026 00:00:00 +0000"  # of the release
_README = "README.md"
_WIDTH = 72  # of lines of a message


def write_bundle(folder: Path, data: Path, errata: Sequence[Erratum]) -> int:
    """Writes the patches of `errata` and a README to `folder`, completely or not at all.

    Args:
        folder: must not exist, be empty or contain an earlier bundle, which is replaced.
        data: the staged data, with the wheel of the pinned release.
        errata: the errata; those without edits are in the README only.

    Returns:
        The number of patches.

    Raises:
        ConfigError: `folder` contains something else.
        ErrataError: an edit does not fit the release.
        StagingError: there is no wheel, or it is not the pinned one.
    """
    _check_replaceable(folder)
    contents = bundle(read_staged_wheel(data), errata)
    replace_folder(folder, contents)
    return len(contents) - 1


def read_staged_wheel(data: Path) -> Release:
    """The pinned release, from the wheel in the staged data. Raises StagingError."""
    path = data / "release" / pinned.WHEEL
    if not path.is_file():
        raise StagingError(
            f"{path}: missing. Patches need the files of the release as they are; stage its wheel "
            "(bfcl-pipeline stage, without --source or with --source WHEEL)."
        )
    return read_wheel(path, read_bounded(path, MAX_WHEEL_BYTES), pinned.SHA256)


def bundle(release: Release, errata: Sequence[Erratum]) -> dict[str, bytes]:
    """The files of the bundle by name. Raises ErrataError if an edit does not fit the release."""
    groups = alike(erratum for erratum in errata if erratum.confirmed)
    proposed = [records for records in groups if records[0][0].edits]
    names = [f"{number:04}-{_slug(records[0][0])}.patch" for number, records in enumerate(proposed, 1)]
    others = [records for records in groups if not records[0][0].edits]
    contents = {_README: bundle_readme(dict(zip(names, proposed, strict=True)), others).encode()}
    before = dict(release.files)
    for number, (name, records) in enumerate(zip(names, proposed, strict=True), 1):
        after = dict(before)
        for record in records:
            after |= edited_files(after, record)
        contents[name] = _mail(f"{number}/{len(names)}", records, _diff(before, after))
        before = after
    return contents


def _check_replaceable(folder: Path) -> None:
    if not folder.exists():
        return
    advice = "Name a new folder, or one that an earlier `audit --patch` wrote."
    if not folder.is_dir():
        raise ConfigError(f"{folder}: not a folder. {advice}")
    names = {path.name for path in folder.iterdir()}
    others = sorted(name for name in names - {_README} if not re.fullmatch(r"\d{4}-[\w.-]+\.patch", name))
    if names and not others and _README in names:
        with (folder / _README).open(encoding="utf-8", errors="replace") as file:
            if file.readline().rstrip("\n") == BUNDLE_TITLE:
                return
    if names:
        raise ConfigError(f"{folder}: contains {others[0] if others else 'other patches'}. {advice}")


def _slug(erratum: Erratum) -> str:
    return re.sub(r"[^a-z0-9]+", "-", f"{erratum.entry_id} {erratum.defect}".lower())


def _mail(position: str, records: Sequence[Sequence[Erratum]], diff: bytes) -> bytes:
    first = records[0][0]
    others = sum(map(len, records)) - 1
    more = f" and {others} more" if others else ""
    threads = [THREAD.format(number=number) for number in first.threads]
    paragraphs = [
        textwrap.fill(first.what, _WIDTH),
        textwrap.fill(first.why, _WIDTH),
        "Changes:\n" + "\n".join(map(_changes, records)),
        f"Evidence:\n  {first.evidence}",
        "See also:\n" + "\n".join(f"  {thread}" for thread in threads) if threads else "",
    ]
    head = [
        f"From {'0' * 40} Mon Sep 17 00:00:00 2001",
        f"From: {_AUTHOR}",
        f"Date: {_DATE}",
        f"Subject: [PATCH {position}] BFCL: fix {first.entry_id}{more} ({first.defect})",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=UTF-8",
        "Content-Transfer-Encoding: 8bit",
        "",
        "\n\n".join(paragraph for paragraph in paragraphs if paragraph),
        "---",
        "",
    ]
    return "\n".join(head).encode() + diff + b"-- \nbfcl-pipeline\n"


def _changes(record: Sequence[Erratum]) -> str:
    lines = [f"  {erratum.entry_id}" for erratum in record]
    return "\n".join([*lines, *(f"    {edit}" for edit in record[0].edits)])


def _diff(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> bytes:
    """The changes as `git diff` writes them."""
    parts: list[bytes] = []
    for name in sorted(name for name in new if new[name] != old[name]):
        path = f"{REPOSITORY_FOLDER}/{name}".encode()
        parts.append(b"diff --git a/%s b/%s\n" % (path, path))
        parts.append(b"index %s..%s 100644\n" % (_blob(old[name]), _blob(new[name])))
        lines = difflib.diff_bytes(
            difflib.unified_diff, _lines(old[name]), _lines(new[name]), b"a/" + path, b"b/" + path
        )
        for line in lines:
            parts.append(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n")
    return b"".join(parts)


def _blob(content: bytes) -> bytes:
    """The name that git gives a file of this content, by which `git am --3way` finds it."""
    header = b"blob %d\0" % len(content)
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest().encode()


def _lines(content: bytes) -> list[bytes]:
    """The lines of `content` with their line feeds, of which the last may have none."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


FIXES = "FIXES.md"


def write_verified(folder: Path, data: Path, errata: Sequence[Erratum]) -> tuple[str, str]:
    """Writes BFCL-Verified to `folder`, completely or not at all, and returns its version and sha256.

    Args:
        folder: must not exist, be empty or be an earlier BFCL-Verified, which is replaced.
        data: the staged data, with the wheel of the pinned release.
        errata: all shipped records, whose changes are made.

    Raises:
        ConfigError: `folder` contains something else.
        ErrataError: an edit does not fit the release.
        StagingError: there is no wheel, or it is not the pinned one.
    """
    if folder.exists() and not (folder.is_dir() and (is_verified(folder) or not any(folder.iterdir()))):
        raise ConfigError(f"{folder}: contains something else. Name a new folder.")
    groups = alike(erratum for erratum in errata if erratum.confirmed)
    fixed = [records for records in groups if records[0][0].edits]
    files = dict(read_staged_wheel(data).files)
    for record in (record for records in fixed for record in records):
        files |= edited_files(files, record)
    sha256 = contents_sha256(files)
    version = pinned.verified_version(sha256)
    kept = [records for records in groups if not records[0][0].edits]
    identity = {"version": version, "sha256": sha256, "errata": errata_digest()}
    files[FIXES] = fixes_page(fixed, kept, version, sha256).encode()
    files[IDENTITY] = (json.dumps(identity, indent=1) + "\n").encode()
    replace_folder(folder, files)
    return version, sha256
