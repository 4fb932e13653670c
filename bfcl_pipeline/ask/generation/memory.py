"""Memories between conversations: the snapshots that memory sessions leave to the questions after them.

Covers which snapshot an entry starts from, storing the one it ends with, and entries whose sessions failed.
A question always starts from the snapshot of the last session before it, whatever other questions did; it
never starts from an empty memory because a session is missing.
"""

from dataclasses import dataclass, field

from bfcl_pipeline.benchmark.records import Entry, Json, Status


@dataclass(frozen=True, slots=True)
class EntryFailure:
    """Why an entry has no answer."""

    status: Status
    detail: str | None  # for a person


@dataclass(frozen=True, slots=True)
class MemorySession:
    """The outcome of a memory session."""

    status: Status
    detail: str | None  # what went wrong, for a person
    snapshot: Json  # the memory after it; None if it failed


@dataclass(slots=True)
class Memories:
    """The memory sessions that have run so far."""

    sessions: dict[str, MemorySession] = field(default_factory=dict)  # by entry id

    def obstacle(self, entry: Entry) -> EntryFailure | None:
        """Why `entry` cannot run: the first session it depends on that failed; None if it can."""
        for needed in entry.depends_on:
            session = self.sessions.get(needed)
            if session is None:
                return EntryFailure(Status.SKIPPED, f"its session {needed} was not held")
            if session.status is not Status.ANSWERED:
                return EntryFailure(session.status, f"its session {needed} failed: {session.detail}")
        return None

    def before(self, entry: Entry) -> dict[str, Json] | None:
        """The initial state of the memory of `entry`; None if it has none or it is the first session."""
        if not entry.depends_on:
            return None
        (api,) = entry.apis
        return {api: self.sessions[entry.depends_on[-1]].snapshot}

    def keep(self, entry: Entry, status: Status, detail: str | None, snapshot: Json) -> None:
        """Stores the outcome of `entry` if it is a session; questions leave nothing to others."""
        if entry.prerequisite:
            self.sessions[entry.entry_id] = MemorySession(status, detail, snapshot)
