"""A finished run is not replaced by a request with other settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.snakemake_project import Project

FINISHED = {"models": "[oracle-FC,lexical-FC]", "categories": "[simple_java,irrelevance]", "sample": "12"}


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    ("request_", "difference"),
    [
        (
            {"sample": "2", "models": "[oracle-FC]", "categories": "[single_turn]"},
            "run 'embedded' was made with other settings: sample: 12 -> 2; models: lexical-FC removed.",
        ),
        (
            {"web": "record", "categories": "[web_search]"},
            "run 'embedded' was made with other settings: sample: 12 -> null",
        ),
    ],
)
def test_another_request_under_the_same_name_stops(
    project: Project, request_: dict[str, str], difference: str
) -> None:
    """Also in a dry run: exit status 1, one line with the difference and the choices, nothing changed."""
    assert project.snakemake(**FINISHED).returncode == 0
    before = contents(project.folder / "results")
    for arguments in (("-n",), ()):
        done = project.snakemake(*arguments, **request_)
        assert done.returncode == 1
        line = done.stdout.splitlines()[-1]
        assert line.startswith("config: run 'embedded' was made with other settings: ")
        assert line.endswith(
            "Choose another name (--run NAME), or replace it (--overwrite); to "
            "Snakemake, --config run=NAME or overwrite=true."
        )
        assert difference in line
    assert contents(project.folder / "results") == before
    assert project.steps(**FINISHED) == []
    assert project.steps(**request_, overwrite="true") != []
