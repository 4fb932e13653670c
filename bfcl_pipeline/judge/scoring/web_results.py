"""Rules on the texts of web questions: results as a model received them, queries, final messages.

Covers whether a call failed; where an acceptable answer stands (in a title, an address, a snippet or on a
page): its words stand there in order, which a short answer may do by chance; the question without the
sentences around it; queries that paste it, pack several hops or repeat each other; and phrases on future
events. Every rule takes time linear in its text, and texts are bounded. Words are compared in lower case;
words that begin alike may count as the same.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from urllib.parse import unquote

from bfcl_pipeline.base.text import fold_text
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.dialogue.calls import read_literal_value

MOST_READ = 2_000_000
"""Characters of the result of one call that are read."""

_APART = re.compile(r"[\W_]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d)")


class Place(StrEnum):
    """Where an acceptable answer may stand."""

    TITLE = "title"  # of a search result
    ADDRESS = "address"  # of a search result
    SNIPPET = "snippet"  # of a search result
    PAGE = "page"  # a page that was fetched


_PARTS = {"title": Place.TITLE, "href": Place.ADDRESS, "body": Place.SNIPPET}
"""The key of each part of a search result."""


def result_failed(result: str) -> bool:
    """Whether a result is an error, as that of a search that found nothing is."""
    document = result_document(result)
    return not isinstance(document, list) and not (isinstance(document, dict) and "content" in document)


def places(result: str, answers: Sequence[str]) -> frozenset[Place]:
    """Where in a result one of the acceptable answers stands; nowhere in an error."""
    wanted = [form for form in map(_plain, answers) if form.strip()]
    return frozenset(
        place for place, text in _parts(result_document(result)) if _stands(wanted, place, text)
    )


def result_document(result: str) -> object:
    """A result as data, of whichever form: None if it has neither, as an error of the call itself.

    Search results are printed as a Python list, a page and an error as JSON.
    """
    if len(result) > MOST_READ:
        # The only long result is a page; its JSON is not read as a whole.
        start = '{"content": "'
        return {"content": result[len(start) : MOST_READ]} if result.startswith(start) else None
    try:
        document: object = read_literal_value(result) if result.startswith("[") else json.loads(result)
    except (ValueError, RecursionError):
        return None
    return document


def _parts(document: object) -> Iterator[tuple[Place, str]]:
    if isinstance(document, dict) and "content" in document:
        yield Place.PAGE, str(document["content"])
    for hit in document if isinstance(document, list) else ():
        if isinstance(hit, dict):
            yield from ((place, str(hit[key])) for key, place in _PARTS.items() if key in hit)


def _stands(wanted: Iterable[str], place: Place, text: str) -> bool:
    if not text:
        return False
    plain = _plain(unquote(text) if place is Place.ADDRESS else text)
    return any(form in plain for form in wanted)


def _plain(text: str) -> str:
    """The words of a text in lower case between single spaces; digits without a comma between them."""
    return f" {_APART.sub(' ', _THOUSANDS.sub('', fold_text(text))).strip()} "


LONGEST = 20_000
"""Characters of a query or message that are read."""

COMPARED = 2_000
"""Characters of a query that are compared with other queries."""

PASTED_SHARE = 0.8
"""Share of the question's distinct words from which on a query counts as the pasted question."""

FROM_QUESTION = 0.75
"""Share of a query's content words that must come from the question for it to pack several hops."""

OTHER_HOPS = 2
"""Content words of the question that such a query has beside those of any single hop, at least."""

SIMILAR = 0.8
"""Share of common words (of all distinct words of both) from which on a query repeats an earlier one."""

_STEM = 4  # characters: words that begin alike this far (birth, birthplace) count as the same
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?![\sa-z])")
_FORMAT = re.compile(
    r"(?:please |only )?(?:format|answer|give|respond|provide|express|write)\b", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_STOP_TEXT = (
    "a about according all also an and any are as at be been being between by current currently did do "
    "does for from had has have he her his how if in into is it its list many more most much name new of "
    "on one or s she site than that the their them there these they this to was were what when where "
    "which who whom whose why will with www "
)
_STOP = frozenset(_STOP_TEXT.split())
"""Words that do not show which hop a query is about."""

_EVENTS = (
    "happened|happen|occurred|occur|taken place|take place|started|begun|concluded|ended|finished|aired|"
    "held|played|announced|awarded|released|published|determined|decided|available|known"
)
_NOT_YET = re.compile(
    r" (?:not yet|yet to|(?:has|have|had) not (?:even )?(?:been )?"
    rf"(?:{_EVENTS})|(?:{_EVENTS}) yet"
    r"|future events?|(?:is|are|lies|still|yet) in the future|knowledge cut ?off|training cut ?off"
    r"|cut ?off date|as of my (?:last|latest|current|most recent|knowledge|training)"
    r"|my (?:knowledge|training) (?:data |only )?(?:ends|extends|goes|is current)"
    r"|(?:last|latest) (?:knowledge|training) update) "
)
"""Phrases, between spaces, with which a message says that an event has not happened or cannot be known."""


def words(text: str) -> list[str]:
    """The words of a text in order, in lower case, compatibility characters replaced."""
    return _WORD.findall(fold_text(text[:LONGEST]))


def question_text(entry: Entry) -> str:
    """The text of the user in the first turn."""
    return "\n".join(message["content"] for message in entry.turns[0] if message["role"] == "user")


def asked_text(question: str) -> str:
    """The sentences of a question that ask; without those before them, and without requests for a format.

    The sentences before set a scene. Without a question mark: all sentences but the first and such
    requests.
    """
    sentences = _SENTENCE.split(question[:LONGEST].strip())
    asking = [sentence for sentence in sentences if sentence.rstrip("\"'\u201d\u2019)").endswith("?")]
    if not asking:
        asking = [sentence for sentence in sentences[1:] if not _FORMAT.match(sentence)]
    return " ".join(asking) or question


def is_pasted(query: str, question: str, hops: Sequence[str]) -> bool:
    """Whether a query holds the question, or packs several of its hops.

    It holds the question with PASTED_SHARE of the distinct words of `asked_text`, unless one hop has all of
    its content words that are in the question. It packs several hops if FROM_QUESTION of its content words
    are in the question, and OTHER_HOPS of these are not in the hop that has most of them.

    Args:
        hops: the annotated sub-questions; empty if there are none, when no packing is found.
    """
    asked, given = set(words(asked_text(question))), set(words(query))
    content = {word for word in given - _STOP if not (len(word) == 4 and word.isdecimal())}  # no year
    stems = _stems(asked - _STOP)
    taken = {_stem(word) for word in content} & stems
    beside = min((len(taken - _stems(words(hop))) for hop in hops), default=None)  # any single hop
    if asked and len(asked & given) >= PASTED_SHARE * len(asked):
        return beside != 0
    from_question = sum(_stem(word) in stems for word in content)
    return beside is not None and beside >= OTHER_HOPS and from_question >= FROM_QUESTION * len(content)


def count_repeated(queries: Sequence[str]) -> int:
    """How many queries have nearly the same words as an earlier one: SIMILAR of those of both.

    Empty queries do not count. Of each, COMPARED characters are read.
    """
    sets = [set(words(query[:COMPARED])) for query in queries]
    return sum(
        any(len(own & earlier) >= SIMILAR * len(own | earlier) for earlier in sets[:number])
        for number, own in enumerate(sets)
        if own
    )


def awaits_event(message: str) -> bool:
    """Whether a message says that an event has not happened yet, or is later than what the model knows."""
    plain = (
        message[:LONGEST].casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").replace("n't", " not")
    )
    return _NOT_YET.search(f" {' '.join(_WORD.findall(plain))} ") is not None


def _stems(of_words: Sequence[str] | set[str]) -> set[str]:
    return {_stem(word) for word in of_words}


def _stem(word: str) -> str:
    return word[:_STEM]
