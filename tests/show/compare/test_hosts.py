"""One model at several addresses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.cli import main
from tests.support.faulty_server import FaultyServer, faulty_server, right_answers
from tests.support.snakemake_project import make_project


def test_hosts_of_one_model_are_compared(
    entries: Callable[[str], list[Entry]],
    tmp_path: Path,
    staged: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A host that invents names breaks the schema; one that answers with text calls on no entry."""
    answers = right_answers(entries("multiple"))
    (tmp_path / "data").symlink_to(staged)
    project = make_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    with (
        faulty_server(FaultyServer(answers)) as good,
        faulty_server(FaultyServer(answers, noise=1.0)) as inventing,
        faulty_server(FaultyServer(answers, "silent")) as silent,
    ):
        rows = [
            f"  - {{name: {name}-FC, kind: openai_chat, model: m, endpoint: '{url}'}}\n"
            for name, url in (("a", good), ("b", inventing), ("c", silent))
        ]
        Path("config/models.yaml").write_text("models:\n" + "".join(rows))
        project.call(run="hosts", models="[a-FC,b-FC,c-FC]", categories="[multiple]", sample="20")
    capsys.readouterr()
    assert main(["compare", "hosts", "--by", "host"]) == 0
    printed = capsys.readouterr().out
    table = [line.split() for line in printed.splitlines()[-3:]]
    assert [line[0] for line in table] == [
        url.removeprefix("http://").removesuffix("/v1") for url in (good, inventing, silent)
    ]
    # trigger, schema and verdict of each
    assert [line[1:4] for line in table] == [
        ["-", "100.00", "100.00"],
        ["100.00", "0.00", "0.00"],
        ["0.00", "-", "0.00"],
    ]
    assert {line[-2] for line in table} == {"20"}
    assert max(map(len, printed.splitlines())) <= 80
