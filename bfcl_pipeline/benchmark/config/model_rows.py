"""Model rows: the models files and the file of official models beside them, read and checked.

Keys, types and defaults are those of models.schema.yaml; rules between keys are checked here. How a kind
uses a row is the matter of `bfcl_pipeline.ask.models`. Trials share a row (`config.trials`).
"""

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Self

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.project import project_file
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.base.yaml_reader import read_yaml_file
from bfcl_pipeline.benchmark.config.check import check_config
from bfcl_pipeline.benchmark.config.choices import (
    EMBEDDED_KINDS,
    KINDS,
    OPEN_KINDS,
    RECORDED_KINDS,
    trial_of,
)
from bfcl_pipeline.benchmark.config.families import OWN_TEMPLATE, family_of, load_families
from bfcl_pipeline.benchmark.config.models_files import models_files
from bfcl_pipeline.benchmark.config.row_checks import check_row
from bfcl_pipeline.benchmark.records import Json, Mode

OFFICIAL_FILE = "official_models.yaml"
"""Name of the file with the leaderboard's models; it is read if it is in the directory of a models file."""

_OFFICIAL_KEYS = ("families", "models", "not_served")

_CHAT_OPTIONS = ("tool_parser", "reasoning_parser", "chat_template")
"""The options of a server that only chat completions use."""

COMMIT = "commit:"
"""Begins `weights` of a model from the hub; the commit follows."""

_MOST_SUGGESTED = 4  # names in an error message

UNKNOWN_WEIGHTS = "unknown"
"""`weights` of a model in a directory that the machine of the workflow does not have."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits on requests to one model."""

    in_flight: int = 32  # maximum number of requests in flight
    requests_per_minute: float | None = None  # None: only the server's limit holds
    tokens_per_minute: float | None = (
        None  # sent and received together; None: only the server's limit holds
    )
    seconds: float = 600.0  # time limit of one request
    attempts: int = 6  # at one request, before its entry has a status instead of an answer
    retry_seconds: float = 1.0  # wait before the second attempt; doubled before each further one, up to 60


@dataclass(frozen=True, slots=True)
class Serving:
    """Options of the vLLM server that a run starts for a model."""

    tool_parser: str | None = None  # --tool-call-parser; required in mode fc
    reasoning_parser: str | None = None  # --reasoning-parser
    chat_template: str | None = None  # --chat-template: a file, or a template that vLLM ships
    dtype: str | None = None  # --dtype; None: the model's own
    max_model_len: int | None = None  # --max-model-len in tokens; None: the model's own
    gpus: int = 1  # --tensor-parallel-size
    shards: int = 1  # servers that share the entries, each with `gpus` of its own
    args: tuple[str, ...] = ()  # further options of `vllm serve`


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model as a models file describes it. Only name and kind have no default."""

    name: str  # in config, tables and report; ends in `-FC` if the mode is fc
    kind: str  # key of config.KINDS
    mode: Mode  # how functions are presented; default: fc if the name ends in -FC or its family has fc
    display_name: str  # in the leaderboard's tables; default: the name
    org: str = "Unknown"  # organization that made the model
    license: str = "Unknown"  # of the model
    url: str = ""  # page about the model
    description: str = ""  # one line about the model
    input_price: float | None = None  # US dollars per million tokens sent
    output_price: float | None = None  # US dollars per million tokens received
    model: str = ""  # name at its API, on the hub or in the results; default: the name without -FC
    endpoint: str | None = None  # URL of its API; default: that of the kind
    key: str | None = None  # environment variable of its API key; None: no key is sent
    options: Mapping[str, Json] = field(default_factory=dict)  # added to the body of every request
    strict: bool | None = None  # whether its tools ask for strict arguments; None: nothing is stated
    limits: RequestLimits = field(default_factory=RequestLimits)  # on requests to it
    backend: str = "vllm"  # kind vllm: `vllm`, a server of the run; `endpoint`, one that already runs
    prompting: str = "server"  # kind vllm: `leaderboard`, by prompts; `server`, by chat completions
    family: str | None = None  # of config.families whose prompts are sent; None: `prompting` is server
    revision: str | None = None  # kind vllm: branch, tag or commit of the weights on the hub
    vllm: Serving = field(default_factory=Serving)  # kind vllm: options of the run's server
    resources: Mapping[str, int | str] = field(default_factory=dict)  # of its jobs, in Snakemake's terms
    path: str | None = None  # kind results: the file or directory with the results
    web: str | None = None  # kind results: the web that was searched, where the results do not record it
    dtype: str = "float32"  # kind transformers: type of weights and activations
    weights: str | None = None  # written by runs: the files of open weights, as of `models.weights`
    prompts: str | None = None  # written by runs: the digest of the family's row and templates

    @property
    def asked(self) -> dict[str, Json]:
        """The values on which the model's answers depend: if one changes, answers are generated again."""
        if self.recorded:  # the files at `path` are inputs of the step
            return {"kind": self.kind, "model": self.model, "web": self.web}
        return {
            "kind": self.kind,
            "model": self.model,
            "endpoint": self.endpoint,
            "options": dict(self.options),
            "vllm": self.serving if self.served else None,
            **({"strict": self.strict} if self.strict is not None else {}),
            **({"family": self.family} if self.family else {}),
            **self.of_weights,
        }

    @property
    def deciding(self) -> dict[str, Json]:
        """The same, and how functions are presented."""
        return {"mode": self.mode.value, "prompting": self.prompting, **self.asked}

    @property
    def serving(self) -> dict[str, Json]:
        """The options of the run's server on which answers depend, if the model has one."""
        unused = ("shards", *(_CHAT_OPTIONS if self.family else ()))
        return {key: value for key, value in asdict(self.vllm).items() if key not in unused}

    @property
    def of_weights(self) -> dict[str, Json]:
        """What identifies the weights besides their name, as far as answers are generated again for it.

        A commit that is only recorded is not among it: it is known once the weights have been fetched.
        """
        values: dict[str, Json] = {"revision": self.revision} if self.revision else {}
        if self.kind == "transformers":
            values["dtype"] = self.dtype
        if self.weights and not self.weights.startswith(COMMIT):
            values["weights"] = self.weights
        return values

    @property
    def owner(self) -> str:
        """Its name in error texts of simulated APIs; an embedded model has no name at an API."""
        return "model" if self.kind in EMBEDDED_KINDS else self.model

    @property
    def recorded(self) -> bool:
        """Whether the model's answers are read from results: it is not asked."""
        return self.kind in RECORDED_KINDS

    @property
    def own_template(self) -> bool:
        """Whether the chat template of its own tokenizer writes its prompts."""
        return self.family is not None and load_families()[self.family].template == OWN_TEMPLATE

    @property
    def served(self) -> bool:
        """Whether a run has to start a server for the model."""
        return self.kind == "vllm" and self.backend == "vllm"


@cache
def models_schema() -> Mapping[str, Any]:
    """The JSON Schema of models files."""
    schema: Mapping[str, Any] = read_yaml_file(Path(__file__).with_name("models.schema.yaml"))
    return schema


@dataclass(frozen=True, slots=True)
class ModelsFile:
    """What one models file says."""

    rows: dict[str, ModelRow]  # by name, in file order
    not_served: Mapping[str, str]  # of official models that no API offers any more, the reasons

    @classmethod
    def read(cls, path: Path, keys: Collection[str] = ("models",)) -> Self:
        """A file that has no other keys than `keys`. Raises ConfigError if it or a row is wrong."""
        try:
            document = read_yaml_file(path, by_hand=True)
        except FileNotFoundError as error:
            raise ConfigError(f"{path}: no such file. Give the models file with --models.") from error
        schema, rows = models_schema(), dict[str, ModelRow]()
        listed = document.get("models") if isinstance(document, dict) else None
        for number, values in enumerate(listed if isinstance(listed, list) else (), start=1):
            check_config(values, schema["properties"]["models"]["items"], f"{path}: model {number}")
        check_config(document, schema, str(path))
        for key in document:
            if key not in keys:
                raise ConfigError(f"{path}: {unknown_name('key', key, keys)}")
        for number, values in enumerate(document["models"], start=1):
            where = f"{path}: model {number}"
            row = _row(where, values)
            if row.name in rows:
                raise ConfigError(f"{where}: an earlier row has the name {row.name!r} already.")
            rows[row.name] = row
        return cls(rows, document.get("not_served", {}))


def load_models(files: str | Path | Iterable[str | Path] | None = None) -> dict[str, ModelRow]:
    """The rows of the models files by name, in file order, then those of the official models.

    Of rows with the same name, that of the last file is used; official ones are replaced by any. A relative
    path that does not exist means the project's file (`project_file`).

    Args:
        files: one models file or several; None: those of the config, else the usual ones (`models_files`).

    Raises:
        ConfigError: a file or a row is wrong.
    """
    paths = models_files(files)
    rows: dict[str, ModelRow] = {}
    for path in map(project_file, paths):
        rows |= ModelsFile.read(path).rows
    for official in _official_files(paths):
        rows = {**rows, **ModelsFile.read(official, _OFFICIAL_KEYS).rows, **rows}
    return rows


def load_not_served(files: str | Path | Iterable[str | Path] | None = None) -> dict[str, str]:
    """The official models that no API offers any more, with the reasons; `files` as for `load_models`."""
    reasons: dict[str, str] = {}
    for official in _official_files(models_files(files)):
        reasons |= ModelsFile.read(official, _OFFICIAL_KEYS).not_served
    return reasons


def _official_files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files of official models beside models files."""
    for official in dict.fromkeys(project_file(path.with_name(OFFICIAL_FILE)) for path in paths):
        if official not in paths and official.is_file():
            yield official


def unknown_model(name: str, known: Iterable[str]) -> str:
    """An error text for an unknown model; too many models are known to list them all."""
    known = list(known)
    near = [other for other in known if name and name.lower() in other.lower()]
    if not near:
        near = difflib.get_close_matches(name, known, n=1)
    named = " or ".join(map(repr, near[:_MOST_SUGGESTED]))
    more = f" ({len(near) - _MOST_SUGGESTED} more contain it)" if len(near) > _MOST_SUGGESTED else ""
    hint = f" Did you mean {named}?{more}" if near else ""
    return f"unknown model {name!r}.{hint} `bfcl-pipeline models` lists all."


def described_row(rows: Mapping[str, ModelRow], name: str) -> ModelRow:
    """The row called `name`; for a later trial, the row of its model under the name of the trial.

    A model without a row, with imported results, is described by its name alone.
    """
    if name in rows:
        return rows[name]
    trial = trial_of(name)
    if trial.model in rows:
        row = rows[trial.model]
        return replace(row, name=name, display_name=f"{row.display_name} (trial {trial.number})")
    return ModelRow(name=name, kind="", mode=_mode(trial.model), display_name=name)


def model_folder(name: str) -> str:
    """A model's name as the name of its directory and files in a run."""
    return name.replace("/", "_")


def _mode(name: str) -> Mode:
    return Mode.FC if name.endswith("-FC") else Mode.PROMPT


def _mode_of(name: str, family: str | None) -> Mode:
    """The mode of a row that names none: of its name, or of the family that the row names."""
    named = load_families().get(family or "")
    return Mode.FC if named is not None and named.mode is Mode.FC else _mode(name)


def _row(where: str, values: Mapping[str, Any]) -> ModelRow:
    """The row of values that fit the schema. Raises ConfigError for values that contradict each other."""
    name, kind = values["name"], values["kind"]
    if trial_of(name).number > 1:
        raise ConfigError(f"{where}: {name!r} is the name of a later trial; choose another.")
    mode = Mode(values.get("mode", _mode_of(name, values.get("family"))))
    if name.endswith("-FC") and mode is not Mode.FC:
        raise ConfigError(f"{where}: {name!r} has mode {mode}; names that end in -FC have mode fc.")
    vllm = values.get("vllm", {})
    given = {
        "display_name": name,
        "model": name if KINDS[kind].recorded else name.removesuffix("-FC"),
        "endpoint": KINDS[kind].endpoint,
        # A vendor's key is never sent elsewhere unless the row says so.
        "key": None if "endpoint" in values else KINDS[kind].key,
        **values,
        "mode": mode,
        "limits": RequestLimits(**{"in_flight": KINDS[kind].in_flight, **values.get("limits", {})}),
        "vllm": Serving(**{**vllm, "args": tuple(map(str, vllm.get("args", ())))}),
    }
    row = _with_prompting(where, ModelRow(**given), values)
    check_row(where, row, values)
    return row


def _with_prompting(where: str, row: ModelRow, values: Mapping[str, Any]) -> ModelRow:
    """`row` with the way its model is asked: by its family's prompts if known, else by the server's."""
    if row.kind not in OPEN_KINDS:
        return row
    if row.family is not None and row.family not in load_families():
        raise ConfigError(f"{where}: {unknown_name('family', row.family, load_families())}")
    if values.get("prompting") == "server" and row.kind == "vllm":
        if row.family is not None:
            raise ConfigError(
                f"{where}: `family` has the leaderboard's prompts, `prompting: server` the server's chat "
                "template: remove one of the two."
            )
        return row
    family = row.family or family_of(row.name, row.model, row.mode)
    if family is None and ("prompting" in values or row.kind == "transformers"):
        remedy = "use kind vllm" if row.kind == "transformers" else "set `prompting: server`"
        raise ConfigError(
            f"{where}: the prompts of {row.name!r} are not known: name its `family`, one of "
            f"{', '.join(load_families())}; or {remedy}."
        )
    return row if family is None else replace(row, prompting="leaderboard", family=family)
