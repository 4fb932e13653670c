"""Words and literal values of requests and function docs in a comparable form. English only.

Literal values are numbers, names, dates and quoted texts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")  # also splits camelCase, snake_case
_SUFFIX = re.compile(
    r"(?<=\w{3})(?:ations?|at(?:ors?|ing|e[sd]?)|ings?|ies|ions?|ers?|ors?|ed|es|al|ly|[esy])$"
)

_STOP_WORDS = """
    a an the and or of in on at to for from by with as is are was were be been being do does did have has
    had having i me my we our us you your he she it its they them their this that these those there here
    what which who whom whose when where why how can could would should will shall may might must please
    help want need like also just so if then than but not no yes any some all each every both more most
    other another into over under about after before between during while up down out new let give given
    using use used based one two three provide tell show know s t get find calculate search retrieve fetch
    compute return returns set create generate check list function value values specified specific
    provided details detail information info data name type number various following parameter result
    results user
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that do not distinguish one function or parameter from another."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """`word` in lower case without a common ending; at least three letters remain."""
    return _SUFFIX.sub("", word.lower(), count=1)


@lru_cache(maxsize=16384)
def stems(text: str) -> tuple[str, ...]:
    """The stems of all words of `text`, in order; the parts of an identifier are words."""
    return tuple(stem(word) for word in _WORD.findall(text))


@lru_cache(maxsize=16384)
def keywords(text: str) -> frozenset[str]:
    """The stems of the words of `text` that are not stop words."""
    return frozenset(stem(word) for word in _WORD.findall(text) if word.lower() not in STOP_WORDS)


_MONTH = r"(?i:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)(?:[a-z]{2,})?\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_NAME = r"[A-Z](?:[^\W\d_]|[&-]|[’'](?!s\b)|\.(?=\w))*(?!\w)"
_SCALES = {"thousand": 10**3, "k": 10**3, "million": 10**6, "billion": 10**9}
_MENTION = re.compile(
    rf"""
      ["“`](?P<quoted>[^"”`\n]{{1,200}})["”`]
    | (?<!\w)'(?P<single>[^'\n]{{1,200}})'(?!\w)
    | (?P<date>\b\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}\b|\b\d{{1,2}}[-/]\d{{1,2}}[-/]\d{{2,4}}\b
        |\b{_MONTH}\ {_DAY}\b(?:,?\ \d{{4}}\b)?|\b{_DAY}\ (?:of\ )?{_MONTH}(?:,?\ \d{{4}}\b)?
        |\b\d{{1,2}}(?::\d\d)+(?i:\ ?[ap]\.?m\b)?|\b\d{{1,2}}(?i:\ ?[ap]m)\b)
    | (?P<code>https?://[^\s'"<>)]*[^\s'"<>).,?!]|[\w.+-]{{1,64}}+@[\w.-]*\w
        |\b(?=[A-Za-z_-]{{0,60}}+\d)[A-Za-z_][\w-]*\w\b|\b[a-z]+(?:[A-Z][a-z0-9]*)+\b|\b[A-Za-z]+(?:_\w+)+\b)
    | (?P<number>(?<![\w.])-?[$€£]?\d{{1,15}}(?:,\d{{3}}){{0,5}}(?:\.\d+)?)
        (?:\ ?(?P<scale>%|(?:{"|".join(_SCALES)})\b))?
    | (?P<name>\b{_NAME}(?:\ (?:(?:of|the|de)\ )*{_NAME})*
        (?:,\ (?:[A-Z]{{2}}\b|{_NAME}(?!\w|,|\ and|\ or|\ [A-Z])))?)
    """,
    re.VERBOSE,
)
_SEPARATOR = re.compile(r"\s*(?:,|;|&|,?\s(?:and|or)\b)\s*")
_SENTENCE_START = re.compile(r"(?:^|[.?!:\n]\W?)\W?$")
_SENTENCE_END = re.compile(r"[.?!;:]\s|\n")


@dataclass(frozen=True, slots=True)
class Mention:
    """A literal value and its place in the request."""

    sort: str  # quoted, date (or time), code (or link), number or name
    text: str  # as written, without quotes
    start: int  # offset of its first character
    end: int  # offset after its last character
    near: tuple[str, ...]  # stems of the words before it in its sentence and two after it, nearest first
    row: int  # the same number for all values of an enumeration such as "A, B and C"
    number: float | None = None  # of a number: its value


@lru_cache(maxsize=2048)
def mentions(text: str) -> tuple[Mention, ...]:
    """All literal values in `text`, in order."""
    return tuple(_mentions(text))


def _mentions(text: str) -> Iterator[Mention]:
    last_end, last_sort, row = 0, "", 0
    for match in _MENTION.finditer(text):
        sort = {"scale": "number", "single": "quoted"}.get(match.lastgroup or "", match.lastgroup or "")
        found, start, number = match[match.lastgroup or 0], match.start(), None
        if sort == "number":
            found = match[0]
            number = float(re.sub(r"[$€£,]", "", match["number"])) * _SCALES.get(match["scale"] or "", 1)
        elif sort == "name":
            first, _, rest = found.partition(" ")
            if _SENTENCE_START.search(text[max(0, start - 3) : start]) and (
                not rest or first.lower() in STOP_WORDS
            ):
                start, found = match.end() - len(rest), rest
        if found.strip() and found.lower() not in STOP_WORDS:
            row += sort != last_sort or _SEPARATOR.fullmatch(text, last_end, start) is None
            before = stems(_SENTENCE_END.split(text[max(last_end, start - 60) : start])[-1])[:-6:-1]
            after = stems(_SENTENCE_END.split(text[match.end() : match.end() + 30], maxsplit=1)[0])[:2]
            last_end, last_sort = match.end(), sort
            yield Mention(sort, found, start, last_end, before + after, row, number)
