"""Calls of functions: the text of an expected one is read, and the value of one is computed.

The function is looked up, its arguments are bound, nothing else is evaluated. A call among the arguments is
run first, in a bounded depth. The bound on work counts a call and all calls among its arguments together.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.dialogue.calls import read_literal_call
from bfcl_pipeline.world.executables.apis import Apis
from bfcl_pipeline.world.executables.binding import ExecutionFailed, bound, quote_name
from bfcl_pipeline.world.executables.functions import FUNCTIONS, EvaluationWork
from bfcl_pipeline.world.executables.network import NETWORK_FUNCTIONS

__all__ = ["Evaluator", "ExecutionFailed"]

MAX_LEVELS = 50
"""Calls, lists and mappings around a call."""


class Evaluator:
    """Runs calls; requests to the network go to `apis`."""

    def __init__(self, apis: Apis) -> None:
        self._apis = apis

    def value(self, call: Call, work: EvaluationWork | None = None) -> Any:
        """What the function returns: JSON types and tuples; bytes and complex numbers from such arguments.

        work: what may be done; None: as much as for any call.
        Raises ExecutionFailed with the error that Python would report, or with a bound; NotRecorded and
        WebError as `Apis.get`. A call whose name or names of arguments do not fit fails before the calls
        among its arguments run, so that nothing is requested for it.
        """
        return self._value(call, MAX_LEVELS, work or EvaluationWork())

    def uses_network(self, call: Call) -> bool:
        """Whether `call`, or a call among its arguments, is of a function that asks a web API."""
        return any(one.name in NETWORK_FUNCTIONS for one in _calls(call))

    def _value(self, call: Call, levels: int, work: EvaluationWork) -> Any:
        function = FUNCTIONS.get(call.name) or NETWORK_FUNCTIONS.get(call.name)
        if function is None:
            raise ExecutionFailed(f"NameError: no function has the name {quote_name(call.name)}")
        work.spend()
        bound(function.name, function.parameters, call.arguments)
        arguments = {
            name: self._argument(value, levels - 1, work) for name, value in call.arguments.items()
        }
        if call.name in FUNCTIONS:
            return FUNCTIONS[call.name].run(arguments, work)
        work.check_arguments([*arguments.values()])
        return NETWORK_FUNCTIONS[call.name].run(arguments, self._apis)

    def _argument(self, value: Any, levels: int, work: EvaluationWork) -> Any:
        if next(_calls(value), None) is None:
            return value
        if levels == 0:
            raise ExecutionFailed(f"RecursionError: calls are nested more than {MAX_LEVELS} levels deep")
        if isinstance(value, Call):
            return self._value(value, levels, work)
        work.spend(len(value))
        match value:
            case dict():
                return {key: self._argument(item, levels - 1, work) for key, item in value.items()}
            case tuple():
                return tuple([self._argument(item, levels - 1, work) for item in value])
        return [self._argument(item, levels - 1, work) for item in value]


def _calls(value: Any) -> Iterator[Call]:
    """`value`, if it is a call, and all calls in it; what is in several places is walked once."""
    rest, seen = [value], set()
    while rest:
        one = rest.pop()
        if not isinstance(one, Call | dict | list | tuple) or id(one) in seen:
            continue
        seen.add(id(one))
        match one:
            case Call(arguments=arguments):
                yield one
                rest.extend(arguments.values())
            case dict():
                rest.extend(one.values())
            case _:
                rest.extend(one)


def read_call(text: str) -> Call:
    """The call in `text`, with a name for every argument. Raises MalformedRelease."""
    try:
        return read_literal_call(text, _parameters)
    except (ValueError, TypeError) as error:
        raise MalformedRelease.at(
            f"truth {text:.80}", "a call with literal arguments", str(error)
        ) from None


def _parameters(name: str) -> Sequence[str]:
    function = FUNCTIONS.get(name) or NETWORK_FUNCTIONS.get(name)
    if function is None:
        raise ValueError(f"{name} is not a function of the benchmark")
    return [parameter.name for parameter in function.parameters]
