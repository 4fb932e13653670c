"""The environment in which the official scorer runs."""

from __future__ import annotations

from bfcl_pipeline.share.official.scorer_process import scoring_requirements


def test_only_what_scoring_needs_is_installed() -> None:
    """Not the vector memory's packages, which bring PyTorch, nor those of extras."""
    declared = [
        "numpy==1.26.4",
        "pydantic>=2.8.2",
        "sentence-transformers>=2.7.0",
        "faiss-cpu==1.11.0",
        'vllm==0.8.5; extra == "oss-eval-vllm"',
    ]
    assert scoring_requirements(declared) == ["numpy==1.26.4", "pydantic>=2.8.2"]
