"""From a config to the jobs of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.benchmark import CATEGORIES, FORMATS, GROUPS, category_of
from bfcl_pipeline.config import RunConfig, load_run
from bfcl_pipeline.config.run_config import LONGEST_COMMAND
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.records import Entry, Mode, Rules

ROOT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
MODES = {
    "oracle-FC": Mode.FC,
    "oracle": Mode.PROMPT,
    "lexical-FC": Mode.FC,
    "lexical": Mode.PROMPT,
    "org/a": Mode.PROMPT,
    "org_a": Mode.PROMPT,
}
FORMAT_ID = f"format_sensitivity_7:{FORMATS[0].key}:live_simple_3-1-0"


def load(**changes: Any) -> RunConfig:
    return load_run({**CONFIG, **changes}, MODES)


def test_the_shipped_config_asks_all_categories_of_four_models() -> None:
    """22 categories of each model, and format sensitivity of those in prompt mode; all entries."""
    run = load()
    assert run.models == run.folders == ("oracle-FC", "oracle", "lexical-FC", "lexical")
    assert run.categories_of("oracle-FC") == GROUPS["all_scoring"]
    assert run.categories_of("oracle") == GROUPS["all"]
    webs = {job.category: job.options for job in run.jobs if job.options}
    assert webs == dict.fromkeys(GROUPS["web_search"], ("--web", "simulated"))
    assert run.rules is Rules.OFFICIAL


def test_the_web_is_that_of_the_config() -> None:
    """Mode, failures and the tool's name reach the web-search jobs and no others; failures are drawn."""
    run = load(
        models=["oracle"],
        categories=["web_search_base", "multiple"],
        web="off",
        fetch_failures=0.5,
        search_tool="duckduckgo_search",
    )
    assert [job.options for job in run.jobs] == [
        (),
        (
            *("--web", "off", "--fetch-failures", "0.5", "--search-tool", "duckduckgo_search"),
            *("--seed", "0"),
        ),
    ]


def test_a_category_chosen_twice_is_asked_once() -> None:
    """Groups may overlap; the order is the benchmark's."""
    run = load(models=["oracle", "oracle"], categories=["live_simple", "live", "simple_java"])
    assert run.categories_of("oracle") == ("simple_java", *GROUPS["live"])


def test_a_sample_is_shared_by_all_models() -> None:
    """Each model is asked the same number of entries of a category, with the run's seed."""
    run = load(models=["oracle-FC", "oracle"], categories=["simple_python", "multiple"], sample=9, seed=4)
    assert [job.options for job in run.jobs] == 2 * [
        ("--sample", "simple_python=6", "--seed", "4"),
        ("--sample", "multiple=3", "--seed", "4"),
    ]


def test_a_category_without_a_place_in_the_sample_is_not_asked() -> None:
    """A sample smaller than the number of categories leaves the smaller ones out."""
    run = load(models=["oracle"], categories=["simple_python", "live_parallel"], sample=1)
    assert run.categories_of("oracle") == ("simple_python",)


def test_the_seed_does_not_matter_without_a_sample() -> None:
    """Nothing that a job is told changes with the seed, so nothing is asked again."""
    assert [job.options for job in load(seed=1).jobs] == [job.options for job in load(seed=2).jobs]


def test_entry_ids_find_their_categories() -> None:
    """Only the categories of the ids are asked, each its own ids."""
    run = load(models=["oracle"], entry_ids=["live_simple_0-0-0", FORMAT_ID, "simple_python_3"])
    assert {job.category: job.options for job in run.jobs} == {
        "simple_python": ("--entry-ids", "simple_python_3"),
        "live_simple": ("--entry-ids", "live_simple_0-0-0"),
        "format_sensitivity": ("--entry-ids", FORMAT_ID),
    }


def test_every_id_of_the_release_names_its_category(entries: Any) -> None:
    """The category of an id is told from its text, for all entries of all categories."""
    for category in CATEGORIES:
        rows: list[Entry] = entries(category)
        assert {category_of(row.entry_id) for row in rows} == {category}


def test_the_release_options_are_those_of_the_stage_command() -> None:
    """A local source is told only where there is one."""
    release = {"version": "1", "sha256": "0" * 64}
    fetched = load(release={**release, "source": None}).release
    assert fetched.options == ("--version", "1", "--sha256", "0" * 64)
    local = load(release={**release, "source": "my wheels/it.whl"}).release
    assert local.options[-2:] == ("--source", "my wheels/it.whl")


def test_a_model_folder_has_no_slash() -> None:
    """Names with a slash become file names."""
    job = load(models=["org/a"], categories=["multiple"]).job("org_a", "multiple")
    assert (job.model, job.folder) == ("org/a", "org_a")


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
def test_a_wrong_name_or_a_contradiction_is_answered_with_what_is_right(
    changes: dict[str, Any], parts: list[str]
) -> None:
    """The error names the key, the wrong value and the right ones."""
    with pytest.raises(ConfigError) as caught:
        load(**changes)
    for part in parts:
        assert part in str(caught.value)


def test_a_job_that_the_run_does_not_have_is_refused() -> None:
    """Asking for a pair outside the config says where to add it."""
    with pytest.raises(ConfigError, match="add them to `models` and `categories`"):
        load(models=["oracle-FC"]).job("oracle-FC", "format_sensitivity")


def test_models_behind_an_api_are_asked_once_for_each_trial() -> None:
    """Each trial has a name and a folder of its own; embedded models are asked once."""
    run = load_run(
        {**CONFIG, "models": ["org/a", "oracle"], "categories": ["multiple", "parallel"], "trials": 3},
        MODES,
        {"oracle", "lexical"},
    )
    assert run.models == ("org/a", "org/a~2", "org/a~3", "oracle")
    assert run.folders == ("org_a", "org_a~2", "org_a~3", "oracle")
    assert [run.model_of(folder) for folder in run.folders] == ["org/a"] * 3 + ["oracle"]
    assert [run.options_of(folder) for folder in run.folders] == [
        (),
        ("--trial", "2"),
        ("--trial", "3"),
        (),
    ]
    assert [run.trial_before(folder) for folder in run.folders] == [None, "org_a", "org_a~2", None]
    assert run.job("org_a~2", "parallel").name == "org/a~2"


def test_trials_are_asked_the_same_entries() -> None:
    """Sample and seed are those of the run."""
    run = load(models=["org/a"], categories=["multiple"], sample=5, trials=2)
    first, second = (run.options_of(folder) for folder in run.folders)
    assert second == ("--trial", "2", *first)
