"""The first step of the workflow: the release, verified."""

from __future__ import annotations

from pathlib import Path

from bfcl_pipeline.benchmark.definition import CATEGORIES, release
from tests.support.snakemake_project import Project


def test_a_fresh_project_plans_every_step(bare: Project) -> None:
    """The shipped config: the release, the encoder, four models generated and scored, tables, report."""
    steps = bare.steps()
    assert len(steps) == 2 + 4 + 4 + 2
    assert "Stage the release" in steps
    assert "Generate all categories with lexical" in steps


def test_a_local_wheel_is_staged(bare: Project, staged: Path) -> None:
    """`release.source` may be a wheel on this machine."""
    wheel = staged / "release" / release.WHEEL
    done = bare.snakemake("--until", "stage", release=f"{{source: '{wheel}'}}")
    assert done.returncode == 0, done.stdout
    assert {path.stem for path in (bare.folder / "data/entries").iterdir()} == CATEGORIES.keys()


def test_a_release_with_another_hash_stops_the_run(bare: Project, staged: Path) -> None:
    """The log that is shown names the expected and the found sha256; no table is left."""
    wheel = staged / "release" / release.WHEEL
    done = bare.snakemake(release=f"{{source: '{wheel}', sha256: '{'0' * 64}'}}")
    assert done.returncode == 1
    assert release.SHA256 in done.stdout
    assert "0" * 64 in done.stdout
    assert not (bare.folder / "data/entries").exists() or not any((bare.folder / "data/entries").iterdir())
