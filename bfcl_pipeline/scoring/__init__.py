"""Verdicts and aggregation: pure functions from records to records."""

from bfcl_pipeline.scoring.judge import Judge, answer_format, judge

__all__ = ["Judge", "answer_format", "judge"]
