"""Accepted values of single-turn parameters, their defaults in function docs, and what requests state.

Covers parameters of calls, and keys of objects that are parameters or items of one, at any depth.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bfcl_pipeline.benchmark.definition import Check
from bfcl_pipeline.benchmark.records import Entry, Json
from bfcl_pipeline.judge.audit.benchmark import Benchmark
from bfcl_pipeline.judge.audit.texts import content_of, words
from bfcl_pipeline.judge.scoring.expected import standardize

OMITTED = ""  # among accepted values: the parameter may be left out

_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    "twelve",
)

_COMMON = frozenset({"from", "have", "only", "that", "this", "when", "will", "with", "your"})

_AFTER_DEFAULT = r"\bdefaults?\b[^.;\n]{0,40}?"
_DEFAULT_NUMBER = re.compile(
    rf"{_AFTER_DEFAULT}(-?\d+(?:\.\d+)?(?:e-?\d+)?)(?!\.?\d|\w| ?[x*^])", re.IGNORECASE
)
_DEFAULT_BOOLEAN = re.compile(rf"{_AFTER_DEFAULT}\b(true|false)\b", re.IGNORECASE)
_DEFAULT_TEXT = re.compile(
    r"\bdefault(?:s| value)?(?: is| to| to be| is set to| value is|:)? ?"
    r"(?:(['\"`])(?P<quoted>[^'\"`]+)\1|(?P<plain>(?-i:[A-Z])\w*(?: \w+)?|[a-z]+)(?=[.,;)]|$))",
    re.IGNORECASE,
)
_NOT_LITERAL = frozenset({"all", "any", "empty", "none", "null", "not", "current", "today", "value", "use"})


@dataclass(frozen=True, slots=True)
class Accepted:
    """One parameter of the function doc of one demanded call, or one key of an object in it."""

    entry: Entry
    where: str  # function and parameter, for a finding; a key after a dot
    schema: Mapping[str, Json]  # of the function doc
    required: bool  # in the function doc
    values: list[Json] | None  # the accepted ones; None: the truth does not have the parameter
    is_key: bool = False  # of an object, not a parameter

    @property
    def name(self) -> str:
        """The parameter, or the key."""
        return re.split(r", |\.", self.where)[-1]

    @property
    def given(self) -> list[Json]:
        """The accepted values without the mark of an omission."""
        return [value for value in self.values or () if value != OMITTED]

    @property
    def may_be_left_out(self) -> bool:
        """Whether a call without it passes."""
        return self.values is None or OMITTED in self.values

    @property
    def default(self) -> Json:
        """The default of the function doc: its key `default`, or what its description says; else None."""
        if "default" in self.schema:
            return self.schema["default"]
        text, kind = str(self.schema.get("description", ""))[:2000], self.schema.get("type")
        if kind in ("integer", "float"):
            match = _DEFAULT_NUMBER.search(text)
            return float(match[1]) if match else None
        if kind == "boolean":
            match = _DEFAULT_BOOLEAN.search(text)
            return match[1].casefold() == "true" if match else None
        match = _DEFAULT_TEXT.search(text) if kind in ("string", "String") else None
        value = str(match["quoted"] or match["plain"]) if match else ""
        return None if not value or value.casefold().split()[0] in _NOT_LITERAL else value

    @property
    def calls(self) -> list[Json]:
        """The accepted values by parameter of each demanded call of its function."""
        function = self.where.partition(", ")[0]
        return [call[function] for call in self.entry.truth or () if function in call]

    def accepts(self, value: Json) -> bool:
        """Whether a value is among the accepted ones, as the checker compares them."""
        return any(_same(value, each) for each in self.given)

    def states(self, value: Json) -> bool:
        """Whether the request states a text or number, in digits or as a word, or all items of a list."""
        if isinstance(value, list):
            return bool(value) and all(map(self.states, value))
        return any(f" {' '.join(form)} " in self._said for form in _forms(value) if form)

    def mentions(self, text: str, shortest: int = 4) -> bool:
        """Whether the request has a word of a text, or the first five letters of one, also within a word.

        shortest: letters of such a word.
        """
        parts = words(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", text))
        telling = (part[:5] for part in parts if len(part) >= shortest and part not in _COMMON)
        return any(part in self._said for part in telling)

    @property
    def _said(self) -> str:
        text = re.sub(r"(?<=\d)(?=[a-z])", " ", content_of(self.entry.turns[0]))  # 5cm
        return f" {' '.join(words(text))} "


def has_number(text: str) -> bool:
    """Whether a text has a digit or a word for a number."""
    return any(word in _NUMBERS or any(map(str.isdigit, word)) for word in words(text))


def _forms(value: Json) -> Iterator[list[str]]:
    """The words in which a request may state a value; none for True, False and objects."""
    if isinstance(value, str):
        yield words(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield words(f"{value:.12g}")
        if value in range(len(_NUMBERS)):
            yield [_NUMBERS[int(value)]]


def _same(value: Json, other: Json) -> bool:
    if isinstance(value, str) or isinstance(other, str):
        return standardize(str(value)) == standardize(str(other)) and (value == "") == (other == "")
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def accepted_parameters(benchmark: Benchmark) -> Iterator[Accepted]:
    """Each parameter in the function doc of each demanded call; keys of objects after their parameter."""
    for entry in benchmark.checked_with(Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL):
        docs = {doc["name"]: doc["parameters"] for doc in entry.functions}
        for function, arguments in (pair for call in entry.truth for pair in call.items()):
            yield from _of_object(entry, function, ", ", docs.get(function, {}), arguments)


def _of_object(
    entry: Entry, where: str, sign: str, schema: Mapping[str, Json], accepted: Mapping[str, Json]
) -> Iterator[Accepted]:
    required = schema.get("required", ())
    for name, part in schema.get("properties", {}).items():
        values = accepted.get(name)
        if values is None or isinstance(values, list):
            found = Accepted(entry, f"{where}{sign}{name}", part, name in required, values, sign == ".")
            yield found
            for inner, option in _objects(part, found.given):
                yield from _of_object(entry, found.where, ".", inner, option)


def _objects(
    schema: Mapping[str, Json], values: Iterable[Json]
) -> Iterator[tuple[Mapping[str, Json], Json]]:
    """The objects among accepted values and the items of accepted lists, each with its schema."""
    for value in values:
        if isinstance(value, dict):
            yield schema, value
        elif isinstance(value, list):
            yield from _objects(schema.get("items", {}), value)
