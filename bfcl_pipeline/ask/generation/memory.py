"""Memories between conversations: the snapshots that memory sessions leave to the questions after them.

Covers which snapshot an entry starts from, and entries whose sessions failed. A question always starts from
the snapshot of the last session before it, whatever other questions did; it never starts from an empty
memory because a session is missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bfcl_pipeline.benchmark.records import Entry, Json, Response, Status


@dataclass(frozen=True, slots=True)
class EntryFailure:
    """Why an entry has no answer."""

    status: Status
    detail: str | None  # for a person


@dataclass(frozen=True, slots=True)
class Completed:
    """One entry after its conversation."""

    entry: Entry
    response: Response
    snapshot: Json = None  # of a memory session: the memory after it; else None


def obstacle(entry: Entry, completed: Mapping[str, Completed]) -> EntryFailure | None:
    """Why `entry` cannot run: the first session it depends on that failed; None if it can.

    completed: the entries before it, by id.
    """
    for needed in entry.depends_on:
        if needed not in completed:
            return EntryFailure(Status.SKIPPED, f"its session {needed} was not held")
        session = completed[needed].response
        if session.status is not Status.ANSWERED:
            return EntryFailure(session.status, f"its session {needed} failed: {session.status_detail}")
    return None


def memory_before(entry: Entry, completed: Mapping[str, Completed]) -> dict[str, Json] | None:
    """The initial state of the memory of `entry`; None if it has none or it is the first session."""
    if not entry.depends_on:
        return None
    (api,) = entry.apis
    return {api: completed[entry.depends_on[-1]].snapshot}
