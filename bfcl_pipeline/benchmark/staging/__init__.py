"""Staging of the pinned release and the sentence encoder."""

from bfcl_pipeline.benchmark.staging.encoder import stage_encoder
from bfcl_pipeline.benchmark.staging.outputs import stage

__all__ = ["stage", "stage_encoder"]
