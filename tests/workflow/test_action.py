"""The action of GitHub (`action.yml`): its shell steps, with the variables and files that GitHub gives.

Not covered: the actions of others that it uses, and the installation, of which make lists the commands.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import ROOT
from tests.support.local_chat import LocalChat, local_chat

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
EXPRESSION = re.compile(r"\$\{\{ (\S+) \}\}")


@dataclass
class Job:
    """A job of GitHub in which the action is used, perhaps several times."""

    folder: Path
    outputs: dict[str, str] = field(default_factory=dict)  # of the last use: `steps.<id>.outputs.<name>`
    summary: str = ""  # of the last use, Markdown
    printed: str = ""

    def use(self, **inputs: str) -> int:
        """Runs the steps up to the first that fails; its exit status."""
        given = {name: one.get("default") for name, one in ACTION["inputs"].items()} | inputs
        assert all(value is not None for value in given.values())
        values = {f"inputs.{name}": value for name, value in given.items()}
        self.outputs, self.summary, self.printed = {}, "", ""
        for step in ACTION["runs"]["steps"]:
            if "uses" in step:
                continue
            variables = {
                name: EXPRESSION.sub(lambda found: (values | self.outputs).get(found[1], ""), text)
                for name, text in step.get("env", {}).items()
            }
            done = self._run(step, variables)
            self.printed += done.stdout
            if done.returncode:
                return done.returncode
        return 0

    def _run(self, step: dict[str, Any], variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
        files = {name: self.folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.write_text("")
        script = self.folder / "step.sh"
        script.write_text(step["run"])
        places = {"GITHUB_ACTION_PATH": ROOT, "RUNNER_TEMP": self.folder / "temp", **files}
        installs = {"MAKEFLAGS": "n"} if "make " in step["run"] else {}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=self.folder / "workspace",
            env={
                **os.environ,
                **{name: str(path) for name, path in places.items()},
                **variables,
                **installs,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        for line in files["GITHUB_OUTPUT"].read_text().splitlines():
            name, _, value = line.partition("=")
            self.outputs[f"steps.{step['id']}.outputs.{name}"] = value
        self.summary += files["GITHUB_STEP_SUMMARY"].read_text()
        return done


@pytest.fixture
def job(tmp_path: Path, staged: Path) -> Job:
    """A job on a machine with the benchmark staged, in a checkout without any file."""
    for name in ("temp/bfcl", "workspace"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "temp/bfcl/data").symlink_to(staged)
    return Job(tmp_path)


@pytest.fixture(scope="module")
def chat() -> Iterator[LocalChat]:
    """The server that is tested."""
    with local_chat() as server:
        yield server


def test_a_team_tests_its_server_on_every_change(job: Job, chat: LocalChat) -> None:
    """The first run is the baseline of the next: it passes with a margin that so few entries can show, not
    without one. The summary has the table and the decision; outputs are what the action declares."""
    inputs = {
        "model": "m-FC",
        "endpoint": chat.endpoint,
        "sample": "40",
        "categories": "simple_python,irrelevance",
        "row": "model=served\ndescription=it's $(touch owned) `touch owned`\n",
    }
    assert job.use(**inputs) == 0, job.printed
    archive = Path(job.outputs["steps.compare.outputs.archive"])
    assert archive.is_file()
    assert "| Model |" in job.summary
    assert "m-FC" in job.summary
    assert "fail" not in job.summary
    baseline = archive.rename(job.folder / "workspace/baseline.crate.zip")
    assert job.use(**inputs, baseline=baseline.name, **{"no-worse": "60"}) == 0, job.printed
    declared = {one["value"] for one in ACTION["outputs"].values()}
    assert declared == {f"${{{{ {name} }}}}" for name in job.outputs}
    assert job.outputs["steps.compare.outputs.gate"] == "0"
    assert "| Model |" in job.summary
    assert re.search(r"(?m)^$\npass: .*m-FC minus .*m-FC on simple\\_python is 0.00 points", job.summary), (
        job.summary
    )
    assert job.use(**inputs, baseline=baseline.name, **{"no-worse": "0"}) == 1
    assert job.outputs["steps.compare.outputs.gate"] == "1"
    assert re.search(r"(?m)^$\nfail: undecided, .*m-FC minus ", job.summary), job.summary
    assert Path(job.outputs["steps.compare.outputs.archive"]).is_file()
    assert not list(job.folder.rglob("owned"))


def test_the_example_of_the_page_has_inputs_of_the_action() -> None:
    """And those that are required; without the others, the action has a default."""
    page = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
    ((example,),) = map(yaml.safe_load, re.findall("(?ms)^```yaml\n(- uses: .*?)^```", page))
    required = {name for name, one in ACTION["inputs"].items() if one.get("required")}
    assert required < set(example["with"]) < set(ACTION["inputs"])
    assert all("default" in ACTION["inputs"][name] for name in set(ACTION["inputs"]) - required)


def test_inputs_reach_commands_as_variables_only() -> None:
    """No text of an input is part of a script, as which a shell would read it; actions are pinned."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step.get("uses", f"a/b@{'0' * 40}"))
