"""The record of a job."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import Job, ModelRow, Selection, Shard
from bfcl_pipeline.benchmark.records import Mode


def job(kind: str = "openai_chat", mode: Mode = Mode.FC, **fields: Any) -> Job:
    row = ModelRow(name="org/m", kind=kind, mode=mode, display_name="m")
    return Job(row=row, categories=fields.pop("categories", ("multiple",)), run="r", **fields)


def test_names_of_trials_and_shards() -> None:
    """Tables name the trial; files also the shard, if there are several."""
    one = job(trial=2, selection=Selection(shard=Shard(1, 3)))
    assert (one.name, one.folder, one.file_name) == ("org/m~2", "org_m~2", "org_m~2@1of3")
    assert job().file_name == "org_m"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"trial": 0}, "trial must be 1 or more"),
        ({"trial": 2, "kind": "oracle"}, "embedded and answers the same each time"),
        ({"categories": ("multipel",)}, "Did you mean 'multiple'?"),
        ({"categories": ("format_sensitivity",)}, "Run it with a model of mode prompt"),
        ({"selection": Selection(sample={"parallel": 1})}, "not one of the job's categories"),
        ({"selection": Selection(sample={"multiple": -1})}, "expected 0 entries or more"),
    ],
)
def test_a_job_that_is_not_possible_is_refused(fields: dict[str, Any], message: str) -> None:
    """The constructor rejects an impossible job with ConfigError."""
    with pytest.raises(ConfigError) as caught:
        job(**fields)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["0/2", "3/2", "2", "a/b", "1/2/3", "", "1/0"])
def test_a_shard_is_one_of_its_number(text: str) -> None:
    """Texts that are not I/N with I from 1 to N are refused."""
    with pytest.raises(ValueError, match="expected"):
        Shard.parse(text)
