"""Compares a recorded outcome with the one that its cassette leads to, and states what differs.

A cassette has no secrets, but its outcome may: values of secret parameters in the address of a page or of a
redirect, wherever the page repeats them. Texts are compared without them.
"""

from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlencode

from bfcl_pipeline.base.secrets import REDACTED
from bfcl_pipeline.base.text import cut, on_one_line, printable
from bfcl_pipeline.world.executables import ApiAnswer
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import Outcome
from bfcl_pipeline.world.web.evidence.redaction import HttpRedactor, differs_in_secrets_only, secret_values
from bfcl_pipeline.world.web.fetcher import LONGEST_FAILURE
from bfcl_pipeline.world.web.keys import ApiKey, FetchKey, Key

_KINDS = {Hits: "results", Page: "a page", WebFailure: "a failure", ApiAnswer: "an answer"}
_SHOWN = 60  # characters of a text in a message, after the place where it differs
_BEFORE = 20  # characters before that place


def difference(key: Key, recorded: Outcome, derived: Outcome, *, redacted: bool = False) -> str | None:
    """How two outcomes of `key` differ, in words; None if they do not.

    derived: the outcome that the cassette leads to. redacted: whether it has markers in the place of
    secrets that are not in the key; any text that may be a secret is then taken for one.
    """
    ours, theirs = _KINDS[type(recorded)], _KINDS[type(derived)]
    if ours != theirs:
        return f"the outcome is {ours}, its cassette leads to {theirs}"
    if isinstance(recorded, Hits) and isinstance(derived, Hits):
        here, there = len(recorded.hits), len(derived.hits)
        if here != there:
            return f"the number of results is {here:,}, in its cassette {there:,}"
        if recorded != derived and Counter(recorded.hits) == Counter(derived.hits):
            return "the results are in another order than in its cassette"
    redactor = HttpRedactor(_secrets(key))
    for (name, mine), (_, other) in zip(_texts(recorded), _texts(derived), strict=True):
        if mine == other:
            continue
        if isinstance(recorded, WebFailure):
            mine, other = _failures_without(redactor, mine, other)
        else:
            mine, other = _without(redactor, mine), _without(redactor, other)
        if mine != other and not (redacted and differs_in_secrets_only(mine, other)):
            at = _first_difference(mine, other)
            return f"the {name} is {_shown(mine, at)}, in its cassette {_shown(other, at)}"
    return None


def _texts(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """The texts of an outcome with their names."""
    match outcome:
        case Hits(hits):
            for number, hit in enumerate(hits, start=1):
                yield f"title of result {number}", hit.title
                yield f"address of result {number}", hit.href
                yield f"snippet of result {number}", hit.body
        case Page(text):
            yield "text of the page", text
        case WebFailure(message):
            yield "text of the failure", message
        case ApiAnswer(status, body):
            yield "HTTP status", str(status)
            yield "body", body


def _failures_without(redactor: HttpRedactor, ours: str, theirs: str) -> tuple[str, str]:
    """Two texts of failures without secrets and users in addresses."""
    whole = max(len(ours), len(theirs)) < LONGEST_FAILURE
    ours, theirs = redactor.address(ours), redactor.address(theirs)
    # They are cut to the same length, one with secrets and one with markers.
    length = None if whole else max(0, min(len(ours), len(theirs)) - len(REDACTED))
    return ours[:length], theirs[:length]


def _without(redactor: HttpRedactor, text: str) -> str:
    """`text` without secrets, as the bytes of a cassette are."""
    return redactor.content(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def _secrets(key: Key) -> list[str]:
    """The secrets in the address of a key."""
    if isinstance(key, FetchKey):
        return list(secret_values(key.url))
    if isinstance(key, ApiKey):
        query = urlencode(key.request.params, errors="replace")
        return list(secret_values(f"{key.request.url}?{query}"))
    return []


def _first_difference(ours: str, theirs: str) -> int:
    return next(
        (place for place, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other),
        min(len(ours), len(theirs)),
    )


def _shown(text: str, at: int) -> str:
    """A text for a message, around the place where it differs."""
    start = max(0, at - _BEFORE)
    part = on_one_line(printable(cut(text[start:], _SHOWN + _BEFORE)))
    return f'{"..." if start else ""}"{part}"'
