"""How many searches and pages web questions need about, and how long the searches take at the polite rate.

Estimates alone; nothing is derived from them. A question has a chain of annotated hops, each of which needs
at least one search, and usually one page. Searches go to one host, one request after the other; pages come
from many hosts meanwhile.
"""

from bfcl_pipeline.config.job import SEARCH_ENGINE_KEYS
from bfcl_pipeline.text import duration, plural
from bfcl_pipeline.web.engines.facts import FACTS

HOPS_OF_A_QUESTION = 3.14
"""The mean over the questions of the release: 27 have two, 33 three, 39 four, and one has five."""

PAGES_OF_A_SEARCH = 3
"""Pages of about ten results that are requested for the thirty results of a search."""


def seconds_of_search(engine: str, pause: float) -> float:
    """The least time of a search, without that of its answers. 0: a paid service, which needs no pauses."""
    if engine in SEARCH_ENGINE_KEYS:
        return 0.0
    return pause * min(PAGES_OF_A_SEARCH, FACTS[engine].pages)


def effort_text(searches: float, engine: str, pause: float) -> str:
    """About how many searches and pages, and the least time for them."""
    number = round(searches)
    text = f"about {plural(number, 'search', 'searches')} and as many pages"
    seconds = number * seconds_of_search(engine, pause)
    return text + (f", at least {duration(seconds)} by {engine} at web_pause {pause:g}" if seconds else "")


def left_text(questions: int, searches: float, engine: str, pause: float) -> str:
    """What is left for the next run: questions without an answer, and what they need about."""
    asked = plural(questions, "web question is", "web questions are")
    return f"{asked} left: {effort_text(searches, engine, pause)}. What is recorded is not searched again."
