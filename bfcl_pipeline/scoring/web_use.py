"""What a model does on the web: searches and fetches, and the ways in which it fails there.

Covers what can be told from its calls alone, one small rule for each failure. What came back is not
in the responses: whether a page could be fetched, or held the answer, is not told here. Pure; adding up
is `bfcl_pipeline.report`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from unicodedata import normalize

from bfcl_pipeline.config.web import SEARCH_TOOL
from bfcl_pipeline.records import Call, Entry
from bfcl_pipeline.scoring.conversation_calls import Steps

FETCH_TOOL = "fetch_url_content"
"""What the release calls the tool that fetches a page."""

PASTED_SHARE = 0.8
"""Share of the question's different words that make a query the question itself."""


@dataclass(frozen=True, slots=True)
class WebWork:
    """What a model did on one web question."""

    question: str  # as it was asked
    steps: Steps

    @property
    def queries(self) -> list[str]:
        """What was searched for, in order; a run may present the search tool under another name."""
        return [_query(call) for step in self.steps for call in step if _searches(call)]

    @property
    def fetches(self) -> int:
        """How often a page was to be fetched."""
        return sum(call.name == FETCH_TOOL for step in self.steps for call in step)


def no_search(work: WebWork) -> bool:
    """It never searched: what it says, it knew or made up."""
    return not work.queries


def pasted_question(work: WebWork) -> bool:
    """One query holds at least 80 % of the different words of the question, whatever else it holds."""
    wanted = _words(work.question)
    return any(len(wanted & _words(query)) >= PASTED_SHARE * len(wanted) for query in work.queries)


def never_fetched(work: WebWork) -> bool:
    """It searched and asked for no page: it had titles and, at most, snippets."""
    return bool(work.queries) and work.fetches == 0


FAILURES: Mapping[str, Callable[[WebWork], bool]] = {
    "no_search": no_search,
    "pasted_question": pasted_question,
    "never_fetched": never_fetched,
}
"""Every way to fail by name; an answer may be several."""

NONE_OF_THESE = "none_of_these"
"""What a wrong answer is called that failed in none of these ways."""


def failures(work: WebWork) -> list[str]:
    """The ways in which a wrong answer failed; NONE_OF_THESE if there is none."""
    return [name for name, failed in FAILURES.items() if failed(work)] or [NONE_OF_THESE]


def question_text(entry: Entry) -> str:
    """What the user asks in the first turn."""
    return "\n".join(message["content"] for message in entry.turns[0] if message["role"] == "user")


def hop_count(entry: Entry) -> int:
    """How many steps lead from the question to its answer; 0 where none is annotated."""
    return len(entry.source) if isinstance(entry.source, list) else 0


def _searches(call: Call) -> bool:
    return call.name == SEARCH_TOOL or (call.name != FETCH_TOOL and "keywords" in call.arguments)


def _query(call: Call) -> str:
    return str(call.arguments.get("keywords") or "")


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", normalize("NFKC", text).casefold()))
