"""Reads the text of an expected call, and knows which calls use the network."""

from collections.abc import Sequence
from typing import Any

from bfcl_pipeline.calls import read_literal_call
from bfcl_pipeline.errors import MalformedRelease
from bfcl_pipeline.executables.functions import FUNCTIONS
from bfcl_pipeline.executables.network import NETWORK_FUNCTIONS
from bfcl_pipeline.records import Call


def read_call(text: str) -> Call:
    """The call in `text`, with a name for every argument. Raises MalformedRelease."""
    try:
        return read_literal_call(text, _parameters)
    except (ValueError, TypeError) as error:
        raise MalformedRelease.at(
            f"truth {text:.80}", "a call with literal arguments", str(error)
        ) from None


def uses_network(call: Call) -> bool:
    """Whether a value of `call` needs the network: for itself or for a call among its arguments."""
    return call.name in NETWORK_FUNCTIONS or any(map(_uses_network, call.arguments.values()))


def _uses_network(value: Any) -> bool:
    if isinstance(value, Call):
        return uses_network(value)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return any(map(_uses_network, parts))


def _parameters(name: str) -> Sequence[str]:
    function = FUNCTIONS.get(name) or NETWORK_FUNCTIONS.get(name)
    if function is None:
        raise ValueError(f"{name} is not a function of the benchmark")
    return [parameter.name for parameter in function.parameters]
