"""One run of the workflow as a Snakemake command: its config, its profile, and a name for the run.

Only builds the command; `bfcl-pipeline run` starts it. The workflow checks the values of the config.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.project import project_file, project_folder
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.base.yaml_reader import read_yaml_file
from bfcl_pipeline.benchmark.config.choices import JournalChoice
from bfcl_pipeline.benchmark.config.models_files import CONFIG_FILE

_KEYS = (
    *("models", "categories", "entry_ids", "errata", "sample", "web", "trials", "seed"),
    *("conditions", "run", "rules", "budget", "overwrite", "journal"),
)
"""The keys of the config that have an option, in the order in which they appear in the name of a run."""

_NOT_SELECTING = ("run", "budget", "rules", "errata", "overwrite", "containers", "replay")
"""Keys that do not change which answers a run holds: they need no other name of the run."""

_MAX_NAME = 80  # characters of a derived name
_DIGEST = 8  # characters of the hash that replaces the rest of a longer one
_ARGUMENTS = ("-", "data/", "results/")  # beginnings of the first argument: an option or a file to make
_OWN_EXECUTORS = ("local", "dryrun", "touch")  # of Snakemake itself
_CONFIG_OPTIONS = ("--config", "-C", "--configfile", "--configfiles")


@dataclass(frozen=True, slots=True)
class WorkflowCall:
    """What `bfcl-pipeline run` was given."""

    config: Mapping[str, Any]  # values by key of the config
    config_files: tuple[Path, ...] = ()  # override config/config.yaml, in this order
    cores: str | None = None  # a number or `all`; None: as in the profile, else all
    profile: str | None = None  # name or folder; None: `default`
    dry_run: bool = False
    arguments: tuple[str, ...] = ()  # further arguments of Snakemake


def command(call: WorkflowCall) -> list[str]:
    """The command that runs the workflow in the current folder.

    Raises ConfigError if Snakemake, the profile or a config file is missing, or two options contradict
    each other.
    """
    if find_spec("snakemake") is None:
        raise ConfigError(
            f"Snakemake is not installed for {sys.executable}: {sys.executable} -m pip install snakemake"
        )
    given = [word for word in call.arguments if word.partition("=")[0] in _CONFIG_OPTIONS]
    if given and (call.config or call.config_files):
        raise ConfigError(
            f"{given[0]} after -- would replace the settings before it: give all of them before --."
        )
    if call.arguments and not call.arguments[0].startswith(_ARGUMENTS):
        raise ConfigError(f"{call.arguments[0]}: not an option. Give models with -m, categories with -c.")
    profile = _profile(call.profile)
    settings = yaml_mapping(profile / "config.yaml")
    if not any(word.partition("=")[0] in ("--executor", "-e") for word in call.arguments):
        _check_executor(profile, settings.get("executor", "local"))
    words = [sys.executable, "-m", "snakemake", "--snakefile", str(project_folder() / "Snakefile")]
    words += ["--workflow-profile", str(profile)]
    cores = call.cores or (None if settings.keys() & {"cores", "executor"} else "all")
    if cores is not None:
        words += ["--cores", cores]
    if call.dry_run:
        words.append("--dry-run")
    words += call.arguments
    if call.config_files:
        words += ["--configfile", *(str(_existing(file)) for file in call.config_files)]
    config = dict(call.config)
    name = run_name(call)
    if name is not None:
        config["run"] = name
    if config:
        words += ["--config", *(f"{key}={_text(value)}" for key, value in config.items())]
    return words


def run_name(call: WorkflowCall) -> str | None:
    """The name of the run if the config files do not decide it.

    Returns:
        The name that was given; else a name of the run in the given config files, of the models and of each
        setting that selects answers, such as `my-model-FC-200`, or `embedded-200` if neither a file nor
        models are given; None if nothing of that kind was given.
    """
    if "run" in call.config:
        return str(call.config["run"])
    selecting = {key: value for key, value in call.config.items() if key not in _NOT_SELECTING}
    if not selecting:
        return None
    models = selecting.pop("models", None)
    named = _configured_name(call.config_files)
    if named is None and not models:
        named = _configured_name([CONFIG_FILE]) or "embedded"
    parts = [*([named] if named else []), *(_words(models) if models else [])]
    parts += [word for key, value in selecting.items() for word in _parts(key, value)]
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", "-".join(parts)).lstrip("._-")
    if len(name) > _MAX_NAME:
        digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGEST]
        name = f"{name[: _MAX_NAME - _DIGEST - 1]}-{digest}"
    return name


def given_keys(options: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of the config that parsed options give. Raises ConfigError if two contradict each other."""
    config = {key: options[key] for key in _KEYS if key in options}
    if "sample_by" in options:
        if "sample" not in options:
            raise ConfigError("--sample-by needs the number of entries: --sample N.")
        config["sample"] = {"entries": options["sample"], "by": options["sample_by"]}
    return config


def parse_setting(text: str) -> tuple[str, Any]:
    """The key and the value of KEY=VALUE, the value in YAML. Raises ConfigError."""
    key, equals, value = text.partition("=")
    if not equals or not re.fullmatch(r"[A-Za-z_]\w+", key):
        raise ConfigError(f"--config {text}: expected KEY=VALUE, for example fetch_failures=0.5.")
    try:
        return key, yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise ConfigError(f"--config {text}: the value is not YAML. Quote it in the shell.") from error


def _words(value: Any) -> list[str]:
    """The names in a list, or in a text with commas."""
    return [str(word) for word in value] if isinstance(value, list) else str(value).split(",")


def _parts(key: str, value: Any) -> Iterator[str]:
    """How a setting appears in the name of a run."""
    match key:
        case "sample" if isinstance(value, dict):
            yield "-by-".join(str(value[name]) for name in ("entries", "by") if name in value)
        case "sample" | "web":
            yield str(value)
        case "categories" | "entry_ids" | "conditions":
            yield from _words(value)
        case "trials":
            yield f"{value}-trials"
        case "journal":
            yield "fresh" if value == JournalChoice.RUN else str(value)
        case _:
            yield f"{key}-{value if isinstance(value, str | int | float) else _text(value)}"


def _text(value: Any) -> str:
    """A value as Snakemake reads it from --config."""
    if value is None:
        return ""
    return str(value) if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)


def yaml_mapping(file: Path) -> Mapping[str, Any]:
    """The keys of a YAML file of the user; none if it holds something else. Raises ConfigError."""
    document = read_yaml_file(file, by_hand=True)
    return document if isinstance(document, dict) else {}


def _existing(file: Path) -> Path:
    found = project_file(file)
    if not found.is_file():
        raise ConfigError(f"{file}: no such config file.")
    return found


def _configured_name(files: Sequence[Path]) -> str | None:
    """The name of the run in the config files; the last one that has it counts; None: none has it."""
    names = [yaml_mapping(_existing(file)).get("run") for file in files]
    return next((str(name) for name in reversed(names) if name is not None), None)


def _profile(name: str | None) -> Path:
    """The folder of a profile: as given, or of that name in profiles/ here or in the project."""
    profiles = project_file(Path("profiles") / (name or "default"))
    for folder in (profiles,) if name is None else (Path(name), profiles):
        if (folder / "config.yaml").is_file():
            return folder
    shipped = sorted(folder.parent.name for folder in (project_folder() / "profiles").glob("*/config.yaml"))
    raise ConfigError(f"--profile: {unknown_name('profile', str(name), shipped)} Or give its folder.")


def _check_executor(profile: Path, executor: object) -> None:
    """Raises ConfigError if the executor of a profile is a package of Snakemake that is not installed."""
    package = f"snakemake-executor-plugin-{executor}"
    if executor not in _OWN_EXECUTORS and find_spec(package.replace("-", "_")) is None:
        raise ConfigError(
            f"The profile {profile.name} needs a package: {sys.executable} -m pip install {package}"
        )
