"""The models that are built in, and which kind a row of config/models.yaml names."""

from bfcl_pipeline.models.registry import MODEL_KINDS, build_model

__all__ = ["MODEL_KINDS", "build_model"]
