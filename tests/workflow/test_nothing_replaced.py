"""A finished run is not replaced by a request with other settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.snakemake_project import Project


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    ("arguments", "request_", "difference"),
    [
        (
            ("-n",),
            {"sample": "2", "models": "[oracle-FC]", "categories": "[single_turn]"},
            "run 'tiny' was made with other settings: sample: 20 -> 2; models: oracle removed.",
        ),
        (
            (),
            {"web": "record", "categories": "[web_search]"},
            "run 'tiny' was made with other settings: sample: 20 -> null",
        ),
    ],
    ids=["dry run", "run"],
)
def test_another_request_under_the_same_name_stops(
    ran: Project, arguments: tuple[str, ...], request_: dict[str, str], difference: str
) -> None:
    """Also in a dry run: exit status 1, one line with the difference and the choices, nothing changed."""
    before = contents(ran.folder / "results")
    done = ran.snakemake(*arguments, run="tiny", **request_)
    assert done.returncode == 1
    line = done.stdout.splitlines()[-1]
    assert line.startswith("config: run 'tiny' was made with other settings: ")
    assert line.endswith(
        "Choose another name (--run NAME), or replace it (--overwrite); to "
        "Snakemake, --config run=NAME or overwrite=true."
    )
    assert difference in line
    assert contents(ran.folder / "results") == before


def test_the_refused_request_is_planned_where_it_may_replace_the_run(ran: Project) -> None:
    """The request is done with `overwrite`."""
    assert ran.steps(run="tiny", web="record", categories="[web_search]", overwrite="true") != []
