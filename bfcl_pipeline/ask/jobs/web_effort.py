"""How many searches and pages web questions need about, and how long the searches take at the polite rate.

Estimates alone; nothing is derived from them. A question has a chain of annotated hops, each of which needs
at least one search, and usually one page. Searches go to one host, one request after the other; pages come
from many hosts meanwhile.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from bfcl_pipeline.ask.generation.web_counts import ENOUGH
from bfcl_pipeline.base.text import duration, plural
from bfcl_pipeline.benchmark.config.job import NETWORK_MODES, SERPAPI, WebChoice
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.records import Response, Status
from bfcl_pipeline.world.web.keys import Key, SearchKey

HOPS_OF_A_QUESTION = 3.14
"""The mean over the questions of the release: 27 have two, 33 three, 39 four, and one has five."""

PAGES_OF_A_SEARCH = 3
"""Pages of about ten results that are requested for the thirty results of a search."""


@dataclass(frozen=True, slots=True)
class SearchesLeft:
    """What one model still needs."""

    questions: int  # without an answer
    searches: float  # for them, about


def seconds_of_search(web: WebChoice) -> float:
    """The least time of a search, without that of its answers. 0: a paid service, which needs no pauses."""
    return 0.0 if web.engine == SERPAPI else web.pause * PAGES_OF_A_SEARCH


def effort_text(searches: float, web: WebChoice) -> str:
    """About how many searches and pages, and the least time for them."""
    number = round(searches)
    text = f"about {plural(number, 'search', 'searches')} and as many pages"
    seconds = number * seconds_of_search(web)
    return text + (
        f", at least {duration(seconds)} by {web.engine} at web_pause {web.pause:g}" if seconds else ""
    )


def left_text(questions: int, searches: float, web: WebChoice) -> str:
    """What is left for the next run: questions without an answer, and what they need about."""
    asked = plural(questions, "web question is", "web questions are")
    return f"{asked} left: {effort_text(searches, web)}. What is recorded is not searched again."


def left_by_model(
    responses: Iterable[Response], keys_of: Callable[[Response], Iterable[Key]]
) -> dict[str, SearchesLeft]:
    """By model with web questions that failed: how many, and the searches that they need about.

    These are as many as its answered questions took in the mean, at least one each.

    keys_of: the web requests of a response.
    """
    failed: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    searches: Counter[str] = Counter()
    for response in responses:
        name = response.model or "?"
        if response.category not in GROUPS["web_search"] or response.web not in NETWORK_MODES:
            continue
        if response.status is Status.ANSWERED:
            answered[name] += 1
            with suppress(ValueError, RecursionError):
                searches[name] += sum(isinstance(key, SearchKey) for key in keys_of(response))
        elif response.status is Status.INFRASTRUCTURE_ERROR:
            failed[name] += 1
    each = {
        name: max(1.0, searches[name] / answered[name]) if answered[name] >= ENOUGH else HOPS_OF_A_QUESTION
        for name in failed
    }
    return {name: SearchesLeft(number, number * each[name]) for name, number in failed.items()}
