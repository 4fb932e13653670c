"""Staging: the pinned release and encoder, and results of the official tool to and from tables."""

from bfcl_pipeline.staging.encoder import stage_encoder
from bfcl_pipeline.staging.official_export import export_official
from bfcl_pipeline.staging.official_results import import_official
from bfcl_pipeline.staging.outputs import stage

__all__ = ["export_official", "import_official", "stage", "stage_encoder"]
