"""Staging: the pinned release and results of the official tool turned into tables; the pinned encoder."""

from bfcl_pipeline.staging.encoder import stage_encoder
from bfcl_pipeline.staging.official_results import import_official
from bfcl_pipeline.staging.outputs import stage

__all__ = ["import_official", "stage", "stage_encoder"]
