"""What the expected calls of executed entries need, and neither the question nor the function docs say.

Covers functions and arguments that are not in the docs, and functions given as Python's lambda. Not
covered: values of calls, which are computed when an answer is scored, and the category rest.
"""

from collections.abc import Iterator

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call, Entry
from bfcl_pipeline.judge.audit.texts import content_of
from bfcl_pipeline.judge.scoring.findings import shorten
from bfcl_pipeline.world.executables import read_call

_LAMBDA = "lambda"


def find_unoffered(entry: Entry) -> tuple[str, str] | None:
    """Where and why an expected call cannot be read, or cannot be made by the docs."""
    try:
        calls = _expected_calls(entry)
    except MalformedRelease as error:
        return "truth", str(error)
    docs = {doc["name"]: doc["parameters"]["properties"] for doc in entry.functions}
    for call in calls:
        if call.name not in docs:
            return call.name, "the truth calls it, but it is not offered"
        for name in call.arguments:
            if name not in docs[call.name]:
                return f"{call.name}, {name}", "the truth has this argument, but the function doc lacks it"
    return None


def unstated_lambdas(entry: Entry) -> Iterator[tuple[str, str]]:
    """Each parameter whose argument is a lambda, if neither docs nor question name one."""
    if _LAMBDA in f"{content_of(entry.turns[0])} {entry.functions}".casefold():
        return
    try:
        calls = _expected_calls(entry)
    except MalformedRelease:  # is a finding of `find_unoffered`
        return
    values: dict[str, str] = {}
    for call in calls:
        for name, value in call.arguments.items():
            if isinstance(value, str) and value.startswith(_LAMBDA):
                values.setdefault(f"{call.name}, {name}", value)
    for where, value in values.items():
        yield where, f"nothing states that it is a lambda of Python, as in {shorten(value)}"


def _expected_calls(entry: Entry) -> list[Call]:
    """The expected calls. Raises MalformedRelease."""
    return [read_call(expected["call"]) for expected in entry.truth]
