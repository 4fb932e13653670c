"""Text as words and numbers, for the comparison of answers to memory questions.

Case, accents, punctuation, hyphens, slashes, articles and "and" do not count, nor do the endings of
regular plurals and of "walking". A number is one token with its value: 1,000 is 1000, $49.90 is 49.9,
and 13.5, -18, 17.5, 7th, 7k, 1-20, 7 PM and "seven hundred" are other tokens than 135, 18, 17, 7 or
"seven". A number in words has no value.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bfcl_pipeline.base.text import fold_text

SEPARATORS = frozenset(",;.?!:()/|\u2026")
"""Tokens that are no words."""

IGNORED = frozenset({"a", "an", "the", "and"})
"""Words that do not count."""

_LONGEST_WORD = 40
_FRACTION = re.compile("(?:(?<!\\d)(\\d{1,20})[ ]?)?[\u00bc-\u00be\u2150-\u215e]+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_LONG_DASHES = re.compile("[\u2014\u2015\ufe58]")
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_INITIALS = re.compile(r"(?<!\w)[^\W\d_](?:\.[^\W\d_])+(?!\w)\.?")
_PREFIX = re.compile(r"(?<!\w)(non|pre|anti|un|ex|semi|pseudo|quasi|sub|post|great|step|half|vice)-(?=\w)")
_SHORT_FORMS = tuple(
    (re.compile(rf"(?<!\w){short}(?!\w)"), long)
    for short, long in (
        (r"can'?t|cannot", "can not"),
        (r"won't", "will not"),
        (r"(do|does|did|is|was|are|were|could|have|has|had|would|should|wo)n'?t", r"\1 not"),
        (r"(i|you|we|they)'(?:ve)", r"\1 have"),
        (r"(i)'m", r"\1 am"),
        (r"(you|we|they)'re", r"\1 are"),
        (r"(i|you|we|they|he|she|it)'ll", r"\1 will"),
        (r"(i|you|we|they|he|she)'d", r"\1 would"),
    )
)

_TOKEN = re.compile(
    r"(?P<time>\d{1,2}(?:[:.]\d\d)?[ ]?(?:(?P<half>[ap]m)(?!\w)"
    r"|(?:o'?clock[ ])?(?P<day>in the (?:morning|afternoon|evening)|at night)(?!\w)))"
    r"|(?P<clock>(?<![\d:.])\d{1,2}:\d\d(?![\d:]))"
    r"|(?P<sign>(?<![\w)])-(?=[$\u20ac\u00a3]?[.]?\d)(?!\d{1,2}(?::\d\d)?[ ]?[ap]m))?"
    r"(?:[$\u20ac\u00a3][ ]?)?"
    r"(?P<number>(?:(?<!\d)\.)?\d+(?:[.,:]\d+)*)(?P<unit>[^\W_]*)"
    r"|(?P<word>[^\W\d_]{1,40}(?=\d{3,20}(?!\w))|[^\W\d_][^\W_]*(?:(?<=\d)\.\d+)*)"
    r"|(?P<pause>(?<=\s)-+(?=\s))|(?P<dash>-+)"
    r"|(?P<mark>[,;.?!:()/|\u2026&\n])"
)
_PAUSE = {"--": ":"}
_MINUTES = {"am": 0, "pm": 720}
_PLAIN = re.compile(r"\d*(?:\.\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_UNITS_OF_ONE_LETTER = frozenset("glh")
_NO_UNITS = frozenset({"st", "nd", "rd", "th", "bn", "mn", "mil"})


def word_set(text: str) -> frozenset[str]:
    """The words of a text between blanks."""
    return frozenset(text.split())


_NUMBER_WORDS = word_set(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
)
_SCALES = frozenset({"hundred", "thousand", "million", "billion", "trillion", "dozen", "point"})
_PARTS_OF_ONE = frozenset({"half", "quarter", "third", "thirds", "quarters"})
_RANGE = frozenset({"-", "--", "/", "to", "through", "thru", "until", "till", "over"})


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text, as positions of its tokens."""

    start: int
    end: int  # after the last


def tokens(text: str) -> list[str]:
    """Words, numbers (which begin with #) and separators of a text, in order. Dashes are left out."""
    found = _merged_words(list(_simple_tokens(_prepared(text))))
    return [_PAUSE.get(word, word) for word in _merged_ranges(found) if word != "-"]


def is_number(token: str) -> bool:
    """Whether a token is a number, also one in words, a range or a time."""
    return token[0] == "#"


def content(words: Sequence[str]) -> list[int]:
    """The positions of the tokens that count."""
    return [place for place, token in enumerate(words) if token not in SEPARATORS and token not in IGNORED]


def occurrences(wanted: Sequence[str], words: Sequence[str]) -> list[Span]:
    """Where the words of `wanted` stand one after another in `words`, written together or apart."""
    found = {span for form in (stem, _marked) for span in _occurrences(wanted, words, form)}
    return sorted(found, key=lambda span: (span.start, span.end))


def _occurrences(wanted: Sequence[str], words: Sequence[str], form: Callable[[str], str]) -> Iterator[Span]:
    target = "".join(form(wanted[place]) for place in content(wanted))
    places = content(words)
    forms = [form(words[place]) for place in places]
    for first in range(len(places) if target else 0):
        text, last = "", first
        while last < len(places) and len(text) < len(target) and target.startswith(forms[last], len(text)):
            text += forms[last]
            last += 1
        if text == target:
            yield Span(places[first], places[last - 1] + 1)


def _marked(token: str) -> str:
    return f"{token}#" if is_number(token) else token


def stem(token: str) -> str:
    """A word without the ending of a regular plural or of "walking"; a number with marks around it."""
    if is_number(token):
        return _marked(token)
    if token.endswith("ing") and len(token) > 6:
        return token[:-3]
    if token.endswith("e") and len(token) > 5:
        return token[:-1]
    if len(token) < 4 or token.endswith(("ss", "us", "is")) or not token.endswith("s"):
        return token
    if token.endswith("ies") and len(token) > 4:
        return token[:-3] + "y"
    return stem(token[:-2] if token.endswith(("xes", "ches", "shes", "sses")) else token[:-1])


def _prepared(text: str) -> str:
    text = fold_text(_FRACTION.sub(lambda match: f" fraction{match[1] or ''} ", text))
    text = "".join(each for each in unicodedata.normalize("NFD", text) if not unicodedata.combining(each))
    text = _LONG_DASHES.sub(" - ", text)
    text = _DASHES.sub("-", _INVISIBLE.sub("", text)).replace("\u2019", "'").replace("\u02bc", "'")
    for pattern, long in _SHORT_FORMS:
        text = pattern.sub(long, text)
    text = _INITIALS.sub(lambda match: match[0].replace(".", ""), text)
    return _PREFIX.sub(r"\1", text)


def _simple_tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        if match["time"] or match["clock"]:
            yield _time(match)
        elif match["number"]:
            yield from _number(match["sign"] or "", match["number"], match["unit"])
        elif match["word"]:
            yield match["word"][:_LONGEST_WORD]
        else:
            yield "--" if match["pause"] else {"\n": ";", "&": "and"}.get(match[0], match[0][0])


def _time(match: re.Match[str]) -> str:
    """A time of the day as minutes. Without am or pm it is one of 24 hours."""
    hour, _, minute = re.split(r"[^\d:.]", match[0], maxsplit=1)[0].replace(".", ":").partition(":")
    half = match["half"] or ({"": "", "in the morning": "am"}.get(match["day"] or "", "pm"))
    hours = int(hour) if not half else int(hour) % 12
    return f"#@{60 * hours + int(minute or 0) + _MINUTES.get(half, 0)}"


def _number(sign: str, digits: str, unit: str) -> Iterator[str]:
    if _PLAIN.fullmatch(digits) is None:
        yield f"#{sign}{digits}{unit}"[:_LONGEST_WORD]
        return
    whole, _, rest = digits.replace(",", "").partition(".")
    value = f"#{sign}{whole.lstrip('0') or '0'}" + (f".{rest.rstrip('0')}" if rest.strip("0") else "")
    is_unit = unit in _UNITS_OF_ONE_LETTER if len(unit) < 2 else unit.isalpha() and unit not in _NO_UNITS
    if unit and not is_unit:
        value += unit
        unit = ""
    yield value[:_LONGEST_WORD]
    if unit:
        yield unit[:_LONGEST_WORD]


def _merged_words(words: Sequence[str]) -> Iterator[str]:
    """Number words that belong together as one number: "seventy-seven", "7 thousand", "two and a half"."""
    place = 0
    while place < len(words):
        start, token = place, words[place]
        place += 1
        if token in _NUMBER_WORDS or token in _SCALES - {"point"} or _is_digits(token):
            parts = [token]
            while (step := _continues(words, place, parts)) is not None:
                parts.extend(word for word in words[place : place + step] if word not in ("-", "and", "a"))
                place += step
            if len(parts) > 1 or not _is_digits(token):
                token = "#" + " ".join(parts).lstrip("#")
        elif token in ("minus", "negative") and place < len(words) and _is_digits(words[place]):
            token = f"#-{words[place][1:]}"
            place += 1
        yield token if place > start else words[start]


def _continues(words: Sequence[str], place: int, parts: Sequence[str]) -> int | None:
    """How many tokens from `place` on continue a number; None if it ends."""
    following = [*words[place : place + 3], "", "", ""]
    in_words = not _is_digits(parts[-1])
    if following[0] == "and" and following[1] == "a" and following[2] in _PARTS_OF_ONE:
        return 3
    if following[0] in _SCALES and (following[0] != "point" or following[1] in _NUMBER_WORDS):
        return 1
    if in_words and following[0] in _NUMBER_WORDS:
        return 1
    if following[0] == "-" and following[1] in _SCALES:
        return 2
    is_joined = following[0] == "-" and parts[-1].endswith("ty")  # not "one-two"
    is_joined = is_joined or (following[0] == "and" and parts[-1] in _SCALES)
    return 2 if in_words and is_joined and following[1] in _NUMBER_WORDS else None


def _is_digits(token: str) -> bool:
    return token[0] == "#" and token[-1].isdigit() and not token.startswith("#@")


def _merged_ranges(words: Iterator[str]) -> list[str]:
    """Two numbers with a dash, a slash or a word such as "to" between them as one token."""
    merged: list[str] = []
    for token in words:
        if is_number(token) and len(merged) > 1 and is_number(merged[-2]):
            between = merged[-1]
            if between in _RANGE or (between == "and" and merged[-3:-2] == ["between"]):
                merged[-2:] = [f"{merged[-2]}~{token[1:]}"[:_LONGEST_WORD]]
                if between == "/" and len(merged) > 1 and is_number(merged[-2]):  # 7 1/2
                    merged[-2:] = ["~".join(merged[-2:])[:_LONGEST_WORD]]
                continue
        merged.append(token)
    return merged
