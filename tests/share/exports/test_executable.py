"""What exports make of the executable categories of V1, which are in no score of V4."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.exports.forms import ExportOptions, export_run
from tests.support.executable_run import RETIRED_MARKS, V4_MARKS
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with categories of V4 and of V1, and one of V1 alone; read-only."""
    models = [
        MadeUpModel("whole", {**V4_MARKS, **RETIRED_MARKS}),
        MadeUpModel("retired", {"sql": marks(1, 1)}),
    ]
    return made_up_tables(tmp_path_factory.mktemp("executable"), models)


@pytest.fixture(scope="module")
def run_of_v4(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first of these models with its categories of V4."""
    return made_up_tables(tmp_path_factory.mktemp("v4"), [MadeUpModel("whole", V4_MARKS)])


def test_documents_have_the_scores_of_v4_alone(run: Path, run_of_v4: Path, tmp_path: Path) -> None:
    """They are the bytes of a run without these categories; a line names what was left out."""
    lines: list[str] = []
    with_v1, without = (ExportOptions(tmp_path / name, organization="me") for name in ("with", "without"))
    assert export_run(Run(run), "every-eval-ever", with_v1, lines.append) == 1
    export_run(Run(run_of_v4), "every-eval-ever", without, lambda line: None)
    both = [sorted((tmp_path / name).rglob("*.json")) for name in ("with", "without")]
    assert [path.read_bytes() for path in both[0]] == [path.read_bytes() for path in both[1]]
    assert f"whole: left out, not part of V4: {', '.join(GROUPS['executable'])}" in lines
    assert "retired: left out, not part of V4: sql" in lines


@pytest.mark.parametrize("form", ["latex", "markdown"])
def test_text_tables_have_the_columns_of_v4(run: Path, tmp_path: Path, form: str) -> None:
    """No column and no note is about these categories; a model of them alone has no score."""
    export_run(Run(run), form, ExportOptions(tmp_path / "table"), lambda line: None)
    text = (tmp_path / "table").read_text(encoding="utf-8")
    assert "Executable" not in text
    assert "REST" not in text
    (line,) = (line for line in text.splitlines() if "retired" in line)
    assert line.count("N/A") == 8
