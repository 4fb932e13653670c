"""A run over a recorded web: engines of two rows, recorded once, then derived again without a network."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from bfcl_pipeline.records import Entry
from bfcl_pipeline.tables import read_table
from bfcl_pipeline.web.simulated import SimulatedWeb, hops
from tests.support.offline import offline, without_native, without_network
from tests.support.simulated_sites import BRAVE, DUCKDUCKGO, sites
from tests.support.site_proxy import HAS_OPENSSL, Visit, site_proxy
from tests.support.snakemake_project import make_project

CATEGORY = "web_search_base"
ROWS = {"oracle-FC": "duckduckgo", "brave-FC": "brave"}
COUNT = 3
"""Questions of the run."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A project after the run; its web is gone."""

    folder: Path
    visits: tuple[Visit, ...]

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs a command of the pipeline without any network."""
        env = offline(self.folder / "offline", blocked=("openai", "aiohttp"))
        without_native(self.folder / "offline", "primp")
        env["PYTHONWARNINGS"] = "default"  # Snakemake's own
        command = [*without_network(), sys.executable, "-m", "bfcl_pipeline.cli", *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=300, check=False
        )


@pytest.fixture(scope="module")
def recorded(
    tmp_path_factory: pytest.TempPathFactory, staged: Path, entries: Callable[[str], list[Entry]]
) -> Recorded:
    """The run. Tests must not change it."""
    if not HAS_OPENSSL:
        pytest.skip("openssl, which makes the certificate of the sites, is absent")
    folder = tmp_path_factory.mktemp("web")
    project = make_project(folder / "project") if (folder / "project").mkdir() is None else None
    assert project is not None
    (project.folder / "data").symlink_to(staged)
    rows = [{"name": name, "kind": "oracle", "search_engine": engine} for name, engine in ROWS.items()]
    (project.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": rows}))
    asked = entries(CATEGORY)[:COUNT]
    hosts = {str(urlsplit(hop.url).hostname) for entry in asked for hop in hops(entry)}
    web = SimulatedWeb.of(entries(CATEGORY))
    with (
        site_proxy(folder / "certificates", {*hosts, DUCKDUCKGO, BRAVE}, sites(web)) as proxy,
        pytest.MonkeyPatch.context() as environment,
    ):
        for name, value in proxy.environment().items():
            environment.setenv(name, value)
        done = project.snakemake(
            run="r",
            models=f"[{','.join(ROWS)}]",
            categories=f"[{CATEGORY}]",
            entry_ids=f"[{','.join(entry.entry_id for entry in asked)}]",
            web="record",
            web_pause="0",
        )
    assert done.returncode == 0, done.stdout
    return Recorded(project.folder, tuple(proxy.visits))


def test_each_row_asks_its_engine_and_nothing_is_asked_twice(recorded: Recorded) -> None:
    """Both models find the answers; a page that both read is requested once."""
    asked = Counter((visit.method, visit.url, *sorted(visit.fields.items())) for visit in recorded.visits)
    assert set(asked.values()) == {1}
    assert {DUCKDUCKGO, BRAVE} < {visit.host for visit in recorded.visits}
    for name in ROWS:
        verdicts = read_table(recorded.folder / f"results/r/verdicts/{name}.parquet").to_pylist()
        assert {(row["valid"], row["status"]) for row in verdicts} == {(True, "answered")}
