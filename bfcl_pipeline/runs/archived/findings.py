"""What a verification found: derived, asked again, attested, not covered; and checks beyond it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bfcl_pipeline.base.text import Log, on_one_line, printable

if TYPE_CHECKING:
    from bfcl_pipeline.runs.archived.unpacking import ArchivedRun

SHOWN = 10
"""The most differences of one kind that are reported."""


class Verification(IntEnum):
    """The result of a verification; the number is the exit status of the command."""

    COMPLETE = 0  # everything that can be derived was, and is identical
    DIFFERS = 1
    INCOMPLETE = 3  # no error, but not everything could be derived


def worst(results: Iterable[Verification]) -> Verification:
    """One result of several: something differs, or something is incomplete, or all is complete."""
    found = set(results)
    order = (Verification.DIFFERS, Verification.INCOMPLETE, Verification.COMPLETE)
    return next(result for result in order if result in found)


class Part(StrEnum):
    """What a finding rests on; the value is its heading."""

    DERIVED = "Derived: follows from the archive's own bytes, checked here"
    ASKED = "Asked again: what the same model answers now, asked by you"
    ATTESTED = "Attested: rests on those who state it"
    NOT_COVERED = "Not covered: not verified by anything here"


_AT_ONCE = (Part.DERIVED, Part.ASKED)
"""The parts whose findings are logged when they are made: the checks take time."""


@dataclass(frozen=True, slots=True)
class ArchiveFinding:
    """One line of a verification."""

    part: Part
    outcome: str  # one or two words: verified, not verified, DIFFERS, same, differs
    subject: str  # one word: what it is about
    what: str

    def __str__(self) -> str:
        return f"{self.outcome:<12}  {self.subject:<9}  {self.what}"


@dataclass(slots=True)
class Findings:
    """Collects findings, and logs them by part: those that need no check wait until `end`."""

    log: Log
    found: list[ArchiveFinding] = field(default_factory=list)
    _waiting: list[ArchiveFinding] = field(default_factory=list)
    _begun: Part | None = None  # the part whose heading was logged last

    def add(self, part: Part, outcome: str, subject: str, what: str) -> None:
        """Adds a finding, which is one line: an archive must not write to a terminal, or further lines."""
        finding = ArchiveFinding(part, outcome, subject, on_one_line(printable(what)))
        self.found.append(finding)
        if part in _AT_ONCE:
            self.say(part, str(finding))
        else:
            self._waiting.append(finding)

    def say(self, part: Part, line: str) -> None:
        """Logs a line of a part that does not wait, under its heading; it is not a finding."""
        if self._begun is not part:
            self._heading(part)
            self._begun = part
        self.log(on_one_line(printable(line)))

    def verified(self, subject: str, what: str) -> None:
        """Something that was checked and is right."""
        self.add(Part.DERIVED, "verified", subject, what)

    def not_verified(self, subject: str, what: str) -> None:
        """Something that could not be checked."""
        self.add(Part.NOT_COVERED, "not verified", subject, what)

    def attested(self, subject: str, what: str, outcome: str = "attested") -> None:
        """Something that somebody says, whom the finding names."""
        self.add(Part.ATTESTED, outcome, subject, what)

    def differing(self, subject: str, lines: Sequence[str], what: str) -> None:
        """The first of some differences. what: their noun."""
        for line in lines[:SHOWN]:
            self.add(Part.DERIVED, "DIFFERS", subject, line)
        if len(lines) > SHOWN:
            self.add(Part.DERIVED, "DIFFERS", subject, f"and {len(lines) - SHOWN:,} more {what}")

    def end(self) -> None:
        """Logs what has been waiting."""
        for part in (Part.ATTESTED, Part.NOT_COVERED):
            lines = [finding for finding in self._waiting if finding.part is part]
            if lines:
                self._heading(part)
            for finding in lines:
                self.log(str(finding))
        self._waiting.clear()

    def _heading(self, part: Part) -> None:
        self.log("")
        self.log(part.value)


FurtherCheck: TypeAlias = "Callable[[ArchivedRun, Findings, Log], Verification]"
"""A check beyond the derivation, on request: asking the model again, the official scorer.

It is given a run whose results were derived again and are identical, what receives its findings, and what
receives lines of progress. It returns COMPLETE if nothing speaks against the archive, DIFFERS if something
does, INCOMPLETE if the check could not be made or finished; the reason is among the findings. It raises
PipelineError if it cannot be made as it was asked for.
"""


@dataclass(frozen=True, slots=True)
class VerifiedArchive:
    """The result of verifying one archive."""

    file: Path
    size: int  # bytes
    sha256: str
    run: str  # name
    verification: Verification
    findings: tuple[ArchiveFinding, ...]

    def of(self, part: Part) -> list[ArchiveFinding]:
        """The findings of one part."""
        return [finding for finding in self.findings if finding.part is part]
