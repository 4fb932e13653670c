"""Memories between conversations: what the sessions before the questions left behind.

Covers which snapshot an entry starts from, keeping the one it ends with, and entries whose sessions could
not be held. A question always starts from the snapshot of the last session before it, whatever the other
questions did; it never starts from an empty memory because a session is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bfcl_pipeline.records import Entry, Json, Status


@dataclass(frozen=True, slots=True)
class Held:
    """How a session went."""

    status: Status
    detail: str | None  # what went wrong, for a person
    snapshot: Json  # the memory after it; None if it could not be held


@dataclass(slots=True)
class Memories:
    """The sessions that were held so far, by entry id."""

    sessions: dict[str, Held] = field(default_factory=dict)

    def obstacle(self, entry: Entry) -> tuple[Status, str] | None:
        """Why `entry` cannot be held: the first session it depends on that was not; None if it can be."""
        for needed in entry.depends_on:
            held = self.sessions.get(needed)
            if held is None:
                return Status.SKIPPED, f"its session {needed} was not held"
            if held.status is not Status.ANSWERED:
                detail = f"its session {needed} failed: {held.detail}"
                return held.status, detail
        return None

    def before(self, entry: Entry) -> dict[str, Json] | None:
        """The initial state of the memory of `entry`; None if it has none or it is the first session."""
        if not entry.depends_on:
            return None
        (api,) = entry.apis
        return {api: self.sessions[entry.depends_on[-1]].snapshot}

    def keep(self, entry: Entry, status: Status, detail: str | None, snapshot: Json) -> None:
        """Keeps how the session `entry` went; questions leave nothing behind."""
        if entry.prerequisite:
            self.sessions[entry.entry_id] = Held(status, detail, snapshot)
