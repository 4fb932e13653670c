"""Compares accepted values of single-turn parameters with defaults and enums of docs, and with requests.

Covers parameters of calls, and keys of objects that are parameters or items of one, at any depth. A call
without an optional parameter means its default: both should be judged alike, and neither is right if the
request states another value.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bfcl_pipeline.benchmark.definition import Check
from bfcl_pipeline.benchmark.records import Entry, Json
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.texts import content_of, words
from bfcl_pipeline.judge.scoring.expected import standardize
from bfcl_pipeline.judge.scoring.findings import shorten, shown_options

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


def rejected_omissions(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each optional parameter whose documented default is accepted, while leaving it out is not."""
    for each in accepted_parameters(benchmark):
        default = each.default
        if not each.required and not each.may_be_left_out and default is not None and each.accepts(default):
            said = "says it" if each.states(default) else "does not say it"
            detail = f"the default {shorten(default)} is accepted, its omission is not; the request {said}"
            yield Suspicion(each.entry, each.where, detail)


def rejected_defaults(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each optional parameter that may be left out, while writing its documented default fails.

    The truth has no such parameter, or accepts its omission and other values only. If the request states
    one of these, its omission is suspect instead (`accepted_omissions`).
    """
    for each in accepted_parameters(benchmark):
        default = each.default
        if each.required or not each.may_be_left_out or each.accepts(default):
            continue
        if default is None and "default" not in each.schema:
            continue
        is_omission = default == "" and each.values is not None
        if not is_omission and not _stated(each):
            detail = f"its omission is accepted, its default {shorten(default)} is not"
            yield Suspicion(each.entry, each.where, detail)


def accepted_omissions(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each optional parameter that may be left out, while the request states another value.

    That value is accepted, and the default is not; or it is an option of the enum that is not accepted, in
    an entry that demands the function once.
    """
    for each in accepted_parameters(benchmark):
        default = each.default
        if each.required or each.values is None or not each.may_be_left_out or default is None:
            continue
        stated = [] if each.accepts(default) else _stated(each)
        if len(each.calls) == 1:
            others = (option for option in each.schema.get("enum", ()) if not str(option).isdigit())
            stated += [o for o in others if o != default and not each.accepts(o) and each.states(o)]
        if stated:
            detail = f"the request has {shown_options(stated)}; leaving it out means {shorten(default)}"
            yield Suspicion(each.entry, each.where, f"{detail} and is accepted")


def unasked_values(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each optional parameter that must have a value that the request does not state, not its default.

    The request has no word of the parameter's name; nor, for True and False, also as texts, one of its
    description; nor, for a number, any number. Other texts are not covered, as requests say them in their
    own words; nor are requests with other letters than those of English.
    """
    for each in accepted_parameters(benchmark):
        default = each.default
        if each.required or each.may_be_left_out or default is None or each.accepts(default):
            continue
        request, values = content_of(each.entry.turns[0]), each.given
        if not request.isascii():
            continue
        if all(str(value) in ("True", "False") for value in values):
            is_said = each.mentions(str(each.schema.get("description", "")), shortest=5)
        else:
            is_said = not all(isinstance(value, int | float) for value in values) or has_number(request)
        if not is_said and not each.mentions(each.name):
            yield Suspicion(each.entry, each.where, f"nothing in the request says {shown_options(values)}")


def _stated(each: Accepted) -> list[Json]:
    """The accepted values that the request states; True and False, if it has a word of the name."""
    return [
        value
        for value in each.given
        if each.states(value) or (isinstance(value, bool) and each.mentions(each.name))
    ]


def values_outside_enums(benchmark: Benchmark) -> Iterator[Suspicion]:
    """Each parameter for which the truth accepts no value of the enum in the function doc.

    Such an answer cannot be given under a strict tool schema. Covers enums of parameters, of the items of
    arrays and of the properties of objects. Values are compared with their types: True is not the text
    True. An enum of texts at an array, which may be meant for its items, has no array; the finding says so.
    """
    for each in accepted_parameters(benchmark):
        if each.is_key or each.may_be_left_out or any(_fits(value, each.schema) for value in each.given):
            continue
        if each.given:
            detail = f"accepted: {shown_options(each.given)}; not in the enum of the doc"
            if "enum" in each.schema and "items" in each.schema:
                detail += ", which is at the array and not at its items"
            yield Suspicion(each.entry, each.where, detail)


def _fits(value: Json, schema: Mapping[str, Json]) -> bool:
    """Whether a value agrees with every enum in its schema."""
    options = schema.get("enum")
    if options is not None and not any(value == each and type(value) is type(each) for each in options):
        return False
    if isinstance(value, list):
        return all(_fits(item, schema.get("items", {})) for item in value)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return all(
            OMITTED in alternatives or any(_fits(each, properties.get(key, {})) for each in alternatives)
            for key, alternatives in value.items()
            if isinstance(alternatives, list)
        )
    return True
