"""From a job to the options of `bfcl-pipeline generate`, and back."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bfcl_pipeline.ask.jobs.options import OPTIONS, add_job_options, job_from, to_argv
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import Job, JobPaths, ModelRow, Selection, Shard, WebChoice, load_models
from bfcl_pipeline.benchmark.config.job import SEARCH_ENGINES, WEB_MODES
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Mode

MODELS = Path(__file__).parent / "models.yaml"
ROWS = load_models(MODELS)

words = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=20)
paths = words.map(Path)
amounts = st.floats(min_value=0, allow_infinity=False, allow_nan=False)


@st.composite
def jobs(draw: st.DrawFn, row: ModelRow) -> Job:
    """Any job of the model."""
    names = [name for name, one in CATEGORIES.items() if row.mode is Mode.PROMPT or not one.prompt_only]
    categories = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    of = draw(st.integers(1, 999))
    selection = Selection(
        sample=draw(st.dictionaries(st.sampled_from(categories), st.integers(0, 10_000))),
        seed=draw(st.integers()),
        entry_ids=draw(st.lists(words.filter(lambda word: not word.startswith("-"))).map(tuple)),
        shard=Shard(draw(st.integers(1, of)), of),
    )
    web = WebChoice(
        mode=draw(st.sampled_from(WEB_MODES)),
        cache=draw(paths),
        fetch_failures=draw(amounts),
        search_tool=draw(words),
        engine=draw(st.sampled_from(SEARCH_ENGINES)),
        proxy=draw(st.sampled_from(["environment", "none", "http://p.example:3128", "https://[::1]/"])),
        pause=draw(st.floats(0, 3600)),
    )
    endpoint, replay = draw(st.none() | paths), draw(st.booleans())
    observed = draw(st.none() | paths) if replay else None
    job = Job(
        row=row,
        categories=tuple(categories),
        run=draw(words),
        selection=selection,
        web=web,
        replay=replay,
        budget=draw(st.none() | amounts),
        wait_for_lease=draw(st.booleans()),
        paths=JobPaths(
            data=draw(paths),
            journals=draw(paths),
            encoder_cache=draw(paths),
            endpoint=endpoint,
            observed=observed,
        ),
    )
    return job if job.embedded else Job(**{**_values(job), "trial": draw(st.integers(1, 999))})


def _values(job: Job) -> Mapping[str, object]:
    return {column.name: getattr(job, column.name) for column in fields(job)}


@cache
def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    add_job_options(parser)
    return parser


def parsed(argv: list[str]) -> Job:
    """The job that a command line describes."""
    return job_from(vars(_parser().parse_args(argv)))


@settings(deadline=None)
@given(job=st.sampled_from(list(ROWS.values())).flatmap(jobs))
def test_a_job_survives_its_options(job: Job) -> None:
    """What the workflow writes on a command line is what the command does."""
    assert parsed(to_argv(job, MODELS)) == job


def test_defaults_are_not_written() -> None:
    """The options of a plain job are those that it must have: a new default repeats no finished step."""
    job = Job(row=ROWS["oracle"], categories=("multiple",), run="r")
    assert to_argv(job) == ["--model=oracle", "--run=r", "--category", "multiple"]


def test_every_field_has_an_option() -> None:
    """A field that no option sets would be lost between the workflow and the command."""
    by_name = {"row", "replay", "wait_for_lease", "selection.sample"}
    records = {"selection": Selection, "web": WebChoice, "paths": JobPaths}
    expected = {column.name for column in fields(Job)} - set(records)
    expected |= {f"{name}.{column.name}" for name, record in records.items() for column in fields(record)}
    assert {option.field for option in OPTIONS} | by_name == expected


def test_a_sample_may_name_categories() -> None:
    """A number alone is for every category; of two for one category, the last counts."""
    argv = [
        "--models",
        str(MODELS),
        "--model",
        "oracle",
        "--run",
        "r",
        "--category",
        "multiple",
        "parallel",
    ]
    assert parsed([*argv, "--sample", "3"]).selection.sample == {"multiple": 3, "parallel": 3}
    assert parsed([*argv, "--sample", "3", "parallel=1"]).selection.sample == {"multiple": 3, "parallel": 1}
    with pytest.raises(ConfigError, match="'simple_java' is not one of --category"):
        parsed([*argv, "--sample", "simple_java=1"])
