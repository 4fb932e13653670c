"""Verdicts and aggregation: pure functions from records to records."""

from bfcl_pipeline.scoring.judge import Judge, default_style, judge

__all__ = ["Judge", "default_style", "judge"]
