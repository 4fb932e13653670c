"""Finds memory questions whose accepted answers no session tells.

The sessions of a question are those before it that have a passage of the source which the release gives for
it. One of them must tell an accepted answer: its words, in the same order, or all items of a list.
"""

import re
from collections.abc import Iterator

from bfcl_pipeline.benchmark.definition import Check
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.judge.audit.benchmark import Benchmark
from bfcl_pipeline.judge.audit.texts import content_of, words
from bfcl_pipeline.judge.scoring.findings import shorten, shown_options

_EITHER = frozenset({"yes", "no"})  # answers that no session has to tell in so many words

_PASSAGES = re.compile(r"\.\.\.|…|[\"“”\n]|(?<=[.:]) ")
"""What separates the passages of a source."""

_SHORTEST = 12  # characters of a passage that identifies a session


def untold(benchmark: Benchmark) -> Iterator[tuple[Entry, str]]:
    """The questions that no session answers, each with the reason."""
    sessions = {
        entry.entry_id: plain_times(content_of(message for turn in entry.turns for message in turn))
        for entries in benchmark.entries.values()
        for entry in entries
        if entry.prerequisite
    }
    for entry in benchmark.checked_with(Check.MEMORY):
        before = [sessions[each] for each in entry.depends_on if each in sessions]
        passages = [
            plain_times(part) for part in _PASSAGES.split(str(entry.source)) if len(part) > _SHORTEST
        ]
        told = [text for text in before if any(passage in text for passage in passages)]
        if not told:
            yield entry, f"no session has its source, {shorten(entry.source)}"
        elif not any(answer.casefold() in _EITHER or _is_told(answer, told) for answer in entry.truth):
            yield entry, f"no session with its source has {shown_options(entry.truth)}"


def _is_told(answer: str, sessions: list[str]) -> bool:
    """Whether each item of an answer, which may be a list, is in the sessions; words may go on there."""
    return all(any(plain_times(item) in text for text in sessions) for item in answer.split(","))


def plain_times(text: str) -> str:
    """Words and numbers alone, in lower case; 3:00 p.m. and 03:00 PM become 3 pm."""
    text = re.sub(r"\b([ap])\.?m\b", r" \1m", text.casefold().replace("in the morning", "am"))
    text = re.sub(r"\b0(?=\d)|:00(?= *[ap]m\b)", "", re.sub(r"(?<=\d)(?=[ap]m\b)", " ", text))
    return f" {' '.join(words(text))}"
