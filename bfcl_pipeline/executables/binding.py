"""Binds the arguments of a call to the parameters of a function, as Python does, and names its errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

REQUIRED: Any = object()
"""In place of a default: the parameter has none."""


class ExecutionFailed(Exception):
    """A call cannot be executed. Its text begins with the name of Python's exception."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function."""

    name: str
    default: Any = REQUIRED


def bound(
    function: str, parameters: tuple[Parameter, ...], arguments: Mapping[str | None, Any]
) -> list[Any]:
    """The values of `parameters`, in order. Raises ExecutionFailed."""
    known = [parameter.name for parameter in parameters]
    for name in arguments:
        if name not in known:
            raise ExecutionFailed(f"TypeError: {function}() got an unexpected keyword argument {name!r}")
    missing = [p.name for p in parameters if p.default is REQUIRED and p.name not in arguments]
    if missing:
        raise ExecutionFailed(f"TypeError: {function}() has no value for {', '.join(missing)}")
    return [arguments.get(parameter.name, parameter.default) for parameter in parameters]
