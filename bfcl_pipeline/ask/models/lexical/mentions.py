"""Literal values in a request: numbers, names, dates, quoted texts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from bfcl_pipeline.ask.models.lexical.words import STOP_WORDS, stems

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
