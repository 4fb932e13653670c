"""A call on two lines: the name of the function, and its arguments as JSON. Source: the handler glm."""

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.dialogue.families.readers.answers import Reader, no_calls, read_plain_text


def _uniform(stored: Json, runs: bool) -> Json:
    name, line, rest = stored.partition("\n")
    if line:
        return [{name: rest.partition("\n")[0]}]
    return stored if runs else no_calls(stored)


TWO_LINES = Reader(read_plain_text, _uniform)
