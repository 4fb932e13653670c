"""Edits of single lines of the release's data files, byte for byte.

A changed value is written in the style of its line (separators, escapes), and nothing else of the line
changes. Covers finding the line of an entry and editing it; `upstream_patch` makes patches of the result.
"""

import json
from collections.abc import Iterable, Mapping

from bfcl_pipeline.base.errors import ErrataError
from bfcl_pipeline.benchmark.definition import category_of
from bfcl_pipeline.benchmark.errata import Edit, Erratum, edit_line, same
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.staging.release_files import questions_file, release_id, truths_file

_ESCAPE = rb"\u"


def edited_files(files: Mapping[str, bytes], record: Iterable[Erratum]) -> dict[str, bytes]:
    """The files that the edits of one record change, with their new content.

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
