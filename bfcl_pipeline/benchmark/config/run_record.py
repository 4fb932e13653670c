"""The config and the model rows of a run, as files beside its results: to derive them again anywhere.

The config has every key, also those at their defaults, and the rows are those of the run's models. Both are
read back as any config. Paths of this machine are omitted: what came from there is identified by its hash.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from bfcl_pipeline.benchmark.config.choices import keys_of_others
from bfcl_pipeline.benchmark.config.model_rows import ModelRow
from bfcl_pipeline.benchmark.config.run_config import RunConfig
from bfcl_pipeline.benchmark.config.run_form import FORM_KEY, RUN_FORM
from bfcl_pipeline.benchmark.config.run_settings import keys_recorded
from bfcl_pipeline.benchmark.records import Json

_SOURCES = ("release", "encoder")
"""Keys with a `source` that may be a path."""


def recorded_files(run: RunConfig) -> dict[str, str]:
    """The content of the files that record a run, by name. All trials of a model share one row."""
    rows = {job.row.name: job.row for job in run.jobs}
    return {
        "config.yaml": recorded_config(run.settings.values),
        "models.yaml": recorded_models(rows.values()),
    }


def recorded_config(config: Mapping[str, Any]) -> str:
    """A config, complete and checked, as YAML, with the number of its form."""
    unset = {key for key in keys_recorded("if-set") if config.get(key) is None}
    left_out = {*keys_recorded("never"), *unset}
    document = {key: value for key, value in config.items() if key not in left_out}
    document[FORM_KEY] = RUN_FORM
    for key in _SOURCES:
        document[key] = {**document[key], "source": None}
    document["published"] = [{**one, "path": Path(one["path"]).name} for one in document["published"]]
    document["errata"] = [Path(name).name for name in document["errata"]]
    return _yaml(document)


def recorded_models(rows: Iterable[ModelRow]) -> str:
    """Rows as a models file that reads back as the same rows even if the defaults of kinds change."""
    return _yaml({"models": [recorded_row(row) for row in rows]})


def recorded_row(row: ModelRow) -> dict[str, Json]:
    """A row as it is recorded, by key: without what does not concern its kind or is not set."""
    values = {**asdict(row), "mode": row.mode.value}
    values["limits"] = _without_none(values["limits"])
    if row.kind == "vllm":
        flags = _without_none({**values["vllm"], "args": list(row.vllm.args)})
        values["vllm"] = dict(sorted(flags.items()))
    for key in keys_of_others(row.kind):
        values.pop(key, None)
    if row.path is not None:
        values["path"] = Path(row.path).name
    return {key: value for key, value in values.items() if value not in (None, "", {})}


def _without_none(values: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in values.items() if value is not None}


def _yaml(document: Json) -> str:
    text: str = yaml.safe_dump(document, allow_unicode=True, width=100)
    return text
