"""Finds suspected defects of the benchmark's entries. Pure: entries in, findings out.

A finding is a row to be adjudicated by a person, not a verdict; `benchmark.errata` has the results.
"""

from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion
from bfcl_pipeline.judge.audit.detectors import DETECTORS, adjudicated_by, find

__all__ = ["DETECTORS", "Benchmark", "Suspicion", "adjudicated_by", "find"]
