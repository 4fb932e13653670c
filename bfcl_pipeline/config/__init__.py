"""What a run is to do: its config checked, its models and categories paired, its sample drawn."""

from bfcl_pipeline.config.check import check_config
from bfcl_pipeline.config.killed_run import clear_killed_run
from bfcl_pipeline.config.model_rows import ModelRow, described, load_models, model_folder, model_row
from bfcl_pipeline.config.run_config import Job, Release, RunConfig, load_run
from bfcl_pipeline.config.selection import allocate, pick

__all__ = [
    "Job",
    "ModelRow",
    "Release",
    "RunConfig",
    "allocate",
    "check_config",
    "clear_killed_run",
    "described",
    "load_models",
    "load_run",
    "model_folder",
    "model_row",
    "pick",
]
