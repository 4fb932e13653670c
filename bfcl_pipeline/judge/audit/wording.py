"""Looks at what requests say: dates that do not agree, equal requests that demand different things, forms.

Forms of accepted texts are compared with those that function docs and requests have: places, dates and
times whose form the doc gives, places with their state or country, and plurals.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.parameters import Accepted, accepted_parameters
from bfcl_pipeline.judge.audit.texts import all_texts, content_of, dates, plain_text
from bfcl_pipeline.judge.scoring.findings import shorten, shown_options

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = rf"(?P<weekday>{'|'.join(_WEEKDAYS)})"
_BEFORE = re.compile(rf"\b{_WEEKDAY},? (?:on )?(?:the )?$", re.IGNORECASE)
_AFTER = re.compile(rf"^,? ?\(?(?:a |which is a )?{_WEEKDAY}\b", re.IGNORECASE)

_SINGLE_TURN = (Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL, Check.RELEVANCE, Check.IRRELEVANCE)


def wrong_dates(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each weekday that is not that of its date, and each date of the truth with another year.

    A weekday right before or after a full date in a message must be that of the date. If a text of the
    truth has a date of the request with another year, the year must occur in a message, too. Covers
    single-turn and multi-turn entries.
    """
    for entry in benchmark.checked_with(*_SINGLE_TURN, Check.MULTI_TURN):
        for number, messages in enumerate(entry.turns, 1):
            for detail in _weekdays(content_of(messages)):
                yield Suspicion(entry, f"turn {number}", detail)
        for detail in _years(entry):
            yield Suspicion(entry, "truth", detail)


def _weekdays(text: str) -> Iterator[str]:
    for start, end, day in dates(text):
        match = _BEFORE.search(text[:start][-40:]) or _AFTER.search(text[end:][:40])
        right = _WEEKDAYS[day.weekday()].capitalize()
        if match is not None and match["weekday"].capitalize() != right:
            yield f"{match['weekday']} is said of {day}, which is a {right}"


def _years(entry: Entry) -> Iterator[str]:
    request = " ".join(map(content_of, entry.turns))
    asked = {day for _, _, day in dates(request)}
    for day in sorted({day for text in all_texts(entry.truth) for _, _, day in dates(text)}):
        others = sorted(each for each in asked if (each.month, each.day) == (day.month, day.day))
        if others and day not in others and str(day.year) not in request:
            yield f"the truth has {day}, the request {', '.join(map(str, others))}"


def contradicting_entries(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Both entries of each pair of single-turn entries that demand different things of the same request.

    Compared are entries whose messages are equal but for case, white space and kinds of quotes. Reported
    are pairs where one entry demands a call of a function and the other, which offers the same function,
    forbids every call; and pairs that offer the same functions and demand different calls.
    """
    same_request = defaultdict[str, list[Entry]](list)
    for entry in benchmark.compared(*_SINGLE_TURN):
        same_request[plain_text(content_of(entry.turns[0]))].append(entry)
    for entries in same_request.values():
        for one, other in combinations(entries, 2):
            different = _differing_calls if _forbids(one) == _forbids(other) else _opposite
            what = different(one, other)
            if what is not None:
                yield Suspicion(one, "truth", what, other.entry_id)
                yield Suspicion(other, "truth", what, one.entry_id)


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


_FORMATS = {
    r"\bcity, (?:state|country)(?!,)": r",",
    r"yyyy-mm-dd": r"\d{4}-\d\d-\d\d(?!\d)",
    r"yyyy/mm/dd": r"\d{4}/\d\d/\d\d(?!\d)",
    r"(?:mm|dd)/(?:mm|dd)/yyyy": r"\b\d\d/\d\d/\d{4}",
    r"(?:mm|dd)-(?:mm|dd)-yyyy": r"\b\d\d-\d\d-\d{4}",
    r"\bhh:mm": r"\d\d:\d\d",
}
"""Formats in docs, each with what a text of that format has."""

_OF_A_PLACE = re.compile(r"city|cities|location|place|area|airport|where|county|address|destination|origin")

_REGION = (
    r", (?:[A-Z]{2}\b|[A-Z][a-z]+(?: [A-Z][a-z]+)?(?= (?:on|for|to|in|at)\b|, ?[a-z]|[.?!]|$))|,? D\.C\."
)
"""A state or country after a place, not a further place of a list."""


def rejected_formats(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each parameter none of whose accepted values has a format that its doc gives.

    The formats are those of places as City, State, and of dates and times. The default, and an omission,
    may have none. A doc that gives several formats is satisfied by any.
    """
    for each in accepted_parameters(benchmark):
        texts = [value for value in each.given if isinstance(value, str)]
        text = re.sub(r"\bdefault.*", "", str(each.schema.get("description", "")).casefold())
        marks = [mark for form, mark in _FORMATS.items() if re.search(form, text)]
        if not marks or not texts or each.accepts(each.default):
            continue
        if not any(re.search(mark, value) for mark in marks for value in texts):
            detail = f"accepted: {shown_options(texts)}; none has the format that the doc gives"
            yield Suspicion(each.entry, each.where, detail)


def rejected_words(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each text parameter for which the request's own words are rejected, and a shorter form is accepted.

    The request has an accepted place with its state or country, unless the call has these in another
    parameter, or an accepted text in the plural, unless the doc has it as an example. Without enums.
    """
    for each in accepted_parameters(benchmark):
        if "enum" in each.schema:
            continue
        texts = [value for value in each.given if isinstance(value, str) and len(value) > 2]
        for own in (own for text in texts for own in _own_words(each, text)):
            if not each.accepts(own):
                detail = f"the request has {shorten(own)}; accepted: {shown_options(texts)}"
                yield Suspicion(each.entry, each.where, detail)
                break


def _own_words(each: Accepted, text: str) -> Iterator[str]:
    """The forms of an accepted text that the request has instead of it."""
    request, doc = content_of(each.entry.turns[0]), str(each.schema.get("description", ""))
    if _OF_A_PLACE.search(f"{each.name} {doc}".casefold()):
        longer = re.search(rf"\b{re.escape(text)}(?:{_REGION})", request)
        if longer and longer[0].rpartition(", ")[2] not in all_texts(each.calls):
            yield longer[0]
    singular, request = rf"\b{re.escape(text.casefold())}", request.casefold()
    if text.casefold() not in doc.casefold() and not re.search(rf"{singular}\b", request):
        yield from re.findall(rf"{singular}s\b", request)
