"""What a run is to do: its config checked, its jobs with their models and entries."""

from bfcl_pipeline.benchmark.config.check import plain_values
from bfcl_pipeline.benchmark.config.choices import (
    EMBEDDED_KINDS,
    KINDS,
    RECORDED_KINDS,
    trial_name,
    trial_of,
)
from bfcl_pipeline.benchmark.config.conditions import model_row
from bfcl_pipeline.benchmark.config.job import (
    Job,
    JobPaths,
    Selection,
    Shard,
    WebChoice,
)
from bfcl_pipeline.benchmark.config.model_rows import (
    ModelRow,
    RequestLimits,
    described_row,
    load_models,
    load_not_served,
    model_folder,
    unknown_model,
)
from bfcl_pipeline.benchmark.config.models_files import (
    MODELS_FILE,
    MODELS_VARIABLE,
    MY_MODELS_FILE,
    models_files,
)
from bfcl_pipeline.benchmark.config.run_config import RunConfig, load_run
from bfcl_pipeline.benchmark.config.run_record import recorded_files, recorded_models, recorded_row
from bfcl_pipeline.benchmark.config.run_settings import RunSettings, keys_recorded
from bfcl_pipeline.benchmark.config.sampling import RunSample, SampleBy, allocate, by_weight, divide, pick

__all__ = [
    "EMBEDDED_KINDS",
    "KINDS",
    "MODELS_FILE",
    "MODELS_VARIABLE",
    "MY_MODELS_FILE",
    "RECORDED_KINDS",
    "Job",
    "JobPaths",
    "ModelRow",
    "RequestLimits",
    "RunConfig",
    "RunSample",
    "RunSettings",
    "SampleBy",
    "Selection",
    "Shard",
    "WebChoice",
    "allocate",
    "by_weight",
    "described_row",
    "divide",
    "keys_recorded",
    "load_models",
    "load_not_served",
    "load_run",
    "model_folder",
    "model_row",
    "models_files",
    "pick",
    "plain_values",
    "recorded_files",
    "recorded_models",
    "recorded_row",
    "trial_name",
    "trial_of",
    "unknown_model",
]
