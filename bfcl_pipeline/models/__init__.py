"""The models that a run can evaluate: rows of config/models.yaml, and those built in."""

from bfcl_pipeline.models.registry import MODEL_KINDS, build_model
from bfcl_pipeline.models.rows import ModelRow, load_models, model_row

__all__ = ["MODEL_KINDS", "ModelRow", "build_model", "load_models", "model_row"]
