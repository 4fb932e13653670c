"""Recorded answers read again by another server or parser: which verdicts it turns.

What the model wrote is recorded as tokens; nothing is generated. Conversations are not held again: their
later steps are those that followed what was read first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.definition.descriptions import overall_weights
from bfcl_pipeline.benchmark.records import Json, Rules
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.judge.scoring.intervals import ScoredEntries
from bfcl_pipeline.judge.scoring.statistics.paired import compare_paired, composite_difference
from bfcl_pipeline.show.servers.losses import as_text, read_calls
from bfcl_pipeline.show.servers.reading import ParsingServer
from bfcl_pipeline.show.servers.recorded import ServedAnswer, judged
from bfcl_pipeline.world.tools import Constants

_MOST_LISTED = 20
"""Entries that are printed of those won, and of those lost."""


@dataclass(frozen=True, slots=True)
class Reparsed:
    """One answer that was read again."""

    entry_id: str
    category: str
    differs: bool  # whether other calls or another text are read
    before: bool  # whether it was valid
    after: bool  # whether it is


def reparse(
    answer: ServedAnswer, server: ParsingServer, constants: Constants, rules: Rules
) -> Reparsed | None:
    """Reads one answer again; None if its tokens are not recorded, or it has no verdict."""
    if not answer.steps or not all(step.written.tokens for step in answer.steps):
        return None
    again: dict[int, Json] = {}
    for number, step in enumerate(answer.steps):
        result = server.read(step.written, answer.tools, 0).result
        first, second = ((read_calls(each) or each or "") for each in (result, step.result))
        if as_text(first) != as_text(second):
            again[number] = result
    judge = Judge(answer.entry, constants)
    before, after = (judged(answer, judge, (rules,), others)[0].valid for others in ({}, again))
    if before is None or after is None:
        return None
    return Reparsed(answer.entry.entry_id, answer.entry.category, bool(again), before, after)


def reparse_lines(model: str, reparsed: Sequence[Reparsed], unread: int) -> Iterator[str]:
    """What another reading wins and loses. unread: answers whose tokens are not recorded."""
    entries = ScoredEntries([(one.category, one.entry_id) for one in reparsed])
    scope = entries.scope(np.arange(len(reparsed)))
    before, after = np.array([one.before for one in reparsed]), np.array([one.after for one in reparsed])
    weights = np.array([overall_weights()[name] for name in scope.categories])
    paired = compare_paired(after, before, scope.where)
    change, limits = float(weights @ paired.of.mean), composite_difference(paired, weights)
    differing = sum(one.differs for one in reparsed)
    others = f"; {unread} without recorded tokens" if unread else ""
    yield f"{model}: {plural(len(reparsed), 'answer', 'answers')} read again, {differing} otherwise{others}"
    ends = f"{100 * limits.low:+.2f} to {100 * limits.high:+.2f}"
    yield f"{100 * change:+.2f} points of the overall score (95 % interval {ends})"
    for title, turned in (("won", (False, True)), ("lost", (True, False))):
        ids = [one.entry_id for one in reparsed if (one.before, one.after) == turned]
        more = f" and {len(ids) - _MOST_LISTED} more" if len(ids) > _MOST_LISTED else ""
        yield f"{title}: {len(ids)}" + (f": {', '.join(ids[:_MOST_LISTED])}{more}" if ids else "")
