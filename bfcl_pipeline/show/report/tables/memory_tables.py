"""The rows of every table on memory that one model has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bfcl_pipeline.show.report.tables.agentic_records import AgenticRecords
from bfcl_pipeline.show.report.tables.memory import memory_domains, memory_use
from bfcl_pipeline.show.report.tables.memory_follow import follow_memories
from bfcl_pipeline.show.report.tables.memory_questions import (
    judge_questions,
    memory_failures,
    memory_parts,
    memory_patterns,
    memory_questions,
)

if TYPE_CHECKING:
    from bfcl_pipeline.world.tools.memory.encoder import Encoder


def memory_rows(records: AgenticRecords, encoder: Encoder | None) -> dict[str, list[dict[str, Any]]]:
    """The rows of one model by table.

    encoder: raises ModelError for a text without a stored embedding; what such a search found is unknown.
    Raises MalformedRelease if a snapshot is malformed.
    """
    followed = follow_memories(records, encoder)
    judged = judge_questions(records, followed)
    return {
        "memory_domains": list(memory_domains(records)),
        "memory_use": [memory_use(records.model, one) for one in followed],
        "memory_questions": list(memory_questions(records.model, judged)),
        "memory_failures": list(memory_failures(records.model, judged)),
        "memory_parts": list(memory_parts(records.model, judged)),
        "memory_patterns": list(memory_patterns(records.model, judged, followed)),
    }
