"""The rows of config/models.yaml and of the official models beside it, read and checked.

Covers what a row may say and what holds where it says nothing; what a kind does with it is the kind's
module.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.benchmark import unknown_name
from bfcl_pipeline.config.kinds import KINDS
from bfcl_pipeline.config.row_parts import Limits, Serving, part
from bfcl_pipeline.config.trials import trial_of
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.records import Json, Mode

UNKNOWN = "Unknown"
"""What stands for a maker or license that nobody told."""

OFFICIAL_FILE = "official_models.yaml"
"""Beside a models file: the rows of the models of the leaderboard."""

_OFFICIAL_KEYS = ("families", "models", "not_served")

BACKENDS = ("vllm", "endpoint")
"""vllm: the run starts a server of its own; endpoint: one that already runs answers at `endpoint`."""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model as config/models.yaml describes it. Only name and kind have no default."""

    name: str  # what config, tables and report call it; `-FC` ends those of function-calling mode
    kind: str  # who answers: a key of config.KINDS
    mode: Mode  # how it is given the functions; default: fc if the name ends in -FC
    display_name: str  # how the leaderboard's tables show it; default: the name
    org: str = UNKNOWN  # whose model it is
    license: str = UNKNOWN  # its license
    url: str = ""  # where to read about it
    description: str = ""  # one line on what it is
    input_price: float | None = None  # US dollars for a million tokens sent
    output_price: float | None = None  # US dollars for a million tokens received
    model: str = ""  # what its API or the hub calls it; default: the name without -FC
    endpoint: str | None = None  # where its API is; default: that of the kind
    key: str | None = None  # environment variable of its key; None: no key is sent
    options: Mapping[str, Json] = field(default_factory=dict)  # added to the body of every request
    limits: Limits = field(default_factory=Limits)  # how fast and how long it is asked
    backend: str = BACKENDS[0]  # kind vllm: who runs the server
    vllm: Serving = field(default_factory=Serving)  # kind vllm: how the server is started
    resources: Mapping[str, int | str] = field(default_factory=dict)  # of its jobs, in Snakemake's terms

    @property
    def asked(self) -> dict[str, Json]:
        """What decides who answers, and what is asked: if it changes, its answers are another's."""
        return {
            "kind": self.kind,
            "model": self.model,
            "endpoint": self.endpoint,
            "options": dict(self.options),
            "vllm": asdict(replace(self.vllm, shards=1)) if self.served else None,
        }

    @property
    def served(self) -> bool:
        """Whether a run has to start a server for it."""
        return self.kind == "vllm" and self.backend == "vllm"


_COLUMNS = tuple(column.name for column in fields(ModelRow))
_PRICES = ("input_price", "output_price")
_ASKED = ("model", "endpoint", "key", "options", "limits")
_OWN_RESOURCES = ("gpu", "server")


def load_models(path: Path) -> dict[str, ModelRow]:
    """The rows of `path` by name, in file order, then those of the official models beside it.

    Where both have a row of one name, the one of `path` holds. Raises ConfigError if a file or a row is
    wrong.
    """
    rows = _rows(path, _document(path, ("models",)))
    official = path.with_name(OFFICIAL_FILE)
    if official != path and official.is_file():
        for name, row in _rows(official, _document(official, _OFFICIAL_KEYS)).items():
            rows.setdefault(name, row)
    return rows


def load_not_served(path: Path) -> dict[str, str]:
    """Why each official model without a row has none, as the file of official models beside `path` says."""
    official = path.with_name(OFFICIAL_FILE)
    if not official.is_file():
        return {}
    reasons = _document(official, _OFFICIAL_KEYS).get("not_served", {})
    if not isinstance(reasons, dict) or not all(isinstance(reason, str) for reason in reasons.values()):
        raise ConfigError(f"{official}: not_served must be a mapping of names to reasons.")
    return reasons


def _document(path: Path, keys: tuple[str, ...]) -> dict[str, Any]:
    """The YAML document of `path`, in which `models` is a list and no key is but `keys`."""
    try:
        # The reader in C is ten times as fast; a workflow reads these files at each of its starts.
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        document = yaml.load(path.read_text(encoding="utf-8"), loader)  # noqa: S506  # both are safe
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file. Give the models file with --models.") from error
    except OSError as error:
        raise ConfigError(f"{path}: not readable ({error.strerror}).") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not readable as YAML ({error}).") from error
    if (
        not isinstance(document, dict)
        or not set(document) <= set(keys)
        or not isinstance(document.get("models"), list)
    ):
        raise ConfigError(f"{path}: expected the key `models`, with a list of rows, and no other key.")
    return document


def _rows(path: Path, document: Mapping[str, Any]) -> dict[str, ModelRow]:
    rows: dict[str, ModelRow] = {}
    for number, values in enumerate(document["models"], start=1):
        row = _row(f"{path}: model {number}", values)
        if row.name in rows:
            raise ConfigError(f"{path}: model {number}: the name {row.name!r} is taken by an earlier row.")
        rows[row.name] = row
    return rows


def model_row(rows: Mapping[str, ModelRow], name: str) -> ModelRow:
    """The row called `name`. Raises ConfigError, with near names, if there is none."""
    if name not in rows:
        raise ConfigError(unknown_model(name, rows))
    return rows[name]


def unknown_model(name: str, known: Iterable[str]) -> str:
    """An error text for a name that no model has: too many are known to list them all."""
    near = difflib.get_close_matches(name, list(known), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"unknown model {name!r}.{hint} `bfcl-pipeline models` lists all, also those that nobody serves."


def described(rows: Mapping[str, ModelRow], name: str) -> ModelRow:
    """The row called `name`; of a later trial, that of its model under the name of the trial.

    For results brought from elsewhere, one that has only the name.
    """
    if name in rows:
        return rows[name]
    trial = trial_of(name)
    if trial.model in rows:
        row = rows[trial.model]
        return replace(row, name=name, display_name=f"{row.display_name} (trial {trial.number})")
    return ModelRow(name=name, kind="", mode=_mode(trial.model), display_name=name)


def model_folder(name: str) -> str:
    """A model's name as the name of its folder and files in a run."""
    return name.replace("/", "_")


def _mode(name: str) -> Mode:
    return Mode.FC if name.endswith("-FC") else Mode.PROMPT


def _row(where: str, values: Any) -> ModelRow:
    if not isinstance(values, dict):
        raise ConfigError(f"{where}: expected a mapping of {', '.join(_COLUMNS)}; got {values!r}.")
    for key in values:
        if key not in _COLUMNS:
            raise ConfigError(f"{where}: {unknown_name('key', key, _COLUMNS)}")
    for key in ("name", "kind"):
        if key not in values:
            raise ConfigError(f"{where}: the key {key!r} is missing. Required: name, kind.")
    checked = {key: _checked(where, key, value) for key, value in values.items()}
    name, kind = checked["name"], checked["kind"]
    if kind not in KINDS:
        raise ConfigError(f"{where}: {unknown_name('kind', kind, KINDS)}")
    if trial_of(name).number > 1:
        raise ConfigError(f"{where}: the name {name!r} ends as those of later trials do; choose another.")
    mode = Mode(checked.get("mode", _mode(name)))
    if name.endswith("-FC") and mode is not Mode.FC:
        raise ConfigError(f"{where}: {name!r} has mode {mode}; names that end in -FC are of mode fc.")
    given = {
        "display_name": name,
        "model": name.removesuffix("-FC"),
        "endpoint": KINDS[kind].endpoint,
        # The key of a vendor is for that vendor: never sent elsewhere unless the row says so.
        "key": None if "endpoint" in checked else KINDS[kind].key,
        **checked,
        "mode": mode,
    }
    row = ModelRow(**given)
    _check_kind(where, row, values)
    return row


def _check_kind(where: str, row: ModelRow, values: Mapping[str, Any]) -> None:
    """Refuses keys that contradict the kind, or say nothing for it."""
    for key in _ASKED if KINDS[row.kind].embedded else ():
        if key in values:
            raise ConfigError(f"{where}: {row.name!r} is {row.kind}, which asks nobody: leave out {key}.")
    for key in ("backend", "vllm"):
        if key in values and row.kind != "vllm":
            raise ConfigError(f"{where}: {key} is for models of kind vllm; {row.name!r} is {row.kind}.")
    if row.endpoint is not None and not row.endpoint.startswith(("http://", "https://")):
        raise ConfigError(f"{where}: endpoint must start with http:// or https://; got {row.endpoint!r}.")
    if row.kind == "litellm" and "/" not in row.model:
        raise ConfigError(
            f"{where}: kind litellm needs `model` with a provider, for example bedrock/{row.model}."
        )
    if row.kind == "vllm":
        _check_vllm(where, row)


def _check_vllm(where: str, row: ModelRow) -> None:
    if row.backend == "endpoint" and row.endpoint is None:
        raise ConfigError(
            f"{where}: backend endpoint needs `endpoint`, for example http://localhost:8000/v1."
        )
    if row.backend == "vllm" and row.endpoint is not None:
        raise ConfigError(f"{where}: {row.name!r} has an endpoint; set `backend: endpoint` to use it.")
    if row.served and row.mode is Mode.FC and row.vllm.tool_parser is None:
        raise ConfigError(
            f"{where}: mode fc needs `vllm: {{tool_parser: ...}}`, the name of vLLM's parser for the calls "
            "of this family, for example hermes. See https://docs.vllm.ai/en/latest/features/tool_calling/"
        )


def _resources(where: str, values: Any) -> dict[str, int | str]:
    """What the jobs of a model take. Raises ConfigError if Snakemake could not be told so."""
    if not isinstance(values, dict):
        raise ConfigError(
            f"{where}: resources must be a mapping such as {{runtime: 240, mem_mb: 64000}}; got {values!r}."
        )
    for name, value in values.items():
        if name in _OWN_RESOURCES:
            raise ConfigError(
                f"{where}: resources: {name} follows from `vllm: {{gpus: ...}}`; leave it out."
            )
        if not isinstance(name, str) or not name.isidentifier():
            raise ConfigError(f"{where}: resources: {name!r} is no name of a resource.")
        if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
            raise ConfigError(
                f"{where}: resources: {name} must be a whole number or a text; got {value!r}."
            )
    return dict(values)


def _checked(where: str, key: str, value: Any) -> Any:
    if key in _PRICES:
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0
        ):
            raise ConfigError(f"{where}: {key} must be a number of US dollars, 0 or more; got {value!r}.")
        return value
    if key == "limits":
        return part(f"{where}: limits", Limits, value)
    if key == "vllm":
        return part(f"{where}: vllm", Serving, value)
    if key == "resources":
        return _resources(where, value)
    if key == "options":
        if not isinstance(value, dict):
            raise ConfigError(f"{where}: options must be a mapping of what a request says; got {value!r}.")
        return value
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{where}: {key} must be a text; got {value!r}.")
    if key == "mode" and value not in list(Mode):
        raise ConfigError(f"{where}: {unknown_name('mode', value, Mode)}")
    if key == "backend" and value not in BACKENDS:
        raise ConfigError(f"{where}: {unknown_name('backend', value, BACKENDS)}")
    return value
