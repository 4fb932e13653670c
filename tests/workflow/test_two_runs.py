"""Two runs of different names in one folder, as two users of it start them."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter

import yaml

from bfcl_pipeline.benchmark.tables import read_responses
from tests.support.local_chat import local_chat
from tests.support.snakemake_project import Project


def _config(run: str, model: str) -> dict[str, str]:
    return {"run": run, "models": f"[{model}]", "categories": "[simple_python]", "sample": "12"}


def test_runs_work_side_by_side_and_one_that_was_killed_goes_on_beside_the_other(project: Project) -> None:
    """They share journals: no request is sent twice. A second run of one name is refused."""
    with local_chat() as server:
        rows = [
            {"name": f"{name}-FC", "kind": "openai_chat", "model": name, "endpoint": server.endpoint}
            for name in ("first", "second")
        ]
        (project.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": rows}))
        server.behave(held_after=0)
        with project.start(**_config("a", "first-FC")) as killed:
            server.wait_for(1)
            with project.start(**_config("b", "second-FC")) as other:
                server.wait_for(13)
                os.killpg(killed.pid, signal.SIGKILL)
                killed.communicate()
                refused = project.snakemake(**_config("b", "second-FC"))
                with project.start(**_config("a", "first-FC")) as again:
                    server.wait_for(25)
                    server.release()
                    outputs = [process.communicate(timeout=300)[0] for process in (other, again)]
        assert [other.returncode, again.returncode] == [0, 0], outputs
        assert refused.returncode == 1
        assert "results/b: is running (process " in refused.stdout
        assert "):\nbfcl-pipeline watch b\n" in refused.stdout
        assert not re.search("unlock|WorkflowError", refused.stdout)
        assert "--run NAME" in refused.stdout
        server.behave()
        answers = "results/c/responses/first-FC/simple_python.parquet"
        done = project.snakemake(answers, **_config("c", "first-FC"))
        assert done.returncode == 0, done.stdout
        assert server.counts()["requests"] == 0
    for run, model in (("a", "first-FC"), ("b", "second-FC"), ("c", "first-FC")):
        path = project.folder / f"results/{run}/responses/{model}/simple_python.parquet"
        assert Counter(one.status for one in read_responses(path)) == {"answered": 12}
