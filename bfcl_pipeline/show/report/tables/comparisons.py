"""The tables `comparisons` and `flips`, which the step of this name writes (`show.compare`)."""

import pyarrow as pa

from bfcl_pipeline.benchmark.tables.schemas import COMPARISONS, FLIPS
from bfcl_pipeline.show.report.tables.spec import Column, Kind, TableSpec


def _columns(schema: pa.Schema) -> list[Column]:
    return [
        Column(
            field.name,
            Kind(str(field.type)),
            (field.metadata or {})[b"description"].decode(),
            field.nullable,
        )
        for field in schema
    ]


TABLES = (
    TableSpec(
        "comparisons",
        "One row per pair and score: groups from the overall on, then categories.",
        _columns(COMPARISONS),
    ),
    TableSpec(
        "flips",
        "One row per pair and entry that only one of the two has right, in benchmark order.",
        _columns(FLIPS),
    ),
)
