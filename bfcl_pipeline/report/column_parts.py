"""What the columns of several tables of a run have in common."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

TEXT = pa.string()
COUNT = pa.int64()
SHARE = pa.float64()


def field(name: str, kind: pa.DataType, about: str, nullable: bool = True) -> pa.Field[Any]:
    """One column with one line on what it holds."""
    return pa.field(name, kind, nullable=nullable, metadata={"description": about})


RUN = field("run", TEXT, "name of the run; null if the responses tell none")
MODEL = field("model", TEXT, "name of the model", nullable=False)
RULES = field("rules", TEXT, "official or corrected: who judged", nullable=False)
CATEGORY = field("category", TEXT, "one of the V4 categories", nullable=False)
WEB = field(
    "web", TEXT, "web searched: simulated, record, replay, live or off; several joined; null if none"
)


def tally(of: str) -> list[pa.Field[Any]]:
    """The columns of one accuracy; `of` which entries."""
    return [
        field("answered", COUNT, f"entries {of} with a judged response", nullable=False),
        field("correct", COUNT, "of these, the valid ones", nullable=False),
        field("accuracy", SHARE, "correct / answered; null if none was judged"),
        field("ci_low", SHARE, "lower limit of its 95 % Wilson interval"),
        field("ci_high", SHARE, "upper limit of its 95 % Wilson interval"),
    ]
