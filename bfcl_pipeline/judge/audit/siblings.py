"""Finds entries without an erratum that share the task and the truth of entries with one."""

from collections import defaultdict
from collections.abc import Iterator

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.errata import ErratumStatus, errata_of
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.drift import said, task_of
from bfcl_pipeline.judge.audit.texts import content_of

_SHARING = (Check.MULTI_TURN, Check.MEMORY, Check.WEB_SEARCH)


def unrecorded_siblings(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each entry without an erratum whose siblings have a confirmed or disputed one that it may share.

    Siblings are the variants of a multi-turn scenario that say the same values and demand the same calls,
    and memory and web entries with the same question and truth. An erratum of one multi-turn variant other
    than the base is not expected of the others: most are of what the variant changes (a function that is
    held out, a value that is missing, long context).
    """
    siblings = defaultdict[str, list[Entry]](list)
    for entry in benchmark.compared(*_SHARING):
        siblings[task_of(entry)].append(entry)
    for entry in benchmark.checked_with(*_SHARING):
        if not errata_of(entry):
            yield from _of_siblings(entry, siblings[task_of(entry)])


def _of_siblings(entry: Entry, siblings: list[Entry]) -> Iterator[Suspicion]:
    alike = [other for other in siblings if _demanded(other) == _demanded(entry)]
    recorded = [
        (other, erratum)
        for other in alike
        for erratum in errata_of(other)
        if erratum.status is not ErratumStatus.REJECTED
    ]
    for other, erratum in recorded:
        others = {each.entry_id for each, same in recorded if same.what == erratum.what}
        is_variant = CATEGORIES[other.category].check is Check.MULTI_TURN and other is not siblings[0]
        if len(others) > 1 or not is_variant:
            yield Suspicion(entry, erratum.defect, f"it has no erratum: {erratum.what}", other.entry_id)
            return


def _demanded(entry: Entry) -> object:
    """What siblings must share: values and the calls of all turns, or the question and its answers."""
    if CATEGORIES[entry.category].check is Check.MULTI_TURN:
        return said(entry), [call for calls in entry.truth or () for call in calls]
    return content_of(entry.turns[-1]), entry.truth
