"""Finds single-turn entries with the same request that demand different things.

Compared are entries whose messages are equal but for case, white space and kinds of quotes. Reported are
pairs where one entry demands a call of a function and the other, which offers the same function, forbids
every call; and pairs that offer the same functions and demand different calls.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.texts import content_of, plain_text

NAME = "contradiction"

_CALLS = (Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL, Check.RELEVANCE)


def suspicions(benchmark: Benchmark) -> Iterator[Suspicion]:
    """One finding on each entry of a pair."""
    same_request = defaultdict[str, list[Entry]](list)
    for entry in benchmark.checked_with(*_CALLS, Check.IRRELEVANCE):
        same_request[plain_text(content_of(entry.turns[0]))].append(entry)
    for entries in same_request.values():
        for one, other in combinations(entries, 2):
            what = (
                _differing_calls(one, other) if _forbids(one) == _forbids(other) else _opposite(one, other)
            )
            if what is not None:
                yield Suspicion(NAME, one.category, one.entry_id, "truth", what, other.entry_id)
                yield Suspicion(NAME, other.category, other.entry_id, "truth", what, one.entry_id)


def _forbids(entry: Entry) -> bool:
    return CATEGORIES[entry.category].check is Check.IRRELEVANCE


def _opposite(one: Entry, other: Entry) -> str | None:
    calling, forbidding = (other, one) if _forbids(one) else (one, other)
    offered = _docs(forbidding)
    if _docs(calling) == offered:
        return f"{calling.entry_id} demands a call, {forbidding.entry_id} forbids it; both offer the same"
    called = {name for call in calling.truth or () for name in call}
    if not called or not called <= {doc["name"] for doc in forbidding.functions}:
        return None
    docs = {json.dumps(doc, sort_keys=True) for doc in calling.functions if doc["name"] in called}
    how = "offers it, too," if docs <= offered else "offers one of that name"
    name = ", ".join(sorted(called))
    return f"{calling.entry_id} demands a call of {name}; {forbidding.entry_id} {how} and forbids any call"


def _differing_calls(one: Entry, other: Entry) -> str | None:
    if one.truth == other.truth or _docs(one) != _docs(other):
        return None
    return f"{one.entry_id} and {other.entry_id} offer the same functions and demand different calls"


def _docs(entry: Entry) -> set[str]:
    return {json.dumps(doc, sort_keys=True) for doc in entry.functions}
