"""The records of the errata, read from `entries/*.yaml` once per process and checked.

Covers reading and looking up. `mending` applies the proposals; `bfcl_pipeline.audit` finds candidates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from bfcl_pipeline.errata.edits import Edit, read_edit
from bfcl_pipeline.errors import ErrataError
from bfcl_pipeline.records import Entry


class ErratumStatus(StrEnum):
    """The result of adjudicating a suspected defect."""

    CONFIRMED = "confirmed"  # the entry is wrong; the record has a proposal
    DISPUTED = "disputed"  # both readings can be defended; the entry stays as it is
    REJECTED = "rejected"  # the entry is right


class Faithful(StrEnum):
    """What becomes of a model that does what it is told, under the official rules."""

    FAILS = "fails"  # it cannot pass: the entry lowers the ceiling
    MAY_PASS = "may pass"  # noqa: S105  # it passes with one of several faithful answers
    PASSES = "passes"


DEFECTS: Mapping[str, str] = {
    "unpassable": "no answer at all can pass",
    "provenance": "the truth has a value that nothing in the entry states or returns",
    "contradiction": "the same request has the opposite truth in another entry",
    "enum": "no accepted value is in the enum of the function doc",
    "calendar": "a date and its weekday, or the years of request and truth, differ",
    "drift": "variants of one scenario demand different things of the same words",
    "default": "the default of an optional parameter is accepted, but not its omission",
    "answer": "the accepted answers of an agentic question are wrong or incomplete",
    "hops": "the hop chain of a web question does not lead to its answer",
    "forms": "accepted answers differ only in what normalisation should ignore",
    "truth": "the truth is wrong or incomplete in another way",
    "doc": "the function doc is wrong",
}
"""The classes of defects, with their meanings."""


@dataclass(frozen=True, slots=True)
class Erratum:
    """One suspected defect of one entry, adjudicated."""

    entry_id: str
    defect: str  # one of DEFECTS
    status: ErratumStatus
    what: str  # the defect in one sentence, for tables
    why: str  # the reason of the status
    evidence: str  # a command that shows it
    faithful: Faithful
    edits: tuple[Edit, ...] = ()  # proposed changes of the release; empty: none, or the entry is left out
    threads: tuple[int, ...] = ()  # issues and pull requests of the benchmark's repository
    also: tuple[str, ...] = ()  # further classes of DEFECTS as which detectors find the same defect

    @property
    def confirmed(self) -> bool:
        """Whether the entry is wrong."""
        return self.status is ErratumStatus.CONFIRMED


@cache
def errata() -> tuple[Erratum, ...]:
    """All errata: files by name, records in their order, entries in the order of a record.

    Raises ErrataError if a record is malformed, or an entry has two records of one defect.
    """
    found: list[Erratum] = []
    folder = files(__package__).joinpath("entries")
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.name.endswith(".yaml"):
            records = yaml.load(path.read_text(encoding="utf-8"), _LOADER)  # noqa: S506  # both are safe
            for number, record in enumerate(records or (), 1):
                found += read_record(f"{path.name}, record {number}", record)
    seen: set[tuple[str, str]] = set()
    for erratum in found:
        key = (erratum.entry_id, erratum.defect)
        if key in seen:
            raise ErrataError(f"{erratum.entry_id} has two records of the defect {erratum.defect!r}.")
        seen.add(key)
    return tuple(found)


@cache
def _by_entry() -> Mapping[str, tuple[Erratum, ...]]:
    found: dict[str, tuple[Erratum, ...]] = {}
    for erratum in errata():
        found[erratum.entry_id] = (*found.get(erratum.entry_id, ()), erratum)
    return found


def errata_of(entry: Entry) -> tuple[Erratum, ...]:
    """The errata of `entry`; a restatement in another prompt format has those of its base entry, too."""
    own = _by_entry().get(entry.entry_id, ())
    if entry.base_entry_id is None:
        return own
    return own + _by_entry().get(entry.base_entry_id, ())


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml, where PyYAML was built with it

_REQUIRED = {"entries", "defect", "status", "what", "why", "evidence", "faithful"}
_OPTIONAL = {"threads", "propose", "also"}


def read_record(place: str, record: Any) -> Sequence[Erratum]:
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
    for defect in (record["defect"], *record.get("also", ())):
        if defect not in DEFECTS:
            raise ErrataError(f"{place}: defect {defect!r} is not one of {', '.join(DEFECTS)}.")
    confirmed = status is ErratumStatus.CONFIRMED
    if confirmed != ("propose" in record):
        raise ErrataError(f"{place}: `propose` belongs to every confirmed record, and to no other.")
    proposal = record.get("propose", "exclude")
    if proposal != "exclude" and not isinstance(proposal, list):
        raise ErrataError(f"{place}: `propose` is `exclude` or a list of edits.")
    edits = () if proposal == "exclude" else tuple(read_edit(place, edit) for edit in proposal)
    return [
        Erratum(
            entry_id=str(entry_id),
            defect=record["defect"],
            status=status,
            what=_text(record["what"]),
            why=_text(record["why"]),
            evidence=_text(record["evidence"]).replace("{entry}", str(entry_id)),
            faithful=faithful,
            edits=edits,
            threads=tuple(record.get("threads", ())),
            also=tuple(record.get("also", ())),
        )
        for entry_id in record["entries"]
    ]


def _text(value: Any) -> str:
    return " ".join(str(value).split())
