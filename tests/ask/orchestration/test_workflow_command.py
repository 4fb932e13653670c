"""The Snakemake command of `bfcl-pipeline run`: config, profile, cores and the name of the run."""

from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.ask.orchestration import workflow_command
from bfcl_pipeline.ask.orchestration.workflow_command import WorkflowCall, command, parse_setting, run_name
from bfcl_pipeline.base.errors import ConfigError
from tests.support import ROOT


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: empty, as after `pip install` of a wheel."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ({}, None),
        ({"budget": 2.0, "rules": "corrected", "overwrite": True}, None),
        ({"sample": 200, "run": "mini"}, "mini"),
        ({"models": ["my-model-FC"], "sample": 200}, "my-model-FC-200"),
        ({"models": "a,b"}, "a-b"),
        ({"models": ["Qwen/Qwen3-8B-FC"], "categories": ["live"]}, "Qwen_Qwen3-8B-FC-live"),
        ({"sample": 20}, "embedded-20"),
        ({"sample": {"by": "weight", "entries": 20}}, "embedded-20-by-weight"),
        ({"web": "record", "trials": 5, "seed": 1}, "embedded-record-5-trials-seed-1"),
        ({"entry_ids": ["simple_python_3"]}, "embedded-simple_python_3"),
        ({"fetch_failures": 0.5}, "embedded-fetch_failures-0.5"),
    ],
)
def test_what_selects_answers_names_the_run(config: dict[str, Any], name: str | None) -> None:
    """Only a call that selects nothing means the configured run, which may be finished."""
    assert run_name(WorkflowCall(config)) == name


def test_config_files_name_the_run(empty_folder: Path) -> None:
    """The last file with a name counts, and a sample of that run has a name of its own."""
    (empty_folder / "mine.yaml").write_text("run: mine\n")
    files = (Path("mine.yaml"),)
    assert run_name(WorkflowCall({}, files)) is None
    assert run_name(WorkflowCall({"sample": 5}, files)) == "mine-5"
    assert run_name(WorkflowCall({"models": ["a-FC"]}, files)) == "mine-a-FC"


def test_long_names_stay_distinct() -> None:
    """Many models give a name of at most 80 characters that another selection does not have."""
    models = [f"model-{number}" for number in range(40)]
    first, second = (run_name(WorkflowCall({"models": chosen})) for chosen in (models, models[:-1]))
    assert first is not None
    assert first != second
    assert len(first) == 80


def test_the_command_runs_the_projects_workflow() -> None:
    """Snakefile and profile of the project, all cores, and the config as Snakemake reads it."""
    config = {"models": ["a/b-FC"], "sample": 3, "run": "2026", "overwrite": True, "entry_ids": None}
    words = command(WorkflowCall(config, dry_run=True, arguments=("--forceall",)))
    assert words[1:] == [
        *("-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
        *("--workflow-profile", str(ROOT / "profiles/default"), "--cores", "all"),
        *("--dry-run", "--forceall", "--config"),
        *('models=["a/b-FC"]', "sample=3", 'run="2026"', "overwrite=True", "entry_ids="),
    ]


def test_a_profile_decides_about_cores(empty_folder: Path) -> None:
    """A profile is a name of the project or a folder; one with cores or an executor is given no others."""
    slurm = command(WorkflowCall({}, profile="slurm"))
    assert slurm[-2:] == ["--workflow-profile", str(ROOT / "profiles/slurm")]
    (empty_folder / "mine").mkdir()
    (empty_folder / "mine/config.yaml").write_text("keep-going: true\n")
    assert command(WorkflowCall({}, profile="mine"))[-3:] == ["mine", "--cores", "all"]
    assert command(WorkflowCall({}, profile="slurm", cores="2"))[-2:] == ["--cores", "2"]


def test_an_executor_that_is_not_installed_is_named(empty_folder: Path) -> None:
    """The error has the package; an executor given to Snakemake replaces that of the profile."""
    (empty_folder / "config.yaml").write_text("executor: no-such # of a cluster\njobs: 3\n")
    with pytest.raises(
        ConfigError, match=r"needs a package: .* pip install snakemake-executor-plugin-no-such$"
    ):
        command(WorkflowCall({}, profile="."))
    assert command(WorkflowCall({}, profile=".", arguments=("--executor", "local")))
    (empty_folder / "config.yaml").write_text("executor: local\n")
    assert command(WorkflowCall({}, profile="."))


def test_files_of_the_project_are_config_files() -> None:
    """The experiments can be named from any folder."""
    file = Path("config/experiments/no_snippet.yaml")
    assert command(WorkflowCall({}, (file,)))[-2:] == ["--configfile", str(ROOT / file)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (WorkflowCall({}, profile="slrum"), r"unknown profile 'slrum'. Did you mean 'slurm'"),
        (WorkflowCall({}, (Path("no.yaml"),)), r"no.yaml: no such config file"),
        (WorkflowCall({"seed": 1}, arguments=("--config", "a=1")), r"--config after -- would replace"),
        (WorkflowCall({}, arguments=("oracle-FC",)), r"oracle-FC: not an option. Give models with -m"),
    ],
)
def test_mistakes_are_one_line(call: WorkflowCall, message: str) -> None:
    """Each says what to give instead."""
    with pytest.raises(ConfigError, match=message):
        command(call)


def test_a_missing_snakemake_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is the command that installs it."""
    monkeypatch.setattr(workflow_command, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"-m pip install snakemake"):
        command(WorkflowCall({}))


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("sample=null", ("sample", None)),
        ("models=[a, b/c]", ("models", ["a", "b/c"])),
        ("fetch_failures=0.5", ("fetch_failures", 0.5)),
    ],
)
def test_settings_are_yaml(text: str, setting: tuple[str, Any]) -> None:
    """As in a config file, also null, which Snakemake does not read from its command line."""
    assert parse_setting(text) == setting


@pytest.mark.parametrize("text", ["sample", "=3", "a b=1", "x=1", "models=[a"])
def test_malformed_settings_are_refused(text: str) -> None:
    """The message repeats what was given."""
    with pytest.raises(ConfigError, match="--config "):
        parse_setting(text)
