"""What a request mentions that could be an argument: numbers, names, dates, quoted texts, lists.

Covers finding them, with their places and values. Which parameter one belongs to is `affinity`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from bfcl_pipeline.models.lexical.words import GENERIC_WORDS, STOP_WORDS


class Sort(StrEnum):
    """What a mention looks like."""

    QUOTED = "quoted"
    CODE = "code"  # between backticks, or an identifier of a program
    URL = "url"
    EMAIL = "email"
    DATE = "date"
    TIME = "time"
    NUMBER = "number"
    NAME = "name"  # capitalised words
    LIST = "list"  # in square brackets


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of a request that could be an argument."""

    sort: Sort
    text: str  # as written, without quotes
    start: int  # where it begins in the request
    end: int  # just after it
    number: int | float | None = None  # its value if it is a number
    percent: bool = False  # a number that was followed by a percent sign


_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"

_NUMBER_WORDS: dict[str, int] = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100,
}  # fmt: skip

_NAME_WORD = (
    r"(?!(?:I|A|An|The|If|It|Is|In|On|At|My|We|Can|Could|Please|What|How|Don)\b)"
    r"(?:(?:[A-Z]\.)+[A-Z]?|(?:Mr|Mrs|Ms|Dr|St|Inc|Ltd|Co|Jr)\.|[A-Z][\w’'&-]*)"
)

_MENTION = re.compile(
    rf"""
      (?P<list> \[[^\[\]\n]*\] )
    | `(?P<code>[^`\n]+)`
    | "(?P<double>[^"\n]{{1,80}})"
    | “(?P<curly>[^”\n]{{1,80}})”
    | (?<!\w)'(?P<single>[^'\n]{{1,80}})'(?!\w)
    | (?P<url> https?://[^\s'"`<>)]+ | \bwww\.[^\s'"`<>)]+ )
    | (?P<email> \b[\w.+-]+@[\w-]+\.[\w.-]*\w )
    | (?P<date>
          \b\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}\b
        | \b\d{{1,2}}[-/]\d{{1,2}}[-/]\d{{2,4}}\b
        | (?i:\b{_MONTH}\ ?{_DAY}\b(?:,?\ ?\d{{4}}\b)?)
        | (?i:\b{_DAY}\ (?:of\ )?{_MONTH}(?:,?\ \d{{4}}\b)?) )
    | (?P<time>
          \b\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\ ?[aApP]\.?[mM]\b\.?)?
        | \b\d{{1,2}}\ ?[aApP]\.?[mM]\b\.? )
    | (?P<id>
          \b(?=[A-Za-z_]*\d)[A-Za-z_][\w-]*\w\b
        | \b[a-z]+(?:[A-Z][a-z0-9]*)+\b
        | \b[A-Za-z]+(?:_\w+)+\b )
    | (?<![\w.])(?P<sign>[-+]?)[$€£]?\ ?(?P<digits>\d+(?:,\d{{3}})*(?:\.\d+)?(?:[eE][-+]?\d+)?)
        (?P<scale>\ ?(?:million|billion|thousand)\b|k\b)?(?P<percent>\ ?%|\ percent\b)?
    | (?P<word> \b(?i:{"|".join(_NUMBER_WORDS)})\b )
    | (?P<name>
        \b{_NAME_WORD}(?:\ (?:(?:of|the|de|for|and\ the)\ )?{_NAME_WORD})*(?:,\ [A-Z]{{2}}\b)? )
    """,
    re.VERBOSE,
)

_SCALES: dict[str, int] = {"million": 10**6, "billion": 10**9, "thousand": 10**3, "k": 10**3}
_QUOTES = ("double", "curly", "single")
_PLAIN: dict[str, Sort] = {
    "list": Sort.LIST,
    "code": Sort.CODE,
    "url": Sort.URL,
    "email": Sort.EMAIL,
    "date": Sort.DATE,
    "time": Sort.TIME,
    "id": Sort.CODE,
    "double": Sort.QUOTED,
    "curly": Sort.QUOTED,
    "single": Sort.QUOTED,
}
_SENTENCE_START = re.compile(r"(?:^|[.?!:\n]['\"”)]*\s+|\n\s*|^['\"“])$")
_STARTING_VERBS = "book buy call convert estimate fly identify look order play plan predict solve start"
_SENTENCE_STARTERS = STOP_WORDS | GENERIC_WORDS | frozenset(_STARTING_VERBS.split())
_SEPARATOR = re.compile(r"\s*(?:,|;|&|\band\b|\bor\b|,\s*and\b|,\s*or\b)\s*")


def mentions(text: str, join_places: bool = True) -> list[Mention]:
    """Every mention in `text`, in order. `join_places`: "Paris, France" is one."""
    found = [mention for match in _MENTION.finditer(text) for mention in _mention(match, text)]
    return list(_joined_places(found, text)) if join_places else found


def runs(found: list[Mention], text: str) -> list[list[Mention]]:
    """Mentions of one sort that stand in a row: "A, B and C" is one run of three."""
    rows: list[list[Mention]] = []
    for mention in found:
        last = rows[-1][-1] if rows else None
        if last and last.sort is mention.sort and _SEPARATOR.fullmatch(text, last.end, mention.start):
            rows[-1].append(mention)
        else:
            rows.append([mention])
    return rows


def _mention(match: re.Match[str], text: str) -> Iterator[Mention]:
    group = match.lastgroup or ""
    start, end = match.span()
    if group in _PLAIN:
        inner = match[group].rstrip(".,?!") if group == "url" else match[group]
        yield Mention(_PLAIN[group], inner, start, end if group != "url" else start + len(inner))
    elif group == "word":
        yield Mention(Sort.NUMBER, match[0], start, end, _NUMBER_WORDS[match[0].lower()])
    elif group == "name":
        yield from _name(match[0], start, text)
    else:
        yield Mention(Sort.NUMBER, match[0], start, end, _value(match), match["percent"] is not None)


def _value(match: re.Match[str]) -> int | float:
    digits = match["digits"].replace(",", "")
    value: int | float = int(digits) if digits.isdigit() and len(digits) < 40 else float(digits)
    if match["scale"]:
        scaled = value * _SCALES[match["scale"].strip().lower()]
        value = int(scaled) if scaled == int(scaled) else scaled
    return -value if match["sign"] == "-" else value


def _name(name: str, start: int, text: str) -> Iterator[Mention]:
    """A capitalised run without the word that only begins a sentence, and without a possessive."""
    if _SENTENCE_START.search(text, max(0, start - 4), start):
        first, _space, rest = name.partition(" ")
        alone = not rest and text[start + len(first) : start + len(first) + 1] == " "
        if alone or first.lower() in _SENTENCE_STARTERS:
            start += len(name) - len(rest)
            name = rest
        while name and name.partition(" ")[0].islower():
            shorter = name.partition(" ")[2]
            start += len(name) - len(shorter)
            name = shorter
    trimmed = re.sub(r"(?:['’]s)?[.'’&-]*$", "", name)
    if trimmed and trimmed.lower() not in STOP_WORDS and not trimmed.startswith(("I'", "I’")):
        yield Mention(Sort.NAME, trimmed, start, start + len(trimmed))


def _joined_places(found: list[Mention], text: str) -> Iterator[Mention]:
    """Two names with only a comma between, and no third in the row, are one place: "Paris, France"."""
    for row in runs(found, text):
        if len(row) == 2 and row[0].sort is Sort.NAME and text[row[0].end : row[1].start] == ", ":
            yield replace(row[0], text=f"{row[0].text}, {row[1].text}", end=row[1].end)
        else:
            yield from row
