"""Verdicts and aggregation: pure functions from records to records."""

from bfcl_pipeline.scoring.judge import Judge, judge

__all__ = ["Judge", "judge"]
