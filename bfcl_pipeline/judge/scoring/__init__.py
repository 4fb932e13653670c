"""Verdicts and their aggregation: pure functions from records to records."""

from bfcl_pipeline.judge.scoring.judge import NO_APIS, NO_CONSTANTS, Judge, judge
from bfcl_pipeline.judge.scoring.multi_turn import truth_calls
from bfcl_pipeline.judge.scoring.single_turn import answer_format

__all__ = ["NO_APIS", "NO_CONSTANTS", "Judge", "answer_format", "judge", "truth_calls"]
