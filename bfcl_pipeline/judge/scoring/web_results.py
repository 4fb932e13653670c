"""What the results of web tools contain, in the form in which a model received them.

Covers whether a call failed, and where an acceptable answer stands: in a title, an address, a snippet or on
a page. An answer stands there if its words do, in order. A short answer, such as a number of one digit, may
stand there by chance. Texts are bounded and the search takes linear time.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from urllib.parse import unquote

from bfcl_pipeline.base.text import fold_text
from bfcl_pipeline.dialogue.calls import read_literal_value

MOST_READ = 2_000_000
"""Characters of the result of one call that are read."""

_APART = re.compile(r"[\W_]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d)")


class Place(StrEnum):
    """Where an acceptable answer may stand."""

    TITLE = "title"  # of a search result
    ADDRESS = "address"  # of a search result
    SNIPPET = "snippet"  # of a search result
    PAGE = "page"  # a page that was fetched


_PARTS = {"title": Place.TITLE, "href": Place.ADDRESS, "body": Place.SNIPPET}
"""The key of each part of a search result."""


def result_failed(result: str) -> bool:
    """Whether a result is an error, as that of a search that found nothing is."""
    document = result_document(result)
    return not isinstance(document, list) and not (isinstance(document, dict) and "content" in document)


def places(result: str, answers: Sequence[str]) -> frozenset[Place]:
    """Where in a result one of the acceptable answers stands; nowhere in an error."""
    wanted = [form for form in map(_plain, answers) if form.strip()]
    return frozenset(
        place for place, text in _parts(result_document(result)) if _stands(wanted, place, text)
    )


def result_document(result: str) -> object:
    """A result as data, of whichever form: None if it has neither, as an error of the call itself.

    Search results are printed as a Python list, a page and an error as JSON.
    """
    if len(result) > MOST_READ:
        # The only long result is a page; its JSON is not read as a whole.
        start = '{"content": "'
        return {"content": result[len(start) : MOST_READ]} if result.startswith(start) else None
    try:
        document: object = read_literal_value(result) if result.startswith("[") else json.loads(result)
    except (ValueError, RecursionError):
        return None
    return document


def _parts(document: object) -> Iterator[tuple[Place, str]]:
    if isinstance(document, dict) and "content" in document:
        yield Place.PAGE, str(document["content"])
    for hit in document if isinstance(document, list) else ():
        if isinstance(hit, dict):
            yield from ((place, str(hit[key])) for key, place in _PARTS.items() if key in hit)


def _stands(wanted: Iterable[str], place: Place, text: str) -> bool:
    if not text:
        return False
    plain = _plain(unquote(text) if place is Place.ADDRESS else text)
    return any(form in plain for form in wanted)


def _plain(text: str) -> str:
    """The words of a text in lower case between single spaces; digits without a comma between them."""
    return f" {_APART.sub(' ', _THOUSANDS.sub('', fold_text(text))).strip()} "
