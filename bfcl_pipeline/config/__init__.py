"""What a run is to do: its config checked, its models and categories paired, its sample drawn."""

from bfcl_pipeline.config.check import check_config
from bfcl_pipeline.config.job_resources import asking_resources, serving_resources
from bfcl_pipeline.config.killed_run import clear_killed_run
from bfcl_pipeline.config.kinds import EMBEDDED_KINDS, KINDS, Kind
from bfcl_pipeline.config.left_jobs import end_left_jobs
from bfcl_pipeline.config.model_rows import (
    ModelRow,
    described,
    load_models,
    load_not_served,
    model_folder,
    model_row,
    unknown_model,
)
from bfcl_pipeline.config.parts import Part, parts_of
from bfcl_pipeline.config.requeued import requeued
from bfcl_pipeline.config.row_parts import Limits, Serving
from bfcl_pipeline.config.run_config import Job, Release, RunConfig, load_run
from bfcl_pipeline.config.run_record import recorded_config, recorded_models
from bfcl_pipeline.config.selection import allocate, pick
from bfcl_pipeline.config.trials import Trial, trial_name, trial_of

__all__ = [
    "EMBEDDED_KINDS",
    "KINDS",
    "Job",
    "Kind",
    "Limits",
    "ModelRow",
    "Part",
    "Release",
    "RunConfig",
    "Serving",
    "Trial",
    "allocate",
    "asking_resources",
    "check_config",
    "clear_killed_run",
    "described",
    "end_left_jobs",
    "load_models",
    "load_not_served",
    "load_run",
    "model_folder",
    "model_row",
    "parts_of",
    "pick",
    "recorded_config",
    "recorded_models",
    "requeued",
    "serving_resources",
    "trial_name",
    "trial_of",
    "unknown_model",
]
