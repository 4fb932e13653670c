"""Exporting a run in any form: equal bytes, names of files, and clear errors."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ConfigError, TableError
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports import forms
from bfcl_pipeline.share.exports.forms import FORMS, ExportOptions, export_run
from bfcl_pipeline.share.exports.run_scores import EPOCH_VARIABLE, read_run_scores, standard_error
from tests.share.exports.conftest import HOSTILE, MADE_AT
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks


def export(run: Path, form: str, out: Path, staged: Path, models: Sequence[str] = ()) -> dict[str, bytes]:
    """The files of an export by their path in `out`."""
    export_run(Run(run, data=staged), form, ExportOptions(out, models=models), lambda line: None)
    files = [path for path in out.rglob("*") if path.is_file()] if out.is_dir() else [out]
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


@pytest.mark.parametrize("form", sorted(FORMS.keys() - {"inspect"}))
def test_equal_runs_have_equal_exports(form: str, real_run: Path, staged: Path, tmp_path: Path) -> None:
    """Two exports of a run have the same files with the same bytes; those of Inspect: test_inspect_logs."""
    first, second = (export(real_run, form, tmp_path / name, staged) for name in ("first", "second"))
    assert first
    assert first == second


def test_a_hostile_name_stays_in_the_directory(hostile_run: Path, staged: Path, tmp_path: Path) -> None:
    """A name of a model with slashes, dots and invisible characters is one plain folder in the output."""
    files = export(hostile_run, "every-eval-ever", tmp_path / "out", staged, [HOSTILE])
    assert len(files) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    for name in files:
        assert name.isascii()
        assert not any(part.startswith(".") for part in Path(name).parts)


def test_models_of_one_folder_are_refused(tmp_path: Path, staged: Path) -> None:
    """Two names that differ only in letters that a folder cannot have are not written over each other."""
    models = [MadeUpModel(name, {"multiple": marks(1)}) for name in ("a b", "a:b")]
    run = made_up_tables(tmp_path, models)
    with pytest.raises(ConfigError, match=r"'a b' and 'a:b' would have the same folder.*--model"):
        export(run, "every-eval-ever", tmp_path / "out", staged)
    assert export(run, "every-eval-ever", tmp_path / "out", staged, ["a b"])


def test_what_is_unknown_or_missing_is_named(hostile_run: Path, tmp_path: Path, staged: Path) -> None:
    """With the nearest form or model, or with the command that makes the tables."""
    with pytest.raises(ConfigError, match=r"unknown form 'latec'. Did you mean 'latex'"):
        export(hostile_run, "latec", tmp_path / "out", staged)
    with pytest.raises(ConfigError, match=r"unknown model 'seekr'. Did you mean 'seeker'"):
        export(hostile_run, "markdown", tmp_path / "out", staged, ["seekr"])
    for form in ("latex", "every-eval-ever"):
        with pytest.raises(TableError, match=r"tables.*bfcl-pipeline aggregate"):
            export(tmp_path, form, tmp_path / "out", staged)


def test_a_missing_package_is_named_with_its_command(
    hostile_run: Path, tmp_path: Path, staged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install 'bfcl-pipeline\[inspect\]'"):
        export(hostile_run, "inspect", tmp_path / "out", staged)
    assert not (tmp_path / "out").exists()


def test_the_time_is_that_of_the_recorded_config(
    hostile_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SOURCE_DATE_EPOCH decides; without it the time is that of the run's files, never the clock's."""
    assert read_run_scores(Run(hostile_run), Rules.OFFICIAL).made_at == MADE_AT
    monkeypatch.delenv(EPOCH_VARIABLE)
    made = int((hostile_run / "tables" / "leaderboard.parquet").stat().st_mtime)
    assert read_run_scores(Run(hostile_run), Rules.OFFICIAL).made_at == made
    monkeypatch.setenv(EPOCH_VARIABLE, "yesterday")
    with pytest.raises(ConfigError, match="SOURCE_DATE_EPOCH: expected seconds since 1970"):
        read_run_scores(Run(hostile_run), Rules.OFFICIAL)


def test_a_standard_error_counts_clusters() -> None:
    """It grows with the root of the design effect; without one, entries are taken as independent."""
    independent = standard_error(0.75, 4, None)
    assert independent == pytest.approx(statistics.stdev([1, 1, 1, 0]) / 2)
    assert standard_error(0.75, 4, 4.0) == pytest.approx(2 * (independent or 0))
    assert standard_error(1.0, 1, None) is None
