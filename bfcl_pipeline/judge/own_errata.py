"""The user's own errata: files of records like the shipped ones, which they replace entry by entry.

Covers which files a run has, checking them against the staged release, and having them in use: everything
in a block `using_errata`, and in the processes that it starts, judges and shows entries by them.
"""

import json
import os
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError, ErrataError, MalformedRelease
from bfcl_pipeline.base.text import did_you_mean
from bfcl_pipeline.base.yaml_reader import read_yaml_file
from bfcl_pipeline.benchmark.definition import CATEGORIES, category_of, release
from bfcl_pipeline.benchmark.errata import Erratum, with_edits
from bfcl_pipeline.benchmark.errata.ledger import (
    FIXED_VARIABLE,
    OWN_ERRATA_VARIABLE,
    check_distinct,
    read_again,
    records_of,
)
from bfcl_pipeline.benchmark.errata.verified_data import staged_version
from bfcl_pipeline.benchmark.records import Entry, Mode, Rules
from bfcl_pipeline.benchmark.tables.entries import entries_path, read_entries
from bfcl_pipeline.benchmark.tables.files import read_table
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.judge.audit import check_classes
from bfcl_pipeline.judge.scoring import NO_CONSTANTS, Judge
from bfcl_pipeline.world.tools import Constants


def check_files(files: Sequence[Path], data: Path) -> None:
    """Checks files before a run starts; until the release is staged in `data`, only their form.

    Raises ConfigError or ErrataError as `using_errata`.
    """
    found = _read(files)
    if all(entries_path(data, name).is_file() for name in CATEGORIES):
        check_errata(found, data)


_MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What a truth of another form than the release's may raise."""


@contextmanager
def using_errata(files: Sequence[Path], data: Path) -> Iterator[None]:
    """Has the records of `files`, and of no others of the user, in use within the block.

    data: the staged release, which the records must fit. Raises ConfigError, ErrataError or TableError if a
    file cannot be read, a record is malformed, or it does not fit.
    """
    check_errata(_read(files), data)
    new = {OWN_ERRATA_VARIABLE: json.dumps([str(path.resolve()) for path in files])} if files else {}
    if staged_version(data) != release.VERSION:
        new[FIXED_VARIABLE] = "1"
    before = {name: os.environ.pop(name, None) for name in (OWN_ERRATA_VARIABLE, FIXED_VARIABLE)}
    old = {name: value for name, value in before.items() if value is not None}
    os.environ.update(new)
    if new != old:
        read_again()
    try:
        yield
    finally:
        for name in new:
            os.environ.pop(name)
        os.environ.update(old)
        if new != old:
            read_again()


def _read(files: Sequence[Path]) -> list[Erratum]:
    """The records of files, which may be anybody's: their sizes and nesting are limited."""
    found = []
    for number, path in enumerate(files):
        if path.name in (other.name for other in files[:number]):
            raise ConfigError(f"errata: two files are called {path.name}. Rename one of them.")
        try:
            found += records_of(path.name, read_yaml_file(path))
        except FileNotFoundError:
            raise ConfigError(f"errata: {path}: no such file.") from None
    check_classes(found)
    check_distinct(found)
    return found


def check_errata(errata: Iterable[Erratum], data: Path) -> None:
    """Checks records, shipped ones or the user's own, against the staged release.

    Raises ErrataError, which names the record, if there is no such entry or an edit does not fit it, with
    the value of the record and that of the release; TableError if the release is not staged.
    """
    of_entry: dict[str, list[Erratum]] = {}
    for erratum in errata:
        of_entry.setdefault(erratum.entry_id, []).append(erratum)
    entries: dict[str, dict[str, Entry]] = {}
    constants = cache(lambda: read_constants(data))
    for entry_id, found in of_entry.items():
        category = _category(entry_id)
        if category is not None and category not in entries:
            entries[category] = _scored(data, category, of_entry)
        entry = entries[category].get(entry_id) if category is not None else None
        if entry is None:
            raise ErrataError(f"{found[0].record}: {_unknown(entry_id, data)}")
        changed = with_edits(entry, found)
        try:
            _try(changed, constants)
        except (MalformedRelease, *_MALFORMED) as error:
            reason = str(error).partition(". Stage the release again")[0]
            raise ErrataError(
                f"{found[0].record}: {entry_id}: the truth after the edits is not of the release's form "
                f"({reason}). `bfcl-pipeline show {entry_id}` prints that of the release."
            ) from None


def _try(entry: Entry, constants: Callable[[], Constants]) -> None:
    """Judges some answers, which reads the whole truth of the entry. Raises one of _MALFORMED."""
    judge = Judge(entry, NO_CONSTANTS if CATEGORIES[entry.category].single_turn else constants())
    for answer in ("", [], [["x"]] * len(entry.turns)):
        judge.answer_verdicts(json.dumps(answer), Mode.FC, None, (Rules.OFFICIAL, Rules.CORRECTED))


def _category(entry_id: str) -> str | None:
    try:
        return category_of(entry_id)
    except ConfigError:
        return None


def _scored(data: Path, category: str, entry_ids: Container[str]) -> dict[str, Entry]:
    """The entries of a category that are scored and in `entry_ids`, by id."""
    staged = read_entries(entries_path(data, category), entry_ids)
    return {entry.entry_id: entry for entry in staged if not entry.prerequisite}


def _unknown(entry_id: str, data: Path) -> str:
    known = []
    for category in CATEGORIES:
        rows = read_table(entries_path(data, category), ["entry_id", "prerequisite"]).to_pylist()
        known += [row["entry_id"] for row in rows if not row["prerequisite"]]
    meant = did_you_mean(entry_id, known)
    return f"the release has no scored entry {entry_id!r}.{meant} Its ids are in {data / 'entries'}."
