"""Binds the arguments of a call to the parameters of a function, as Python does, and names its errors."""

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any

from bfcl_pipeline.base.text import cut, plural, printable

RAISED = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)
"""What Python raises when a function is given arguments that do not fit."""

MAX_SHOWN = 200
"""Characters of a name or a reason that are shown."""


class ExecutionFailed(Exception):
    """A call cannot be executed. Its text begins with the name of Python's exception, or names a bound."""


def parameters_of(body: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The parameters of a function of the benchmark: those of `body`, but for a first one named `work`."""
    first, *others = signature(body).parameters.values()
    return (*others,) if first.name == "work" else (first, *others)


def bound(
    function: str, parameters: tuple[Parameter, ...], arguments: Mapping[str | None, Any]
) -> list[Any]:
    """The values of `parameters`, in order. Raises ExecutionFailed.

    The key None, under which the decoders put an unpacked mapping (`f(**mapping)`), is a syntax error: the
    release writes it as an argument with the name None.
    """
    if None in arguments:
        raise ExecutionFailed(f"SyntaxError: {function}() is given a value in the place of None")
    known = [parameter.name for parameter in parameters]
    for name in arguments:
        if name not in known:
            raise ExecutionFailed(f"TypeError: {function}() has no parameter {quote_name(name)}")
    missing = [p.name for p in parameters if p.default is p.empty and p.name not in arguments]
    if missing:
        raise ExecutionFailed(f"TypeError: {function}() lacks {_arguments(missing)}")
    return [arguments.get(parameter.name, parameter.default) for parameter in parameters]


def failure(error: Exception) -> ExecutionFailed:
    """What a call fails with if its function raised `error`, one of RAISED."""
    return ExecutionFailed(cut(printable(f"{type(error).__name__}: {error}"), MAX_SHOWN))


def quote_name(name: object) -> str:
    """A name that a model wrote, for a message."""
    return repr(cut(printable(str(name)), MAX_SHOWN))


def _arguments(names: Sequence[str]) -> str:
    return f"{plural(len(names), 'argument', 'arguments')}: {', '.join(names)}"
