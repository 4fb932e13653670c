"""The models that are part of the pipeline, and the adapters of those behind an API."""

from bfcl_pipeline.ask.models.registry import build_adapter, build_derived, build_model

__all__ = ["build_adapter", "build_derived", "build_model"]
