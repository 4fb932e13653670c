"""What an entry expects, prepared once so that many responses can be judged by it.

An expected call joins one call of the truth with the function doc it is of. The truth gives, per
parameter, the list of acceptable values; `""` in it says that the parameter may be left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.benchmark import Language
from bfcl_pipeline.benchmark.types import JAVA_TYPES, JAVASCRIPT_TYPES, PYTHON_TYPES
from bfcl_pipeline.errors import MalformedRelease
from bfcl_pipeline.records import FunctionDoc, NameStyle

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

# What the comparison of text ignores: spaces and these signs, case, and the kind of quote.
_IGNORED = str.maketrans({**dict.fromkeys(" ,./-_*^"), "'": '"'})


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an expected call."""

    name: str
    type_name: str  # as the function doc says
    kind: type  # the Python type that values of it have
    item_type_name: str | None  # of arrays: what the function doc says of their items
    item_kind: type | None  # of arrays: the Python type of the items
    acceptable: Sequence[Any]  # values that pass; "" marks an optional parameter
    acceptable_kind: type | None  # type of the first of them that is not ""
    options: frozenset[str]  # the acceptable texts, standardized
    language: Language


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """One call of the truth."""

    name: str  # of the function, as the release writes it
    underscored_name: str  # of the function, as most function-calling APIs want it
    required: tuple[str, ...]  # parameters that the function doc requires, in its order
    parameters: Mapping[str, Parameter]  # those that the doc and the truth both know
    demanded: tuple[str, ...]  # parameters that the truth does not allow to be left out, in its order


def standardized(text: str) -> str:
    """`text` as it is compared with an acceptable answer."""
    return text.lower().translate(_IGNORED)


def spelled(expected: ExpectedCall, style: NameStyle) -> str:
    """The name of an expected call as the model was given it."""
    return expected.underscored_name if style is NameStyle.UNDERSCORED else expected.name


def expected_call(
    docs: Sequence[FunctionDoc], name: str, truth: Mapping[str, Sequence[Any]], language: Language
) -> ExpectedCall:
    """The call of `name` with the acceptable values `truth`. Raises MalformedRelease."""
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
        options=frozenset(standardized(value) for value in acceptable if isinstance(value, str)),
        language=language,
    )


def _kind(type_name: str, language: Language) -> type:
    known = _TYPES[language]
    if type_name not in known:
        raise MalformedRelease(
            f"{language} type {type_name!r} is not one of {', '.join(known)}; stage the pinned release."
        )
    return known[type_name]
