"""Model outputs for every single-turn entry, right and wrong in many ways; deterministic.

Covers the choice and number of outputs; the `variant_*` modules write them. The same entries and seed
give the same outputs in the same order, with any hash seed, platform or process.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from bfcl_pipeline.benchmark.definition import CATEGORIES, Language, ReturnFormat, parse_format
from bfcl_pipeline.benchmark.records import Entry, Mode, NameStyle, Response
from tests.peer import (
    variant_java,
    variant_javascript,
    variant_json,
    variant_native,
    variant_python,
    variant_xml,
)
from tests.peer.variant_calls import Calls, mutated, right_answer
from tests.peer.variant_text import restyled

_STYLES = {
    ReturnFormat.PYTHON: variant_python.STYLES,
    ReturnFormat.JAVASCRIPT: variant_javascript.STYLES,
    ReturnFormat.JSON: variant_json.STYLES,
    ReturnFormat.VERBOSE_XML: variant_xml.VERBOSE_STYLES,
    ReturnFormat.CONCISE_XML: variant_xml.CONCISE_STYLES,
}

UNDERSCORED_NATIVE = 18
DOTTED_NATIVE = 4
PROMPTED = 24
UNDERSCORED_PROMPTED = 2
RESTATED = 9
OTHER_LANGUAGE_FACTOR = 6  # Java and JavaScript have few entries and much syntax
DICTIONARY_FACTOR = 4  # so have truths with dictionaries, in any language


@dataclass(frozen=True, slots=True)
class Case:
    """One output and how it was made."""

    entry_id: str
    category: str
    mode: Mode
    name_style: NameStyle
    result_json: str  # ASCII JSON of the official result form
    kind: str  # names of the mutations, the style and the restylings, for diagnosis

    def response(self) -> Response:
        """The case as a response for our scorer."""
        return Response(
            entry_id=self.entry_id,
            category=self.category,
            mode=self.mode,
            result_json=self.result_json,
            name_style=self.name_style,
        )


def cases(entries: Iterable[Entry], seed: int = 0) -> Iterator[Case]:
    """Every output for `entries`, entry by entry."""
    for entry in entries:
        rng = random.Random(f"{seed}:{entry.entry_id}")
        if CATEGORIES[entry.category].prompt_only:
            yield from _cases(entry, rng, RESTATED, Mode.PROMPT, NameStyle.DOTTED)
            continue
        factor = _factor(entry)
        yield from _cases(entry, rng, factor * UNDERSCORED_NATIVE, Mode.FC, NameStyle.UNDERSCORED)
        yield from _cases(entry, rng, factor * DOTTED_NATIVE, Mode.FC, NameStyle.DOTTED)
        yield from _cases(entry, rng, factor * PROMPTED, Mode.PROMPT, NameStyle.DOTTED)
        yield from _cases(entry, rng, factor * UNDERSCORED_PROMPTED, Mode.PROMPT, NameStyle.UNDERSCORED)


def _factor(entry: Entry) -> int:
    if CATEGORIES[entry.category].language is not Language.PYTHON:
        return OTHER_LANGUAGE_FACTOR
    options = [
        option
        for item in entry.truth or ()
        for parameters in item.values()
        for values in parameters.values()
        for option in values
    ]
    parts = [*options, *(part for option in options if isinstance(option, list) for part in option)]
    return DICTIONARY_FACTOR if any(isinstance(part, dict) for part in parts) else 1


def _cases(
    entry: Entry, rng: random.Random, count: int, mode: Mode, name_style: NameStyle
) -> Iterator[Case]:
    for number in range(count):
        calls = right_answer(entry, rng)
        names: list[str] = []
        if number:  # the first of each kind is a right answer, plainly written
            calls, names = mutated(calls, entry, rng, rng.choices((0, 1, 2, 3), (3, 5, 2, 1))[0])
        if name_style is NameStyle.UNDERSCORED:
            calls = [replace(call, name=call.name.replace(".", "_")) for call in calls]
        written = _written(calls, entry, rng, mode, plain=number == 0)
        result = json.dumps(written.result)
        kind = "+".join([*names, written.style])
        yield Case(entry.entry_id, entry.category, mode, name_style, result, kind)


@dataclass(frozen=True, slots=True)
class _Written:
    result: Any
    style: str


def _written(calls: Calls, entry: Entry, rng: random.Random, mode: Mode, *, plain: bool) -> _Written:
    if mode is Mode.FC:
        return _native(calls, entry, rng, plain=plain)
    form = _return_format(entry)
    style, text = _text(calls, entry, form, rng, plain=plain)
    if parse_format(entry.prompt_format).tool_call_tag if entry.prompt_format else False:
        text = f"<TOOLCALL>{text}</TOOLCALL>" if plain or rng.random() < 0.9 else text
    if plain:
        return _Written(text, style)
    text, restyles = restyled(text, rng, rng.choices((0, 1, 2), (5, 4, 1))[0])
    if rng.random() < 0.005:
        return _Written(rng.choice((None, [text], [], {}, 5, True, [{"f": "{}"}])), "prompt:not_text")
    return _Written(text, "+".join([style, *restyles]))


def prompted_text(calls: Calls, entry: Entry, rng: random.Random) -> str:
    """The calls as text in some style, mostly in the entry's syntax, between tags if it asks for them."""
    text = _text(calls, entry, _return_format(entry), rng, plain=False)[1]
    tagged = entry.prompt_format is not None and parse_format(entry.prompt_format).tool_call_tag
    return f"<TOOLCALL>{text}</TOOLCALL>" if tagged else text


def _native(calls: Calls, entry: Entry, rng: random.Random, *, plain: bool) -> _Written:
    language = CATEGORIES[entry.category].language
    if language is Language.JAVA and rng.random() < 0.7:
        return _Written(variant_java.native(calls, entry, rng), "java_native")
    if language is Language.JAVASCRIPT and rng.random() < 0.7:
        return _Written(variant_javascript.native(calls, rng), "javascript_native")
    name = _choose(variant_native.STYLES, rng, plain)
    return _Written(variant_native.STYLES[name](calls, rng), f"native:{name}")


def _return_format(entry: Entry) -> ReturnFormat:
    if entry.prompt_format is not None:
        return parse_format(entry.prompt_format).return_format
    return ReturnFormat(CATEGORIES[entry.category].language.value)


def _choose(styles: dict[str, Any], rng: random.Random, plain: bool, plain_share: float = 0.4) -> str:
    return "plain" if plain or rng.random() < plain_share else rng.choice(list(styles))


def _text(
    calls: Calls, entry: Entry, form: ReturnFormat, rng: random.Random, *, plain: bool
) -> tuple[str, str]:
    """The style's name and the text, in the entry's syntax or occasionally in another one."""
    if not plain and rng.random() < 0.04:
        form = rng.choice(list(ReturnFormat))
    plain_share = 0.2 if form in (ReturnFormat.JAVA, ReturnFormat.JAVASCRIPT) else 0.4
    if form is ReturnFormat.JAVA:
        name = _choose(variant_java.STYLES, rng, plain, plain_share)
        return f"java:{name}", variant_java.write(calls, entry, rng, name)
    name = _choose(_STYLES[form], rng, plain, plain_share)
    return f"{form}:{name}", _STYLES[form][name](calls, rng)
