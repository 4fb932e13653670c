"""Reads the text of an expected call."""

from collections.abc import Sequence

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.dialogue.calls import read_literal_call
from bfcl_pipeline.world.executables.functions import FUNCTIONS
from bfcl_pipeline.world.executables.network import NETWORK_FUNCTIONS


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
