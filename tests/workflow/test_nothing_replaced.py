"""A finished run is not replaced by a request with other settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.snakemake_project import Project, make_project

FINISHED = {"models": "[oracle-FC,lexical-FC]", "categories": "[simple_java,irrelevance]", "sample": "12"}


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, staged: Path) -> Project:
    """A project with a finished run, which no test changes."""
    project = make_project(tmp_path_factory.mktemp("finished"))
    (project.folder / "data").symlink_to(staged)
    done = project.snakemake(**FINISHED)
    assert done.returncode == 0, done.stdout
    return project


@pytest.mark.parametrize(
    ("arguments", "request_", "difference"),
    [
        (
            ("-n",),
            {"sample": "2", "models": "[oracle-FC]", "categories": "[single_turn]"},
            "run 'embedded' was made with other settings: sample: 12 -> 2; models: lexical-FC removed.",
        ),
        (
            (),
            {"web": "record", "categories": "[web_search]"},
            "run 'embedded' was made with other settings: sample: 12 -> null",
        ),
    ],
    ids=["dry run", "run"],
)
def test_another_request_under_the_same_name_stops(
    finished: Project, arguments: tuple[str, ...], request_: dict[str, str], difference: str
) -> None:
    """Also in a dry run: exit status 1, one line with the difference and the choices, nothing changed."""
    before = contents(finished.folder / "results")
    done = finished.snakemake(*arguments, **request_)
    assert done.returncode == 1
    line = done.stdout.splitlines()[-1]
    assert line.startswith("config: run 'embedded' was made with other settings: ")
    assert line.endswith(
        "Choose another name (--run NAME), or replace it (--overwrite); to "
        "Snakemake, --config run=NAME or overwrite=true."
    )
    assert difference in line
    assert contents(finished.folder / "results") == before


def test_the_refused_request_is_planned_where_it_may_replace_the_run(finished: Project) -> None:
    """The run itself is still complete, and the request is done with `overwrite`."""
    assert finished.steps(**FINISHED) == []
    assert finished.steps(web="record", categories="[web_search]", overwrite="true") != []
