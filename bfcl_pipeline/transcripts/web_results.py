"""Results of web calls as items: each hit of a search by itself, and the text of a fetched page.

What the model saw is one text, a Python list of hits or a JSON object with the page. The items have the
same texts without the quotes around them; a result of another form is shown as it is.
"""

import json
from collections.abc import Iterator, Sequence

from bfcl_pipeline.calls import read_literal_value
from bfcl_pipeline.playback.conversation import PlayedCall
from bfcl_pipeline.records import Json
from bfcl_pipeline.scoring.web_use import FETCH_TOOL
from bfcl_pipeline.text import cut
from bfcl_pipeline.transcripts.limits import Limits
from bfcl_pipeline.transcripts.parts import Item, Kind

_HIT = ({"title", "href"}, {"title", "href", "body"})
"""The keys of a hit, without and with a snippet."""


def web_result(played: PlayedCall, search_tools: Sequence[str], limits: Limits) -> Iterator[Item]:
    """The result of a call on the web. search_tools: the names of the search tool."""
    name = played.call.name.strip()
    hits = _hits(played.result) if name in search_tools else None
    page = _page(played.result) if name == FETCH_TOOL else None
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


def _hits(result: str) -> list[list[str]] | None:
    """Title, address and snippet of each hit; None if the result is not a list of hits."""
    try:
        hits = read_literal_value(result)
    except ValueError:
        return None
    if not isinstance(hits, list) or not all(isinstance(hit, dict) and set(hit) in _HIT for hit in hits):
        return None
    return [[str(text) for text in hit.values()] for hit in hits]


def _page(result: str) -> str | None:
    """The text of a fetched page; None if the result is not one."""
    try:
        found: Json = json.loads(result)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict) and set(found) == {"content"} and isinstance(found["content"], str):
        return found["content"]
    return None
