"""Finds dates that a single-turn truth demands while no message of the entry states the year."""

import re
from collections.abc import Iterator

from bfcl_pipeline.benchmark.definition import Check
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.texts import content_of
from bfcl_pipeline.judge.scoring.findings import shown_options

_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d/\d\d/\d{4}")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?:\d{4})?(?!\d)")  # alone, or before month and day


def find_undated(benchmark: Benchmark, detector: str) -> Iterator[Suspicion]:
    """One finding per parameter that must be a date, where no message has any year."""
    for entry in benchmark.checked_with(Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL):
        if _YEAR.search(content_of(message for turn in entry.turns for message in turn)):
            continue
        for call in entry.truth:
            for function, parameters in call.items():
                for name, accepted in parameters.items():
                    if accepted and all(map(_is_date, accepted)):
                        where = f"{function}, {name}"
                        detail = f"no message states the year of {shown_options(accepted)}"
                        yield Suspicion(detector, entry.category, entry.entry_id, where, detail)


def _is_date(value: Json) -> bool:
    return isinstance(value, str) and _DATE.match(value) is not None
