"""The next run generates the entries again that failed for technical reasons, and no others."""

from __future__ import annotations

from pathlib import Path

import yaml

from bfcl_pipeline.benchmark.records import Response
from bfcl_pipeline.benchmark.tables import read_responses
from tests.support.local_chat import local_chat
from tests.support.snakemake_project import Project

CHOICE = {"run": "r", "models": "[local-FC]", "categories": "[simple_java]", "sample": "12"}


def _responses(project: Project) -> list[Response]:
    return read_responses(project.folder / "results/r/responses/local-FC/simple_java.parquet")


def test_the_next_run_completes_entries_after_an_outage(project: Project) -> None:
    """Failures of a server become statuses; once it works, it receives only the missing requests."""
    with local_chat() as server:
        row = {
            "name": "local-FC",
            "kind": "openai_chat",
            "endpoint": server.endpoint,
            "limits": {"in_flight": 2, "attempts": 1, "seconds": 1, "retry_seconds": 0.01},
        }
        models = Path(project.folder, "config/models.yaml")
        models.write_text(yaml.safe_dump({"models": [row]}))
        server.behave(faults=0.5, seed=1)
        project.call(**CHOICE)
        failed = [one for one in _responses(project) if one.status == "infrastructure_error"]
        assert 0 < len(failed) < 12
        assert not any(one.result_json for one in failed)

        server.behave()
        assert project.steps(**CHOICE) == [
            "Generate all categories with local-FC",
            "Score local-FC",
            "Tabulate the verdicts of r",
            "Write the report of r",
        ]
        assert project.snakemake(**CHOICE).returncode == 0
        assert {one.status for one in _responses(project)} == {"answered"}
        assert server.counts()["requests"] == len(failed)
        assert project.steps(**CHOICE) == []
