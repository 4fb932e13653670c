"""The rule of words for answers to memory questions.

An answer is right if an accepted answer stands in it as whole words, as `answer_words` reads them, unless
it is an abstention, denies that answer, or lists it among others without choosing. A synonym, a number in
words and another unit are not reached.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bfcl_pipeline.benchmark.records import AnswerClass
from bfcl_pipeline.judge.scoring.abstentions import abstains_in
from bfcl_pipeline.judge.scoring.answer_words import (
    IGNORED,
    SEPARATORS,
    Span,
    content,
    is_number,
    occurrences,
    tokens,
    word_set,
)

_EMPTY = (["none"], ["null"], ["n", "/", "a"])

_NOT = frozenset({"not", "never", "nor", "neither"})
_NOT_OF_ANOTHER = word_set(
    "after until till before past beyond than later only just but skip miss forget without because if when "
    "while more less fewer over under merely"
)
"""Words after "not" that it belongs to: "not until 3 PM", "not only"."""
_NEGATIVE = _NOT | {"no", "stop", "avoid", "without"}
"""Words of a question that asks for what is not: "What do I not eat?"."""
_INSTEAD = (
    *(("instead", "of"), ("rather", "than"), ("other", "than"), ("opposed", "to"), ("used", "to", "be")),
    *(("except",), ("besides",), ("formerly",), ("previously",), ("no", "longer"), ("anything", "but")),
)
_LITTLE = word_set("in at on to from with by of for really actually exactly your my is was be been")
_DENIED = re.compile(
    r"(?:is|was|are|were) (?:(?:not|never) (?:the|it|right|correct|your|where|what|which|who|my|one)"
    r"|wrong|incorrect|false)\b"
)

_OR = frozenset({"or", "versus", "vs", "alternatively", "otherwise", "|"})
_LIST = frozenset({",", "and", ";", "or", "/", "|", "versus", "vs", "alternatively", "otherwise"})
_NO_CANDIDATE = word_set(
    "so more less later earlier similar something other others whatever higher above under over fewer "
    "approximately about roughly better equivalent any thereabouts of according based whereas while "
    "although though but because since which who that when where as per"
)
_PERHAPS = re.compile(
    r"\b(?:maybe|possibly|perhaps|(?:could|might|may) (?:also )?(?:be|have been)|either|one of"
    r"|(?:candidates|options|possibilities) (?:are|were|include|would be|:)|depend(?:s|ing)?"
    r"|potentially|between|not sure)\b|\?"
)
_COUNTRIES = (["usa"], ["us"], ["united", "states"], ["uk"], ["united", "kingdom"])
_SHORT = 3  # words of a candidate
_MOST = 20  # places of an answer, and items of a list on each side of it, that are looked at

_SEVERAL = re.compile(
    r"\b(?:list|(?:what|which|who|where) are|name (?:all|both|two|three|some|the)|both|kinds? of \w+s)\b"
)
_CHOICES = re.compile(r"(?::|\bis it\b)([^:]*)$")


@dataclass(frozen=True, slots=True)
class MemoryQuestion:
    """What an answer to a memory question is compared with."""

    accepted: Sequence[str]  # the truth, as written
    question: str
    source: str  # the words of the session, as far as the release quotes them

    def class_of(self, answer: str) -> AnswerClass:
        """RIGHT, HEDGE, ABSTAINED, WRONG, or NO_ANSWER_FORM if there is no word in the answer."""
        words = tokens(answer)
        spans = [
            (span, wanted)
            for wanted in map(tokens, self.accepted)
            for span in occurrences(wanted, words)
            if content(wanted)
        ]
        places = content(words)
        if any(span.start <= places[0] and span.end > places[-1] for span, _ in spans):
            return AnswerClass.RIGHT
        if not places or words in _EMPTY:
            return AnswerClass.NO_ANSWER_FORM
        if abstains_in(words) and not any(map(abstains_in, map(tokens, self.accepted))):
            return AnswerClass.ABSTAINED
        negative = not _NEGATIVE.isdisjoint(tokens(self.question))
        asserted = [(span, wanted) for span, wanted in spans if negative or not _is_denied(words, span)]
        if not asserted:
            return AnswerClass.WRONG
        return AnswerClass.HEDGE if self._hedges(words, asserted) else AnswerClass.RIGHT

    def _hedges(self, words: Sequence[str], asserted: Sequence[tuple[Span, Sequence[str]]]) -> bool:
        """Whether the answer has an accepted one only among other candidates."""
        if _SEVERAL.search(self.question.casefold()) and not self._choices():
            return False
        if any(not _LIST.isdisjoint(wanted) for _, wanted in asserted):
            return False
        spans = [span for span, _ in asserted[:_MOST]]
        if self._names_another_choice(words, spans):
            return True
        items = _items(words)
        owns = [
            next((place for place, item in enumerate(items) if item.start <= span.start < item.end), None)
            for span in spans
        ]
        return all(
            own is not None
            and span.end <= items[own].end
            and self._is_listed(words, span, spans, items, own)
            for span, own in zip(spans, owns, strict=True)
        )

    def _choices(self) -> list[list[str]]:
        """The answers that the question itself offers."""
        match = _CHOICES.search(self.question.casefold())
        items = re.split(r",|\bor\b", match[1]) if match else []
        offered = [[word for word in tokens(item) if word not in SEPARATORS] for item in items]
        offered = [item for item in offered if 0 < len(item) <= _SHORT + 1]
        return offered if len(offered) > 1 else []

    def _names_another_choice(self, words: Sequence[str], spans: Sequence[Span]) -> bool:
        others = [
            span
            for choice in self._choices()
            for span in occurrences(choice, words)[:_MOST]
            if not any(span.start < right.end and right.start < span.end for right in spans)
        ]
        return (
            bool(others)
            and len({span.start for span in spans}) < 2
            and not all(_is_denied(words, other) for other in others)
        )

    def _is_listed(
        self, words: Sequence[str], span: Span, spans: Sequence[Span], items: Sequence[Span], own: int
    ) -> bool:
        """Whether the item `own`, with the answer at `span`, is in a list with a candidate."""
        first, last = _list_around(words, items, own)
        rivals = [
            place
            for place in range(first, last + 1)
            if place != own and self._is_rival(words, items[place], spans)
        ]
        if not rivals:
            return False
        uncertain = len(_PERHAPS.findall(" ".join(words)))
        marks = [_between(words, items[place], items[place + 1]) for place in range(first, last)]
        beside = [
            place
            for place in rivals
            if abs(place - own) == 1 and not _OR.isdisjoint(marks[min(place, own) - first])
        ]
        if any(not _OR.isdisjoint(mark) for mark in marks) and (
            beside or all(_is_short(words, items[place]) for place in rivals)
        ):
            return not self._is_quoted(words, items, own, beside or rivals)
        short = [place for place in rivals if _is_short(words, items[place])]
        if not short or self._is_quoted(words, items, own, beside or short):
            return False
        if list(words[items[last].start : items[last].end]) in _COUNTRIES:
            return False
        is_exact = items[own].end - items[own].start == span.end - span.start
        if any(mark & {"/", ";"} for mark in marks) and is_exact and not is_number(words[span.start]):
            return True
        numbers = all(is_number(words[items[place].start]) for place in [own, *short])
        return len(short) > 1 or uncertain > 0 or (numbers and is_exact)

    def _is_rival(self, words: Sequence[str], item: Span, spans: Sequence[Span]) -> bool:
        if any(span.start < item.end and item.start < span.end for span in spans):
            return False
        text = words[item.start : item.end]
        known = set(tokens(self.question))
        return not (
            text[0] in _NO_CANDIDATE or _is_denied(words, item) or text[0] in _NOT or known.issuperset(text)
        )

    def _is_quoted(
        self, words: Sequence[str], items: Sequence[Span], own: int, others: Sequence[int]
    ) -> bool:
        """Whether the session has the answer and its neighbour side by side, as in "VR or AR"."""
        source = [word for word in tokens(self.source) if word not in _LIST]
        for other in others:
            left, right = (items[own], items[other]) if own < other else (items[other], items[own])
            parts = [
                [word for word in words[item.start : item.end] if word not in IGNORED]
                for item in (left, right)
            ]
            if abs(own - other) == 1 and all(parts) and occurrences([parts[0][-1], parts[1][0]], source):
                return True
        return False


def _items(words: Sequence[str]) -> list[Span]:
    """The parts between separators, "and" and "or" that have a word."""
    bounds = [-1, *(at for at, word in enumerate(words) if word in SEPARATORS or word in _LIST), len(words)]
    parts = (Span(one + 1, other) for one, other in pairwise(bounds))
    return [part for part in parts if part.end > part.start]


def _between(words: Sequence[str], left: Span, right: Span) -> frozenset[str]:
    return frozenset(words[left.end : right.start])


def _joins(words: Sequence[str], left: Span, right: Span) -> bool:
    """Whether two neighbours are items of one list: also in sentences of their own that start alike."""
    between = _between(words, left, right)
    if between == {";"}:
        return _is_short(words, left) and _is_short(words, right)
    if between & _LIST and not between & {"(", ")", ":"}:
        return True
    both = words[left.start : left.end], words[right.start : right.end]
    if between & _OR:
        return True
    return all(_PERHAPS.search(" ".join(part)) for part in both) or "?" in between


def _list_around(words: Sequence[str], items: Sequence[Span], own: int) -> tuple[int, int]:
    """The first and the last item of the list that has the item `own`; the inner ones are short."""
    first = last = own
    while max(own - _MOST, 0) < first and _joins(words, items[first - 1], items[first]):
        first -= 1
        if not _is_short(words, items[first]):
            break
    while last + 1 < min(len(items), own + _MOST) and _joins(words, items[last], items[last + 1]):
        last += 1
        if not _is_short(words, items[last]):
            break
    return first, last


def _is_short(words: Sequence[str], item: Span) -> bool:
    return len(_PERHAPS.sub(" ", " ".join(words[item.start : item.end])).split()) <= _SHORT


def _is_denied(words: Sequence[str], span: Span) -> bool:
    """Whether "not", "instead of" or the like stands before a part, or "is not the ..." after it."""
    before: list[str] = []
    for word in reversed(words[max(span.start - 5, 0) : span.start]):
        if word in SEPARATORS:
            break
        before.insert(0, word)
    for place, word in enumerate(before):
        between = before[place + 1 :]
        if word in _NOT and _NOT_OF_ANOTHER.isdisjoint(between):
            return True
        if word == "no" and set(between) <= _LITTLE | {"a", "an", "the"}:
            return True
        phrases = (phrase for phrase in _INSTEAD if tuple(before[place : place + len(phrase)]) == phrase)
        if any(len(before) - place - len(phrase) < 4 for phrase in phrases):
            return True
    return _DENIED.match(" ".join(words[span.end : span.end + 4])) is not None
