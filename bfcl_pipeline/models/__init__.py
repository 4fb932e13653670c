"""The models that are built in, those behind APIs, and which kind a row of config/models.yaml names."""

from bfcl_pipeline.models.registry import MODEL_KINDS, WIRE_KINDS, build_model, build_wire

__all__ = ["MODEL_KINDS", "WIRE_KINDS", "build_model", "build_wire"]
