"""Results of web calls as items: each hit of a search by itself, and the text of a fetched page.

What the model saw is one text, a Python list of hits or a JSON object with the page. The items have the
same texts without the quotes around them; a result of another form is shown as it is.
"""

from collections.abc import Iterator, Sequence

from bfcl_pipeline.base.text import cut
from bfcl_pipeline.judge.scoring.web_results import result_document
from bfcl_pipeline.judge.scoring.web_use import FETCH_TOOL
from bfcl_pipeline.show.playback.conversation import PlayedCall
from bfcl_pipeline.show.transcripts.limits import TextLimits
from bfcl_pipeline.show.transcripts.parts import Item, Kind

_HIT = ({"title", "href"}, {"title", "href", "body"})
"""The keys of a hit, without and with a snippet."""


def web_result(played: PlayedCall, search_tools: Sequence[str], limits: TextLimits) -> Iterator[Item]:
    """The result of a call on the web. search_tools: the names of the search tool."""
    name = played.call.name.strip()
    document = result_document(played.result)
    hits = _hits(document) if name in search_tools else None
    page = _page(document) if name == FETCH_TOOL else None
    if hits is not None:
        for number, hit in enumerate(hits[: limits.hits], start=1):
            yield Item(Kind.RESULT, cut("\n".join(hit), limits.result), label=str(number))
        if len(hits) > limits.hits:
            yield Item(Kind.NOTE, f"(and {len(hits) - limits.hits:,} more results)")
        return
    if page is not None:
        yield Item(Kind.RESULT, cut(page, limits.page))
        return
    yield Item(Kind.RESULT, cut(played.result, limits.result))


def _hits(document: object) -> list[list[str]] | None:
    """Title, address and snippet of each hit; None if the result is not a list of hits."""
    if not isinstance(document, list):
        return None
    if not all(isinstance(hit, dict) and set(hit) in _HIT for hit in document):
        return None
    return [[str(text) for text in hit.values()] for hit in document]


def _page(document: object) -> str | None:
    """The text of a fetched page; None if the result is not one."""
    if isinstance(document, dict) and set(document) == {"content"} and isinstance(document["content"], str):
        return document["content"]
    return None
