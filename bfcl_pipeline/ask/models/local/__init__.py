"""Small open models in the process of the job, through transformers: no server, the same prompts."""

from bfcl_pipeline.ask.models.local.adapter import TransformersModel

__all__ = ["TransformersModel"]
