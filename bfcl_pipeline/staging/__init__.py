"""Staging: the pinned release, fetched, verified and turned into tables."""

from bfcl_pipeline.staging.outputs import stage

__all__ = ["stage"]
