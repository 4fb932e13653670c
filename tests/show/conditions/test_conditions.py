"""Runs under conditions against servers that fail in one of them, made as a user makes them."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.cli import main
from tests.support.faulty_server import FaultyServer, faulty_server, right_answers
from tests.support.snakemake_project import make_project


def varied(
    folder: Path,
    staged: Path,
    server: FaultyServer,
    capsys: pytest.CaptureFixture[str],
    conditions: str,
    sample: int = 120,
) -> tuple[str, list[dict[str, str]]]:
    """What `conditions` prints of a run, and the rows that it writes."""
    project = make_project(folder)
    (folder / "data").symlink_to(staged)
    with faulty_server(server) as endpoint, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        (folder / "config/models.yaml").write_text(
            "models:\n"
            f"  - {{name: m-FC, kind: openai_chat, endpoint: '{endpoint}', limits: {{in_flight: 8}}}}\n"
        )
        project.call(
            tables=False,
            run="asked",
            models="[m-FC]",
            categories="[simple_python, multiple]",
            sample=str(sample),
            conditions=f"[{conditions}]",
        )
        capsys.readouterr()
        assert main(["conditions", "asked", "--out", "effects.csv", "--figure", "drawn"]) == 0
    assert (folder / "drawn/conditions.svg").is_file()
    with (folder / "effects.csv").open(newline="") as lines:
        return capsys.readouterr().out, list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def answers(entries: Callable[[str], list[Entry]]) -> dict[str, object]:
    return dict(right_answers([*entries("simple_python"), *entries("multiple")]))


@pytest.mark.parametrize(
    ("fault", "found"),
    [("", set()), ("load", {"load=32"}), ("stream", {"stream"}), ("strict", {"strict"})],
)
def test_a_server_that_fails_in_one_condition_is_found(
    fault: str,
    found: set[str],
    answers: dict[str, object],
    tmp_path: Path,
    staged: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Broken calls are malformed and wrong in that condition alone; chance shows nothing."""
    server = FaultyServer(answers, fault, noise=0.1)
    printed, rows = varied(tmp_path, staged, server, capsys, "stream, load=32, strict")
    assert {row["condition"] for row in rows if row["shown"] == "true"} == found
    measures = {row["measure"] for row in rows if row["shown"] == "true"}
    assert measures == ({"accuracy", "malformed"} if found else set())
    assert max(map(len, printed.splitlines())) <= 80


def test_a_server_that_decays_is_found_by_the_canary(
    answers: dict[str, object], tmp_path: Path, staged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After 2,000 requests each answer is broken: what is asked last differs from what was asked first."""
    server = FaultyServer(answers, "decay", noise=0.1, after=2000)
    printed, rows = varied(tmp_path, staged, server, capsys, "load=16:32:64", sample=380)
    assert server.requests == 2100
    assert {row["condition"] for row in rows if row["shown"] == "true"} == {"last"}
    assert "Canary: 100 entries before and after all others, of 2,100 requests" in printed
