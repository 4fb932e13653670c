"""From a config to the jobs of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import (
    ModelRow,
    RunConfig,
    RunSample,
    SampleBy,
    Selection,
    Shard,
    WebChoice,
    load_run,
)
from bfcl_pipeline.benchmark.config.model_rows import Serving
from bfcl_pipeline.benchmark.config.run_config import LONGEST_COMMAND
from bfcl_pipeline.benchmark.definition import CATEGORIES, FORMATS, GROUPS, category_of
from bfcl_pipeline.benchmark.records import Entry, Mode, Rules

ROOT = Path(__file__).resolve().parents[3]
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
FORMAT_ID = f"format_sensitivity_7:{FORMATS[0].key}:live_simple_3-1-0"


def row(name: str, kind: str, **columns: Any) -> ModelRow:
    """A row of the models file."""
    mode = Mode.FC if name.endswith("-FC") else Mode.PROMPT
    return ModelRow(name=name, kind=kind, mode=mode, display_name=name, **columns)


ROWS = {
    one.name: one
    for one in (
        row("oracle-FC", "oracle"),
        row("oracle", "oracle"),
        row("lexical-FC", "lexical"),
        row("lexical", "lexical"),
        row("org/a", "openai_chat"),
        row("org_a", "openai_chat"),
        row("served", "vllm", vllm=Serving(shards=2)),
    )
}


def load(**changes: Any) -> RunConfig:
    return load_run({**CONFIG, **changes}, ROWS)


def test_the_shipped_config_runs_all_categories_with_four_models() -> None:
    """22 categories with each model, and format sensitivity with those in prompt mode; all entries."""
    run = load()
    assert run.models == run.folders == ("oracle-FC", "oracle", "lexical-FC", "lexical")
    assert run.categories_of("oracle-FC") == GROUPS["all_scoring"]
    assert run.categories_of("oracle") == GROUPS["all"]
    assert run.categories == sorted(GROUPS["all"])
    assert [job.categories for job in run.jobs] == 2 * [GROUPS["all_scoring"], GROUPS["all"]]
    assert {(job.selection, job.web) == (Selection(), WebChoice()) for job in run.jobs} == {True}
    assert run.settings.rules is Rules.OFFICIAL


def test_the_web_is_that_of_the_config() -> None:
    """Mode, failures and the tool's name reach jobs that search and no others; failures are drawn."""
    web = {"web": "off", "fetch_failures": 0.5, "search_tool": "duckduckgo_search", "seed": 3}
    (multiple,) = load(models=["oracle"], categories=["multiple"], **web).jobs
    (search,) = load(models=["oracle"], categories=["web_search_base", "multiple"], **web).jobs
    assert (multiple.web, multiple.selection) == (WebChoice(), Selection())
    assert search.web == WebChoice(mode="off", fetch_failures=0.5, search_tool="duckduckgo_search")
    assert search.selection == Selection(seed=3)


def test_a_category_chosen_twice_runs_once() -> None:
    """Groups may overlap; the order is the benchmark's."""
    run = load(models=["oracle", "oracle"], categories=["live_simple", "live", "simple_java"])
    assert run.categories_of("oracle") == ("simple_java", *GROUPS["live"])


def test_a_sample_is_shared_by_all_models() -> None:
    """Each model runs the same number of entries of a category, with the run's seed."""
    run = load(models=["oracle-FC", "oracle"], categories=["simple_python", "multiple"], sample=9, seed=4)
    assert [job.selection for job in run.jobs] == 2 * [
        Selection(sample={"simple_python": 6, "multiple": 3}, seed=4)
    ]


def test_a_sample_is_drawn_from_what_the_models_are_asked() -> None:
    """Models in mode fc are not asked about prompt formats: all entries of the sample are theirs."""
    run = load(models=["oracle-FC", "org/a", "lexical-FC"], categories=["all"], sample=200)
    fc_only = load(models=["oracle-FC"], categories=["all"], sample=200)
    counts = {name: n for job in fc_only.jobs for name, n in job.selection.sample.items()}
    assert sum(counts.values()) == 200
    assert set(counts) == set(GROUPS["all_scoring"])
    assert "format_sensitivity" in run.categories_of("org_a")
    larger = load(models=["oracle-FC"], categories=["all"], sample=500)
    grown = {name: n for job in larger.jobs for name, n in job.selection.sample.items()}
    assert all(grown[name] >= count for name, count in counts.items())


def test_a_sample_by_weight_is_the_same_for_both_modes() -> None:
    """Prompt formats have no weight: no place of the sample is theirs, so models in mode fc lose none."""
    sample = {"entries": 50, "by": "weight"}
    run = load(models=["oracle-FC", "oracle"], categories=["all"], sample=sample)
    fc, prompt = (job.selection.sample for job in run.jobs)
    assert fc == prompt
    assert sum(fc.values()) == 50
    assert "format_sensitivity" not in run.categories
    assert run.settings.sample == RunSample(50, SampleBy.WEIGHT)


def test_a_sample_by_weight_of_nothing_that_counts_is_an_error() -> None:
    """The message says what would work."""
    with pytest.raises(
        ConfigError, match=r"has no weight in the overall score; sample by size \(sample=9\)"
    ):
        load(models=["oracle"], categories=["live_relevance"], sample={"entries": 9, "by": "weight"})


def test_a_category_without_a_place_in_the_sample_does_not_run() -> None:
    """A sample smaller than the number of categories leaves the smaller ones out."""
    run = load(models=["oracle"], categories=["simple_python", "live_parallel"], sample=1)
    assert run.categories_of("oracle") == ("simple_python",)


def test_the_seed_does_not_matter_without_a_sample() -> None:
    """No job changes with the seed, so no step is repeated."""
    assert load(seed=1).jobs == load(seed=2).jobs


def test_entry_ids_find_their_categories() -> None:
    """Only the categories of the ids run, in the benchmark's order."""
    run = load(models=["oracle"], entry_ids=["live_simple_0-0-0", FORMAT_ID, "simple_python_3"])
    assert [(job.categories, job.selection.entry_ids) for job in run.jobs] == [
        (
            ("simple_python", "live_simple", "format_sensitivity"),
            ("simple_python_3", "live_simple_0-0-0", FORMAT_ID),
        )
    ]


def test_every_id_of_the_release_names_its_category(entries: Any) -> None:
    """The category of an id follows from its text, for all entries of all categories."""
    for category in CATEGORIES:
        rows: list[Entry] = entries(category)
        assert {category_of(row.entry_id) for row in rows} == {category}


def test_the_release_options_are_those_of_the_stage_command() -> None:
    """A local source is an option only if there is one."""
    release = {"version": "1", "sha256": "0" * 64}
    fetched = load(release={**release, "source": None}).settings.release
    assert fetched.options == ("--version", "1", "--sha256", "0" * 64)
    local = load(release={**release, "source": "my wheels/it.whl"}).settings.release
    assert local.options[-2:] == ("--source", "my wheels/it.whl")


def test_a_model_folder_has_no_slash() -> None:
    """Names with a slash become file names."""
    (job,) = load(models=["org/a"], categories=["multiple"]).jobs_of("org_a")
    assert (job.row.name, job.folder, job.file_name) == ("org/a", "org_a", "org_a")


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        (
            {"models": ["orcale"]},
            ["models: unknown model 'orcale'", "Did you mean 'oracle'?", "bfcl-pipeline models"],
        ),
        ({"models": ["org/a", "org_a"]}, ["'org/a' and 'org_a'", "rename one"]),
        ({"categories": ["simple_pyton"]}, ["Did you mean 'simple_python'?", "live_relevance", "non_live"]),
        (
            {"sample": 3, "entry_ids": ["simple_python_1"]},
            ["sample and entry_ids", "leave one of them null"],
        ),
        ({"entry_ids": ["simple_python"]}, ["'simple_python' is not an entry id", "simple_python_3"]),
        ({"entry_ids": ["simple_ruby_1"]}, ["'simple_ruby_1' is not an entry id"]),
        ({"categories": ["live"], "entry_ids": ["multiple_1"]}, ["is of multiple", "leaves out"]),
        (
            {"models": ["oracle-FC"], "categories": ["format_sensitivity"]},
            ["nothing to run", "without -FC"],
        ),
        (
            {"entry_ids": [f"multiple_{n}" for n in range(LONGEST_COMMAND // 9)]},
            ["too many for one command"],
        ),
    ],
)
def test_the_error_for_a_wrong_name_or_a_contradiction_names_the_remedy(
    changes: dict[str, Any], parts: list[str]
) -> None:
    """The error names the key, the wrong value and the right ones."""
    with pytest.raises(ConfigError) as caught:
        load(**changes)
    for part in parts:
        assert part in str(caught.value)


def test_a_model_that_the_run_does_not_have_is_refused() -> None:
    """A name outside the config is an error that says where to add it."""
    with pytest.raises(ConfigError, match="add it to `models`"):
        load(models=["oracle-FC"]).categories_of("oracle")


def test_models_behind_an_api_have_a_job_for_each_trial() -> None:
    """Each trial has a name and a folder of its own; embedded models have one trial."""
    run = load(models=["org/a", "oracle"], categories=["multiple", "parallel"], trials=3)
    assert run.models == ("org/a", "org/a~2", "org/a~3", "oracle")
    assert run.folders == ("org_a", "org_a~2", "org_a~3", "oracle")
    assert [(job.row.name, job.trial, job.categories) for job in run.jobs] == [
        ("org/a", 1, ("multiple", "parallel")),
        ("org/a", 2, ("multiple", "parallel")),
        ("org/a", 3, ("multiple", "parallel")),
        ("oracle", 1, ("multiple", "parallel")),
    ]
    assert run.jobs_of("org_a~2")[0].name == "org/a~2"


def test_trials_run_the_same_entries() -> None:
    """Sample and seed are those of the run."""
    run = load(models=["org/a"], categories=["multiple"], sample=5, seed=7, trials=2)
    assert [job.selection for job in run.jobs] == 2 * [Selection(sample={"multiple": 5}, seed=7)]


def test_a_served_model_has_a_job_for_each_server() -> None:
    """Each may spend what is left of the budget, and has the status file of its own server."""
    run = load(models=["served"], categories=["multiple"], budget=3)
    assert [(str(job.selection.shard), job.budget, str(job.paths.endpoint)) for job in run.jobs] == [
        ("1/2", 3, "results/embedded/servers/served@1of2.json"),
        ("2/2", 3, "results/embedded/servers/served@2of2.json"),
    ]
    assert all(job.wait_for_lease for job in run.jobs)


def test_a_replay_reads_the_errata_that_its_run_copied() -> None:
    """A name in a recorded config, which may be anybody's, leads nowhere but to the folder of the run."""
    assert load(errata=["own/mine.yaml"]).errata == (Path("own/mine.yaml"),)
    copies = load(errata=["../../mine.yaml", "b.yaml"], replay=True).errata
    assert copies == (Path("observed/errata/mine.yaml"), Path("observed/errata/b.yaml"))


def test_a_replay_has_no_servers() -> None:
    """It needs one job for each model, whatever the number of servers was, and waits for nothing."""
    (job,) = load(models=["served"], categories=["multiple"], replay=True).jobs
    assert (job.replay, job.paths.observed) == (True, Path("observed"))
    assert (job.selection.shard, job.paths.endpoint, job.wait_for_lease) == (Shard(), None, False)
