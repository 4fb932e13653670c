"""Compares the forms of accepted texts with the forms that function docs and requests have.

Covers places, dates and times whose form the doc gives, places with their state or country, and plurals.
"""

import re
from collections.abc import Iterator

from bfcl_pipeline.judge.audit.accepted import Accepted, accepted_parameters
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.texts import all_texts, content_of
from bfcl_pipeline.judge.scoring.findings import shorten, shown_options

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
