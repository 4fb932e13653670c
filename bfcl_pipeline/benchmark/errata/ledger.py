"""The records of the errata, read from `entries/*.yaml` once per process and checked.

Covers reading and looking up, also of the user's own records, while `judge.own_errata` has them in use.
`mending` applies the proposals; `judge.audit` finds candidates, and has the classes of defects.
"""

import hashlib
import json
import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from bfcl_pipeline.base.errors import ErrataError
from bfcl_pipeline.base.yaml_reader import UnreadableYaml, read_yaml, read_yaml_file
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.errata.edits import Edit, read_edit
from bfcl_pipeline.benchmark.records import Entry


class ErratumStatus(StrEnum):
    """The result of adjudicating a suspected defect."""

    CONFIRMED = "confirmed"  # the entry has the defect; the record has a proposal
    DISPUTED = "disputed"  # both readings can be defended; the entry stays as it is
    REJECTED = "rejected"  # the entry's data are right in this respect


class Faithful(StrEnum):
    """What becomes of a model that does what it is told, under the official rules."""

    FAILS = "fails"  # it cannot pass: the entry lowers the ceiling
    MAY_PASS = "may pass"  # noqa: S105  # it passes with one of several faithful answers
    PASSES = "passes"


EXECUTABLE = "executable.yaml"
"""The file of records of the executable categories."""


@dataclass(frozen=True, slots=True)
class Erratum:
    """One suspected defect of one entry, adjudicated."""

    entry_id: str
    defect: str  # its class, one of `judge.audit.DEFECTS`
    status: ErratumStatus
    what: str  # the defect in one sentence, for tables
    why: str  # the reason of the status
    evidence: str  # a command that shows it; in a comment of the shell, where in its output
    faithful: Faithful
    edits: tuple[Edit, ...] = ()  # proposed changes of the release; empty: none, or the entry is left out
    threads: tuple[int, ...] = ()  # issues and pull requests of the benchmark's repository
    also: tuple[str, ...] = ()  # further classes as which detectors find the same defect
    record: str = ""  # file and number of its record, which may have more entries

    @property
    def file(self) -> str:
        """The name of the file of its record."""
        return self.record.rpartition(", record ")[0]

    @property
    def confirmed(self) -> bool:
        """Whether the entry is wrong."""
        return self.status is ErratumStatus.CONFIRMED

    @property
    def mends(self) -> bool:
        """Whether its edits mend the entry: they change the truth alone."""
        return bool(self.edits) and all(edit.in_truth for edit in self.edits)


OWN_ERRATA_VARIABLE = "BFCL_OWN_ERRATA"
"""Environment variable with the files of the user's own records in use, as a JSON list of paths.

`judge.own_errata` sets it for this process and for those that it starts, after checking the files.
"""

FIXED_VARIABLE = "BFCL_ERRATA_FIXED"
"""Environment variable, set likewise: the entries are BFCL-Verified, which has all proposed changes."""


@cache
def errata() -> tuple[Erratum, ...]:
    """All errata: files by name, records in their order, entries in the order of a record.

    The user's own records in use come last, and replace all shipped records of their entries. Raises
    ErrataError if a record is malformed, or an entry has two records of one defect.
    """
    own = own_errata()
    replaced = {erratum.entry_id for erratum in own}
    shipped = [erratum for name, text in _texts().items() for erratum in read_records(name, text)]
    if FIXED_VARIABLE in os.environ:
        shipped = [erratum for erratum in shipped if not (erratum.confirmed and erratum.edits)]
    found = (*(erratum for erratum in shipped if erratum.entry_id not in replaced), *own)
    check_distinct(found)
    return found


@cache
def own_errata() -> tuple[Erratum, ...]:
    """The user's own errata in use. Raises ErrataError as `errata`, OSError if a file is gone."""
    paths = map(Path, json.loads(os.environ.get(OWN_ERRATA_VARIABLE) or "[]"))
    return tuple(erratum for path in paths for erratum in records_of(path.name, read_yaml_file(path)))


def read_again() -> None:
    """Reads the records again when they are needed next: other files of the user's own are in use."""
    for cached in (errata, own_errata, _by_entry):
        cached.cache_clear()


def errata_digest(categories: Iterable[str] = tuple(CATEGORIES)) -> str:
    """The SHA-256 of the records, by which verified verdicts on `categories` can be seen to be out of date.

    Those of the executable categories are in a file of their own; other verdicts do not depend on it.
    """
    texts = _texts()
    if not any(name in GROUPS["executable"] for name in categories):
        texts.pop(EXECUTABLE, None)
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def _texts() -> dict[str, str]:
    """The text of each file of records by its name, in the order of names."""
    paths = sorted(files(__package__).joinpath("entries").iterdir(), key=lambda path: path.name)
    return {
        path.name: path.read_text(encoding="utf-8")
        for path in paths
        if path.name.endswith(".yaml") and not path.name.startswith(".")
    }


def check_distinct(found: Iterable[Erratum]) -> None:
    """Raises ErrataError if an entry has two records of one defect."""
    records: dict[tuple[str, str], str] = {}
    for erratum in found:
        first = records.setdefault((erratum.entry_id, erratum.defect), erratum.record)
        if first != erratum.record:
            raise ErrataError(
                f"{erratum.record}: {erratum.entry_id} has the defect {erratum.defect!r} in {first}, too."
            )


def by_record(found: Iterable[Erratum]) -> list[tuple[Erratum, ...]]:
    """The errata of each record, in the order of the first one of each."""
    records: dict[str, list[Erratum]] = {}
    for erratum in found:
        records.setdefault(erratum.record, []).append(erratum)
    return [tuple(of_record) for of_record in records.values()]


def alike(found: Iterable[Erratum]) -> list[list[tuple[Erratum, ...]]]:
    """The records that have the same texts and differ in their edits at most, together."""
    groups: dict[object, list[tuple[Erratum, ...]]] = {}
    for record in by_record(found):
        first = record[0]
        texts = (first.defect, first.status, first.what, first.why, first.faithful, first.threads)
        groups.setdefault((texts, bool(first.edits)), []).append(record)
    return list(groups.values())


@cache
def _by_entry() -> Mapping[str, tuple[Erratum, ...]]:
    found: dict[str, tuple[Erratum, ...]] = {}
    for erratum in errata():
        found[erratum.entry_id] = (*found.get(erratum.entry_id, ()), erratum)
    return found


def errata_of(entry: Entry) -> tuple[Erratum, ...]:
    """The errata of `entry`; a restatement in another prompt format has those of its base entry, too."""
    return errata_of_id(entry.entry_id, entry.base_entry_id)


def errata_of_id(entry_id: str, base_entry_id: str | None = None) -> tuple[Erratum, ...]:
    """As `errata_of`, of the entry with an id; base_entry_id: the one that it restates, if any."""
    own = _by_entry().get(entry_id, ())
    return own if base_entry_id is None else own + _by_entry().get(base_entry_id, ())


EXCLUDE = "exclude"
"""The proposal of a confirmed defect that no small edit mends."""

_TEXT_KEYS = ("what", "why", "evidence")
_REQUIRED = {"entries", "defect", "status", "faithful", *_TEXT_KEYS}
_OPTIONAL = {"threads", "propose", "also"}


def read_records(name: str, text: str) -> list[Erratum]:
    """The errata of one file, which is a YAML list of records. Raises ErrataError that names the record."""
    try:
        return records_of(name, read_yaml(text, by_hand=True))
    except UnreadableYaml as error:
        raise ErrataError(f"{name}: not YAML: {error}.") from None


def records_of(name: str, records: object) -> list[Erratum]:
    """The errata of the document of one file, called `name`. Raises ErrataError that names the record."""
    if not isinstance(records, list | None):
        raise ErrataError(f"{name}: expected a list of records, got {type(records).__name__}.")
    return [
        erratum
        for number, record in enumerate(records or (), 1)
        for erratum in read_record(f"{name}, record {number}", record)
    ]


def read_record(place: str, record: Any) -> list[Erratum]:
    """The errata of one record, one for each of its entries. Raises ErrataError that names `place`."""
    if not isinstance(record, dict):
        raise ErrataError(f"{place}: expected a mapping, got {type(record).__name__}.")
    lacking, unknown = _REQUIRED - record.keys(), record.keys() - _REQUIRED - _OPTIONAL
    if lacking or unknown:
        raise ErrataError(
            f"{place}: keys missing: {', '.join(sorted(lacking)) or 'none'}; "
            f"unknown: {', '.join(sorted(map(str, unknown))) or 'none'}."
        )
    try:
        status, faithful = ErratumStatus(record["status"]), Faithful(record["faithful"])
    except ValueError as error:
        raise ErrataError(f"{place}: {error}.") from None
    ids, threads, also = record["entries"], record.get("threads", []), record.get("also", [])
    if not _is_list(also, str):
        raise ErrataError(f"{place}: `also` is a list of classes.")
    if (status is ErratumStatus.CONFIRMED) != ("propose" in record):
        raise ErrataError(f"{place}: `propose` belongs to every confirmed record, and to no other.")
    edits = _read_proposal(place, record.get("propose", EXCLUDE))
    if not _is_list(ids, str) or not ids or len(set(ids)) < len(ids):
        raise ErrataError(f"{place}: `entries` is a list of different ids.")
    if not _is_list(threads, int):
        raise ErrataError(f"{place}: `threads` is a list of numbers.")
    for key in _TEXT_KEYS:
        if not isinstance(record[key], str) or not record[key].strip():
            raise ErrataError(f"{place}: `{key}` is a text.")
    return [
        Erratum(
            entry_id=entry_id,
            defect=record["defect"],
            status=status,
            what=_text(record["what"]),
            why=_text(record["why"]),
            evidence=_command(_text(record["evidence"]), entry_id),
            faithful=faithful,
            edits=edits,
            threads=tuple(threads),
            also=tuple(also),
            record=place,
        )
        for entry_id in ids
    ]


def _read_proposal(place: str, proposal: Any) -> tuple[Edit, ...]:
    if proposal == EXCLUDE:
        return ()
    if not isinstance(proposal, list) or not proposal:
        raise ErrataError(f"{place}: `propose` is `{EXCLUDE}` or a list of edits.")
    return tuple(read_edit(place, edit) for edit in proposal)


def _command(evidence: str, entry_id: str) -> str:
    """The command before the first comma; what follows says where to look."""
    command, _, place = evidence.partition(", ")
    return command.replace("{entry}", shlex.quote(entry_id)) + (f"  # {place}" if place else "")


def _is_list(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(type(each) is kind for each in value)


def _text(value: Any) -> str:
    return " ".join(str(value).split())
