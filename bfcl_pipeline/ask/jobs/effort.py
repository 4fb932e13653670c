"""The estimate of work: requests, tokens, US dollars, time and searches of so many entries. Pure.

No result follows from it. A question of the web has a chain of annotated hops, each of which needs at
least one search, and usually one page. Searches go to one host, one request after the other; pages come
from many hosts meanwhile.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass

from bfcl_pipeline.ask.generation.chains import WorkLeft
from bfcl_pipeline.base.text import duration, plural
from bfcl_pipeline.benchmark.config import ModelRow, RequestLimits
from bfcl_pipeline.benchmark.config.job import NETWORK_MODES, SERPAPI, WebChoice
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS
from bfcl_pipeline.benchmark.records import Response, Status, token_dollars
from bfcl_pipeline.world.web.keys import Key, SearchKey

MEMORY_SCENARIOS = 5
"""The sessions before memory questions form this many chains; those of one chain run one after another."""


@dataclass(frozen=True, slots=True)
class EntryFigures:
    """Means over entries, or over memory sessions, of one category."""

    input_tokens: float
    output_tokens: float
    requests: float
    seconds: float  # from the first request to the last answer
    measured: int  # entries on which this was measured; 0: assumed


@dataclass(frozen=True, slots=True)
class Consumption:
    """The figures of a model by category, and where they come from."""

    entries: Mapping[str, EntryFigures]
    sessions: Mapping[str, EntryFigures]  # of the categories that have sessions
    source: str  # in words


def _published(input_tokens: float, output_tokens: float, seconds: float, category: str) -> EntryFigures:
    return EntryFigures(input_tokens, output_tokens, 1, seconds, CATEGORIES[category].entries)


_SESSION = EntryFigures(232_000, 8_100, 37, 320, 1)
_KEY_VALUE = EntryFigures(12_800, 304, 4.3, 27, 3)

PUBLISHED = Consumption(
    {
        "simple_python": _published(208, 105, 1.5, "simple_python"),
        "simple_java": _published(271, 228, 9, "simple_java"),
        "simple_javascript": _published(286, 281, 3.7, "simple_javascript"),
        "multiple": _published(358, 98, 1.5, "multiple"),
        "parallel": _published(245, 160, 2.1, "parallel"),
        "parallel_multiple": _published(403, 171, 2.4, "parallel_multiple"),
        "irrelevance": _published(201, 683, 8.2, "irrelevance"),
        "live_simple": _published(278, 152, 2, "live_simple"),
        "live_multiple": _published(804, 119, 1.6, "live_multiple"),
        "live_parallel": _published(270, 131, 1.8, "live_parallel"),
        "live_parallel_multiple": _published(724, 122, 1.9, "live_parallel_multiple"),
        "live_irrelevance": _published(562, 409, 5.2, "live_irrelevance"),
        "live_relevance": _published(653, 226, 2.9, "live_relevance"),
        "multi_turn_base": EntryFigures(32_600, 1_210, 10.9, 19, 200),
        "multi_turn_miss_func": EntryFigures(38_200, 1_830, 12.8, 25, 200),
        "multi_turn_miss_param": EntryFigures(38_500, 1_490, 12.7, 20, 200),
        "multi_turn_long_context": EntryFigures(65_200, 1_210, 10.9, 19, 0),
        "memory_kv": _KEY_VALUE,
        "memory_vector": EntryFigures(12_800, 304, 4.3, 27, 0),
        "memory_rec_sum": EntryFigures(6_360, 115, 2, 20, 1),
        "web_search_base": EntryFigures(207_000, 1_170, 9, 59, 1),
        "web_search_no_snippet": EntryFigures(151_000, 1_070, 8, 50, 1),
    },
    {
        "memory_kv": _SESSION,
        "memory_vector": EntryFigures(232_000, 8_100, 37, 320, 0),
        "memory_rec_sum": EntryFigures(232_000, 8_100, 37, 320, 0),
    },
    "published results: gpt-oss-120b on single-turn and multi-turn, one to three entries of "
    "DeepSeek-V3.2-Exp on memory and web, which give an order of magnitude only",
)
"""Single-turn and multi-turn: all entries, vLLM of November 2025. Memory and web: first entries of the
results that the leaderboard published in December 2025. Long context is assumed to have twice the input of
multi_turn_base; memory_vector is assumed to be as memory_kv."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What one model needs for a sample."""

    input_tokens: float
    output_tokens: float
    requests: float
    seconds: float
    dollars: float | None  # None: its row has no prices
    searches: float  # of its web questions

    def __str__(self) -> str:
        """The requests, tokens, cost and time in one line."""
        cost = "" if self.dollars is None else f", {self.dollars:,.2f} US dollars"
        return (
            f"about {self.requests:,.0f} requests, {self.input_tokens:,.0f} tokens in, "
            f"{self.output_tokens:,.0f} out{cost}, {duration(self.seconds)}"
        )

    def repeated(self, trials: int) -> "Effort":
        """What so many trials need, which run one after another."""
        return Effort(*(value and value * trials for value in astuple(self)))


def effort(
    entries: Mapping[str, int], used: Consumption, row: ModelRow | None, rate: float | None = None
) -> Effort:
    """What a sample needs.

    The time is the longest of four: all entries at the row's number of requests in flight, the longest
    chain of requests, and the requests and tokens per minute that the row allows.

    Args:
        entries: the sample, by category; a memory category with any entry needs all its sessions.
        used: figures of the categories; one without any is taken for single-turn calls.
        row: of the model; None: default limits, no prices.
        rate: requests per second that its server answers with all of the row's requests in flight; None: an
            entry takes the seconds of `used`.
    """
    usual = used.entries.get("multiple", PUBLISHED.entries["multiple"])
    parts = [(count, used.entries.get(name, usual)) for name, count in entries.items() if count]
    sessions = [
        (CATEGORIES[name].prerequisites, used.sessions[name])
        for name, count in entries.items()
        if count and CATEGORIES[name].prerequisites
    ]
    parts += sessions
    sent = sum(count * one.input_tokens for count, one in parts)
    received = sum(count * one.output_tokens for count, one in parts)
    requests = sum(count * one.requests for count, one in parts)
    limits = row.limits if row is not None else RequestLimits()

    def lasts(one: EntryFigures) -> float:  # a request takes in_flight / rate, by Little's law
        return one.requests * limits.in_flight / rate if rate else one.seconds

    chains = [lasts(one) for _, one in parts]
    chains += [count / MEMORY_SCENARIOS * lasts(one) for count, one in sessions]
    seconds = [sum(count * lasts(one) for count, one in parts) / limits.in_flight, *chains]
    if limits.requests_per_minute:
        seconds.append(60 * requests / limits.requests_per_minute)
    if limits.tokens_per_minute:
        seconds.append(60 * (sent + received) / limits.tokens_per_minute)
    dollars = None if row is None else token_dollars(sent, received, row.input_price, row.output_price)
    searches = HOPS_OF_A_QUESTION * sum(entries.get(name, 0) for name in GROUPS["web_search"])
    return Effort(sent, received, requests, max(seconds), dollars, searches)


def completed_figures(used: Consumption, assumed: Consumption = PUBLISHED) -> Consumption:
    """`used`, with the categories that it lacks as in `assumed`."""
    lacks = [name for name in assumed.entries if name not in used.entries]
    source = used.source if not lacks else f"{used.source}; for {', '.join(lacks)}: {assumed.source}"
    return Consumption({**assumed.entries, **used.entries}, {**assumed.sessions, **used.sessions}, source)


HOPS_OF_A_QUESTION = 3.14
"""The mean over the questions of the release: 27 have two, 33 three, 39 four, and one has five."""

PAGES_OF_A_SEARCH = 3
"""Pages of about ten results that are requested for the thirty results of a search."""


def seconds_of_search(web: WebChoice) -> float:
    """The least time of a search, without that of its answers. 0: a paid service, which needs no pauses."""
    return 0.0 if web.engine == SERPAPI else web.pause * PAGES_OF_A_SEARCH


def searches_text(searches: float, web: WebChoice) -> str:
    """About how many searches and pages, and the least time for them."""
    number = round(searches)
    text = f"about {plural(number, 'search', 'searches')} and as many pages"
    seconds = number * seconds_of_search(web)
    return text + (
        f", at least {duration(seconds)} by {web.engine} at web_pause {web.pause:g}" if seconds else ""
    )


def left_text(questions: WorkLeft, web: WebChoice) -> str:
    """What is left for the next run: questions without an answer, and what they need about."""
    asked = plural(questions.failed, "web question is", "web questions are")
    needed = searches_text(questions.for_later, web)
    return f"{asked} left: {needed}. What is recorded is not searched again."


def left_by_model(
    responses: Iterable[Response], keys_of: Callable[[Response], Iterable[Key]]
) -> dict[str, WorkLeft]:
    """The searches of web questions, by model with questions that failed.

    keys_of: the web requests of a response.
    """
    models: dict[str, WorkLeft] = {}
    for number, response in enumerate(responses):
        answered = response.status is Status.ANSWERED
        if response.category not in GROUPS["web_search"] or response.web not in NETWORK_MODES:
            continue
        if not answered and response.status is not Status.INFRASTRUCTURE_ERROR:
            continue
        questions, name = models.setdefault(response.model or "?", WorkLeft()), str(number)
        questions.expect(name, "", HOPS_OF_A_QUESTION)
        with suppress(ValueError, RecursionError):
            for key in keys_of(response) if answered else ():
                if isinstance(key, SearchKey):
                    questions.did(name)
        questions.ended(name, complete=answered)
    return {name: questions for name, questions in models.items() if questions.failed}
