"""Classifies what a model does on the web: searches, fetches, and kinds of failure of wrong answers.

Covers one conversation, with one small rule per kind of failure; `web_queries` has the rules on words,
`web_results` those on results. The rules of RESULT_FAILURES need the results of the calls, which may not be
recorded. `bfcl_pipeline.show.report` plays the conversations again and counts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from bfcl_pipeline.benchmark.records import AnswerClass, Entry
from bfcl_pipeline.judge.scoring.agentic import class_of_invalid
from bfcl_pipeline.judge.scoring.web_results import Place, awaits_event, count_repeated, is_pasted

FETCH_TOOL = "fetch_url_content"
"""The release's name for the tool that fetches a page."""

MOST_COMPARED = 100
"""Queries of one conversation that are compared with each other."""


class Next(StrEnum):
    """What a model does after a fetch that failed."""

    RETRIED = "retried"  # fetched the same address again
    OTHER_SOURCE = "other_source"  # fetched another address
    SEARCHED = "searched"  # searched again
    ANSWERED = "answered"  # answered without a further call
    GAVE_UP = "gave_up"  # said that it does not know or cannot answer, or did not answer


@dataclass(frozen=True, slots=True)
class WebCall:
    """One call of a web tool that was offered."""

    step: int  # number of the step
    is_search: bool  # else a fetch
    asked: str  # the query, or the address
    failed: bool | None  # None: the result is not recorded
    mode: str = ""  # of a fetch: the form of the page that was asked for
    region: str = ""  # of a search
    max_results: int | None = None  # of a search: results asked for; None: not a number of results


@dataclass(frozen=True, slots=True)
class WebWork:
    """What a model did at one web question."""

    question: str  # text of the first turn
    hops: tuple[str, ...]  # the annotated sub-questions
    steps: int
    calls: tuple[WebCall, ...]  # in order; calls of tools that were not offered are not among them
    message: str | None  # the final message; None if there is none
    places: frozenset[Place]  # where an acceptable answer stands in the recorded results

    @property
    def searches(self) -> list[WebCall]:
        """The searches, in order."""
        return [call for call in self.calls if call.is_search]

    @property
    def fetches(self) -> list[WebCall]:
        """The fetches, in order."""
        return [call for call in self.calls if not call.is_search]

    @property
    def queries(self) -> list[str]:
        """The search queries, in order."""
        return [call.asked for call in self.searches]

    @property
    def known(self) -> bool:
        """Whether the result of every call is recorded."""
        return all(call.failed is not None for call in self.calls)

    @property
    def repeated_searches(self) -> int:
        """Searches with nearly the words of an earlier one, of the first MOST_COMPARED."""
        return count_repeated(self.queries[:MOST_COMPARED])

    @property
    def abstains(self) -> bool:
        """Whether the final message says, in any words, that it has no answer."""
        return self.message is not None and class_of_invalid(self.message) is AnswerClass.ABSTAINED

    def after_failures(self) -> Iterator[Next]:
        """What followed each failed fetch: what the next step with web calls did, or the end."""
        fetched: dict[int, set[str]] = {}  # the addresses of each step with web calls
        for call in self.calls:
            fetched.setdefault(call.step, set()).update(() if call.is_search else (call.asked,))
        following = dict(pairwise(sorted(fetched)))
        for call in self.fetches:
            if call.failed:
                step = following.get(call.step)
                yield self._at_the_end() if step is None else _next(call.asked, fetched[step])

    def _at_the_end(self) -> Next:
        return Next.GAVE_UP if self.abstains or not self.message else Next.ANSWERED


def _next(failed: str, fetched: set[str]) -> Next:
    if not fetched:
        return Next.SEARCHED
    return Next.RETRIED if failed in fetched else Next.OTHER_SOURCE


RESULT_FAILURES: Mapping[str, Callable[[WebWork], bool]] = {
    # An acceptable answer stands on a page that was fetched.
    "misread_page": lambda work: Place.PAGE in work.places,
    # An acceptable answer stands in the title, address or snippet of a search result.
    "misread_result": lambda work: bool(work.places - {Place.PAGE}),
    # A fetch failed, and the next step fetched another address.
    "failed_fetch_other_source": lambda work: Next.OTHER_SOURCE in work.after_failures(),
    # A fetch failed, and the model did nothing more on the web and has no answer.
    "gave_up": lambda work: Next.GAVE_UP in work.after_failures(),
}
"""The kinds of failure that need the results of calls; not counted where `WebWork.known` is false."""

FAILURES: Mapping[str, Callable[[WebWork], bool]] = {
    # The model never searched; its answer comes from its training or is invented.
    "no_search": lambda work: not work.searches,
    # One query holds the question, or packs several of its hops (`web_queries.is_pasted`).
    "pasted_question": lambda work: any(
        is_pasted(query, work.question, work.hops) for query in work.queries[:MOST_COMPARED]
    ),
    # The model searched but fetched no page, so it saw only titles and snippets.
    "never_fetched": lambda work: bool(work.searches) and not work.fetches,
    # One query has nearly the words of an earlier one.
    "repeated_search": lambda work: work.repeated_searches > 0,
    # The final message says that an event has not happened yet or is later than the model's knowledge.
    "future_event": lambda work: work.message is not None and awaits_event(work.message),
    # The final message is that the model does not know or cannot answer.
    "abstained": lambda work: work.abstains,
    **RESULT_FAILURES,
}
"""Every kind of failure by name; several may apply to one answer."""

NONE_OF_THESE = "none_of_these"
"""The kind of a wrong answer to which none of FAILURES applies."""


def failures(work: WebWork) -> list[str]:
    """The kinds of failure of a wrong answer; only NONE_OF_THESE if none applies.

    Empty if none is found and a result is not recorded, so that others may apply.
    """
    return list(_failures(work))


@lru_cache(maxsize=1_000)  # the tables of each rule set ask again for the same answers
def _failures(work: WebWork) -> tuple[str, ...]:
    found = tuple(
        name
        for name, failed in FAILURES.items()
        if (work.known or name not in RESULT_FAILURES) and failed(work)
    )
    return found or ((NONE_OF_THESE,) if work.known else ())


def hop_count(entry: Entry) -> int:
    """The number of annotated steps from the question to its answer; 0 if there are none."""
    return len(entry.source) if isinstance(entry.source, list) else 0


def subquestions(entry: Entry) -> tuple[str, ...]:
    """The annotated steps as questions; empty if there are none."""
    hops: Sequence[object] = entry.source if isinstance(entry.source, list) else ()
    return tuple(str(hop["subquestion"]) for hop in hops if isinstance(hop, dict) and "subquestion" in hop)
