"""The parameters of the calls that a single-turn truth demands, each with its doc and accepted values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bfcl_pipeline.benchmark.definition import Check
from bfcl_pipeline.benchmark.records import Entry, Json
from bfcl_pipeline.judge.audit.benchmark import Benchmark

OMITTED = ""
"""Among accepted values: the parameter may be left out."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """One parameter of one demanded call."""

    entry: Entry
    function: str
    parameter: str
    schema: Mapping[str, Json]  # of the function doc
    required: bool  # in the function doc
    values: list[Json]

    @property
    def where(self) -> str:
        """The parameter, for a finding."""
        return f"{self.function}, {self.parameter}"


def accepted_parameters(benchmark: Benchmark) -> Iterator[Accepted]:
    """Every parameter that both the truth and the function doc have."""
    for entry in benchmark.checked_with(Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL):
        docs = {doc["name"]: doc["parameters"] for doc in entry.functions}
        for call in entry.truth:
            for function, arguments in call.items():
                doc = docs.get(function, {})
                properties = doc.get("properties", {})
                for name, values in arguments.items():
                    if name in properties:
                        required = name in doc.get("required", ())
                        yield Accepted(entry, function, name, properties[name], required, values)
