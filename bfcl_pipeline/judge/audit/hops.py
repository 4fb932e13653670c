"""Finds web questions whose hop chain does not lead to an accepted answer.

Each hop needs a subquestion, an answer and a source, and the answer of the last one must agree with an
accepted answer: one contains the other without case, spaces and signs, or both have a date of the same
month and day. Whether the sources say what the hops say is not checked.
"""

from collections.abc import Iterator, Mapping

from bfcl_pipeline.benchmark.definition import Check
from bfcl_pipeline.benchmark.records import Entry, Json
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.texts import month_days, words
from bfcl_pipeline.judge.scoring.findings import shorten, shown_options

NAME = "hops"

_PARTS = ("subquestion", "answer", "source")


def suspicions(benchmark: Benchmark) -> Iterator[Suspicion]:
    """One finding per incomplete hop, and per chain that ends elsewhere."""
    for entry in benchmark.checked_with(Check.WEB_SEARCH):
        for where, detail in _breaks(entry):
            yield Suspicion(NAME, entry.category, entry.entry_id, where, detail)


def _breaks(entry: Entry) -> Iterator[tuple[str, str]]:
    hops = entry.source or []
    for number, hop in enumerate(hops, 1):
        lacking = [name for name in _PARTS if not str(hop.get(name, "")).strip()]
        if lacking:
            yield f"hop {number}", f"it has no {' and no '.join(lacking)}"
    if not hops:
        yield "source", "there are no hops"
    elif not any(_agree(_answer(hops[-1]), accepted) for accepted in entry.truth):
        detail = f"its answer is {shorten(_answer(hops[-1]))}, accepted is {shown_options(entry.truth)}"
        yield f"hop {len(hops)}", detail


def _answer(hop: Mapping[str, Json]) -> str:
    return str(hop.get("answer", ""))


def _agree(found: str, accepted: str) -> bool:
    one, other = "".join(words(found)), "".join(words(accepted))
    return one in other or other in one or not month_days(found).isdisjoint(month_days(accepted))
