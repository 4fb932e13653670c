"""Expected calls of an entry, prepared once to score many responses.

An expected call combines one call of the truth with its function doc. The truth lists the acceptable
values of each parameter; `""` among them means that the parameter is optional.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.definition import Language
from bfcl_pipeline.benchmark.definition.types import JAVA_TYPES, JAVASCRIPT_TYPES, PYTHON_TYPES
from bfcl_pipeline.benchmark.records import FunctionDoc, NameStyle

_TYPES: dict[Language, dict[str, type]] = {
    Language.PYTHON: PYTHON_TYPES,
    Language.JAVA: JAVA_TYPES,
    Language.JAVASCRIPT: JAVASCRIPT_TYPES,
}

_WITH_ITEMS: dict[Language, frozenset[str]] = {
    Language.PYTHON: frozenset({"array", "tuple"}),
    Language.JAVA: frozenset({"Array", "ArrayList", "array"}),
    Language.JAVASCRIPT: frozenset({"Array", "ArrayList", "array"}),
}

# The comparison of texts ignores case, spaces, these signs, and the kind of quote.
_IGNORED = str.maketrans({**dict.fromkeys(" ,./-_*^"), "'": '"'})


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an expected call."""

    name: str
    type_name: str  # type in the function doc
    kind: type  # Python type of its values
    item_type_name: str | None  # arrays: type of the items in the function doc
    item_kind: type | None  # arrays: Python type of the items
    acceptable: Sequence[Any]  # values that pass; "" means that the parameter is optional
    acceptable_kind: type | None  # type of the first acceptable value that is not ""
    options: frozenset[str]  # the acceptable texts, after `standardize`
    language: Language


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """One call of the truth."""

    name: str  # function name in the release
    underscored_name: str  # function name without dots, as most function-calling APIs require
    required: tuple[str, ...]  # parameters that the function doc requires, in its order
    parameters: Mapping[str, Parameter]  # parameters that are both in the doc and in the truth
    demanded: tuple[str, ...]  # parameters that are not optional in the truth, in its order


def standardize(text: str) -> str:
    """`text` in the form in which it is compared with an acceptable answer."""
    return text.lower().translate(_IGNORED)


def spell_name(expected: ExpectedCall, style: NameStyle) -> str:
    """The function name of an expected call in the style of the request."""
    return expected.underscored_name if style is NameStyle.UNDERSCORED else expected.name


def expected_call(
    docs: Sequence[FunctionDoc], name: str, truth: Mapping[str, Sequence[Any]], language: Language
) -> ExpectedCall:
    """The expected call of `name` with the acceptable values `truth`. Raises MalformedRelease."""
    doc = next((doc for doc in docs if doc["name"] == name), None)
    if doc is None:
        raise MalformedRelease(f"the truth calls {name!r}, which is not among the functions offered")
    properties = doc["parameters"]["properties"]
    return ExpectedCall(
        name=name,
        underscored_name=name.replace(".", "_"),
        required=tuple(doc["parameters"]["required"]),
        parameters={
            parameter: _parameter(parameter, properties[parameter], acceptable, language)
            for parameter, acceptable in truth.items()
            if parameter in properties
        },
        demanded=tuple(parameter for parameter, values in truth.items() if "" not in values),
    )


def _parameter(
    name: str, schema: Mapping[str, Any], acceptable: Sequence[Any], language: Language
) -> Parameter:
    type_name = schema["type"]
    item_type_name = None
    if type_name in _WITH_ITEMS[language]:
        item_type_name = schema["items"]["type"]
    return Parameter(
        name=name,
        type_name=type_name,
        kind=_kind(type_name, language),
        item_type_name=item_type_name,
        item_kind=_kind(item_type_name, language) if item_type_name else None,
        acceptable=acceptable,
        acceptable_kind=next((type(value) for value in acceptable if value != ""), None),
        options=frozenset(standardize(value) for value in acceptable if isinstance(value, str)),
        language=language,
    )


def _kind(type_name: str, language: Language) -> type:
    known = _TYPES[language]
    if type_name not in known:
        raise MalformedRelease(
            f"{language} type {type_name!r} is not one of {', '.join(known)}; stage the pinned release."
        )
    return known[type_name]
