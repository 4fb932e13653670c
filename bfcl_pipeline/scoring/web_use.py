"""Classifies what a model does on the web: searches, fetches, and kinds of failure.

Covers what follows from its calls alone, with one small rule per failure. Responses do not contain the
results, so whether a page could be fetched, or had the answer, is not covered. `bfcl_pipeline.report` adds
the counts up.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from unicodedata import normalize

from bfcl_pipeline.calls import Steps
from bfcl_pipeline.config.job import SEARCH_TOOL
from bfcl_pipeline.records import Call, Entry

FETCH_TOOL = "fetch_url_content"
"""The release's name for the tool that fetches a page."""

PASTED_SHARE = 0.8
"""Share of the question's distinct words from which on a query counts as the pasted question."""


@dataclass(frozen=True, slots=True)
class WebWork:
    """The question and the calls of one web entry."""

    question: str  # text of the first turn
    steps: Steps

    @property
    def queries(self) -> list[str]:
        """The search queries, in order; a run may present the search tool under another name."""
        return [_query(call) for step in self.steps for call in step if _searches(call)]

    @property
    def fetches(self) -> int:
        """The number of page fetches."""
        return sum(call.name == FETCH_TOOL for step in self.steps for call in step)


def no_search(work: WebWork) -> bool:
    """The model never searched; its answer comes from its training or is invented."""
    return not work.queries


def pasted_question(work: WebWork) -> bool:
    """One query contains at least 80 % of the distinct words of the question."""
    wanted = _words(work.question)
    return any(len(wanted & _words(query)) >= PASTED_SHARE * len(wanted) for query in work.queries)


def never_fetched(work: WebWork) -> bool:
    """The model searched but fetched no page, so it saw only titles and snippets."""
    return bool(work.queries) and work.fetches == 0


FAILURES: Mapping[str, Callable[[WebWork], bool]] = {
    "no_search": no_search,
    "pasted_question": pasted_question,
    "never_fetched": never_fetched,
}
"""Every kind of failure by name; several may apply to one answer."""

NONE_OF_THESE = "none_of_these"
"""The kind of a wrong answer to which none of FAILURES applies."""


def failures(work: WebWork) -> list[str]:
    """The kinds of failure of a wrong answer; only NONE_OF_THESE if none applies."""
    return [name for name, failed in FAILURES.items() if failed(work)] or [NONE_OF_THESE]


def question_text(entry: Entry) -> str:
    """The text of the user in the first turn."""
    return "\n".join(message["content"] for message in entry.turns[0] if message["role"] == "user")


def hop_count(entry: Entry) -> int:
    """The number of annotated steps from the question to its answer; 0 if there are none."""
    return len(entry.source) if isinstance(entry.source, list) else 0


def _searches(call: Call) -> bool:
    return call.name == SEARCH_TOOL or (call.name != FETCH_TOOL and "keywords" in call.arguments)


def _query(call: Call) -> str:
    return str(call.arguments.get("keywords") or "")


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", normalize("NFKC", text).casefold()))
