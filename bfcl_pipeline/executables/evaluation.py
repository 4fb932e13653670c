"""The value of a call: the function is looked up, its arguments are bound, nothing else is evaluated.

A call among the arguments is run first, in a bounded depth.
"""

from typing import Any

from bfcl_pipeline.executables.apis import Apis
from bfcl_pipeline.executables.binding import ExecutionFailed
from bfcl_pipeline.executables.functions import FUNCTIONS
from bfcl_pipeline.executables.network import NETWORK_FUNCTIONS
from bfcl_pipeline.records import Call

__all__ = ["Evaluator", "ExecutionFailed"]


class Evaluator:
    """Runs calls; requests to the network go to `apis`."""

    def __init__(self, apis: Apis) -> None:
        self._apis = apis

    def value(self, call: Call) -> Any:
        """What the function returns: JSON types, and tuples where Python code returns them.

        Raises ExecutionFailed with the error that Python would report; NotRecorded and WebError as
        `Apis.get`.
        """
        arguments = {
            name: self.value(value) if isinstance(value, Call) else value
            for name, value in call.arguments.items()
        }
        if call.name in FUNCTIONS:
            return FUNCTIONS[call.name].run(arguments)
        if call.name in NETWORK_FUNCTIONS:
            return NETWORK_FUNCTIONS[call.name].run(arguments, self._apis)
        raise ExecutionFailed(f"NameError: name {call.name!r} is not defined")
