"""What became of entries that got no answer, as the run that is re-derived has observed it.

An outage, a budget that was spent, a request that did not fit the model: they leave nothing behind from
which they could be derived again. So where an answer is missing, and only there, what the run's tables say
of its absence is taken over, and counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bfcl_pipeline.errors import NotJournaled, NotRecorded, PipelineError
from bfcl_pipeline.generation.generate import Failure, failure_of
from bfcl_pipeline.records import Entry


@dataclass(slots=True)
class Observed:
    """The entries without an answer of an earlier run, and what of them was used."""

    failures: Mapping[str, Failure]  # by entry id
    taken_over: set[str] = field(default_factory=set)  # entries that have theirs from there

    def failure_of(self, entry: Entry, error: PipelineError) -> Failure:
        """What `error` makes of `entry`: what was observed, if something that was never kept is missing."""
        derived = failure_of(entry, error)
        observed = self.failures.get(entry.entry_id)
        if observed in (None, derived) or not isinstance(error, NotJournaled | NotRecorded):
            return derived
        self.taken_over.add(entry.entry_id)
        return observed
