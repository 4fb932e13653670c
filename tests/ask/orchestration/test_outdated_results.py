"""What has to be made again follows from the results of a run, without Snakemake's records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from bfcl_pipeline.ask.orchestration.outdated_results import OutdatedResults, outdated_results
from bfcl_pipeline.benchmark.config import load_run
from bfcl_pipeline.benchmark.tables import write_table
from bfcl_pipeline.runs.run import Run
from tests.ask.orchestration.test_finished_results import CONFIG, ROWS, finish

SAMPLED = {**CONFIG, "sample": 20}
ROWS_OF_VERDICTS = 3 * 20  # rule sets, entries


def score(folder: Path, model: str, rows: int = ROWS_OF_VERDICTS) -> Path:
    path = folder / "verdicts" / f"{model}.parquet"
    path.parent.mkdir(exist_ok=True)
    write_table(path, pa.table({"valid": [True] * rows}))
    return path


@pytest.fixture
def results(tmp_path: Path) -> Run:
    """Those of two models, responses and verdicts."""
    finished = finish(tmp_path / "r", SAMPLED)
    for model in ("a-FC", "b"):
        score(finished.folder, model)
    return finished


def outdated(results: Run, **changes: Any) -> OutdatedResults:
    config = {**SAMPLED, **changes}
    return outdated_results(Run(results.folder), load_run(config, ROWS))


def steps(found: OutdatedResults) -> set[str]:
    """The models that are asked again, as `generate/b`, and the ends of other paths."""
    paths = [Path(path).parts for path in found.outputs]
    return {f"generate/{parts[3]}" if "responses" in parts else "/".join(parts[-2:]) for parts in paths}


def test_an_unchanged_run_has_nothing_outdated(results: Run) -> None:
    """Nor does a run without results, of which Snakemake makes everything."""
    models = frozenset({"a-FC", "b"})
    assert outdated(results) == OutdatedResults(complete=models, finished=models)
    assert outdated(Run(results.folder / "none")) == OutdatedResults()


def test_what_is_added_repeats_what_lacks_it(results: Run) -> None:
    """A larger sample asks every model, another model only itself, other rules none; no file is deleted."""
    recorded = f"{results.folder.name}/config.yaml"
    for changes, models in (
        ({"sample": 24}, {"generate/a-FC", "generate/b"}),
        ({"models": ["a-FC", "b", "c-FC"]}, set()),  # Snakemake makes what is not there
        ({"rules": "corrected"}, set()),
        ({"budget": 2.0}, set()),
    ):
        found = outdated(results, **changes)
        assert steps(found) == {recorded, *models}
        assert found.replaced == ()


def test_an_interrupted_run_is_completed(results: Run) -> None:
    """The record has the new settings already: responses and verdicts show what they lack."""
    (results.folder / "config.yaml").unlink()
    assert steps(outdated(results, sample=24)) == {"generate/a-FC", "generate/b"}
    score(results.folder, "b", ROWS_OF_VERDICTS - 3)
    assert steps(outdated(results)) == {"verdicts/b.parquet"}


@pytest.mark.parametrize(
    "changes", [{"seed": 1}, {"sample": 10}, {"release": {**CONFIG["release"], "sha256": "0" * 64}}]
)
def test_results_of_other_settings_are_replaced(results: Run, changes: dict[str, Any]) -> None:
    """With `overwrite`: responses and verdicts do not stay beside a record that is not theirs."""
    found = outdated(results, overwrite=True, **changes)
    assert {"generate/a-FC", "generate/b"} <= steps(found)
    parts = {str(path.relative_to(results.folder)) for path in found.replaced}
    assert {"responses/b/multiple.parquet", "verdicts/a-FC.parquet"} <= parts
    assert found.complete == found.finished == frozenset()


def test_results_with_a_record_that_cannot_be_compared_are_replaced(results: Run) -> None:
    """Nothing is known about what they were made with."""
    (results.folder / "config.yaml").write_text("form: 1\nimported: true\n")
    assert len(outdated(results, overwrite=True).replaced) == 6


def test_failed_entries_are_retried(tmp_path: Path) -> None:
    """Also on another machine: their status asks for it."""
    failed = finish(tmp_path / "r", SAMPLED, "infrastructure_error")
    assert steps(outdated(failed)) == {"generate/a-FC", "generate/b"}
