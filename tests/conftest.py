"""Fixtures of all tests: the staged benchmark and its entries. And which files hold slow proofs."""

from __future__ import annotations

import fcntl
import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

from bfcl_pipeline.base import project
from bfcl_pipeline.benchmark.definition import CATEGORIES, encoder, release
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.staging import stage, stage_encoder
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.world.executables.apis import HOSTS
from bfcl_pipeline.world.tools import Constants, WorldConfig
from tests.support.transcript import Transcript
from tests.support.web_server import WebServer, web_server

ROOT = Path(__file__).resolve().parent.parent

PROOFS = {
    "share/archive/test_anchored.py": "workflow",
    "share/archive/test_answered_later.py": "workflow",
    "share/archive/test_archive.py": "workflow",
    "share/archive/test_ask_again.py": "workflow",
    "share/archive/test_crate_check.py": "workflow",
    "share/archive/test_damaged.py": "workflow",
    "share/archive/test_diff.py": "workflow",
    "share/archive/test_extract.py": "workflow",
    "share/archive/test_hostile.py": "workflow",
    "share/archive/test_official.py": "peer",
    "share/archive/test_own_template.py": "workflow",
    "share/archive/test_provenances.py": "workflow",
    "share/archive/test_refused.py": "workflow",
    "share/archive/test_signed.py": "workflow",
    "share/archive/test_tampered.py": "workflow",
    "share/archive/test_verify.py": "workflow",
    "share/archive/test_web_evidence.py": "workflow",
    "share/asked_again/test_invented_runs.py": "workflow",
    "browser": "browser",
    "containers": "containers",
    "world/encoding/test_encoder_in_runs.py": "workflow",
    "fuzz": "fuzz",
    "share/gallery/test_site.py": "workflow",
    "ask/generation/test_journal_killed.py": "kills",
    "ask/generation/test_journal_lease.py": "kills",
    "ask/generation/test_killed_generation.py": "kills",
    "ask/generation/test_misbehaving_server.py": "kills",
    "ask/generation/test_replay.py": "workflow",
    "ask/generation/test_replay_kinds.py": "workflow",
    "ask/generation/test_shard_budget_killed.py": "kills",
    "install/test_installed_wheel.py": "install",
    "peer": "peer",
    "slurm": "slurm",
    "benchmark/staging/test_against_official.py": "peer",
    "test_patterns.py": "fuzz",
    "vllm": "vllm",
    "workflow": "workflow",
}
"""Files and folders whose tests `make test` leaves to another target, and the marker of that target.

The markers are declared in pyproject.toml, each with its rule.
"""

NO_EXTRAS = ROOT / "tests/support/no_extras"
"""On PYTHONPATH, it hides what only extras and tests need."""


def proof_of(path: Path) -> str | None:
    """The marker of the tests of a file or folder; None if they are quick."""
    names = accumulate(_place(path).split("/"), lambda folder, name: f"{folder}/{name}")
    return next((PROOFS[name] for name in names if name in PROOFS), None)


def _place(path: Path) -> str:
    """The path below tests/; empty for this folder, and outside it."""
    text, tests = path.as_posix(), f"{ROOT.as_posix()}/tests/"
    return text.removeprefix(tests) if text.startswith(tests) else ""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that writes the whole outputs that tests compare."""
    parser.addoption("--update", action="store_true", help="write the files of transcripts/ again")


def pytest_configure() -> None:
    """Leaves out of the processes of tests what takes much of their time and changes no result."""
    # The entries of the release, which stay in memory, would be searched each time for unreachable objects.
    gc.set_threshold(*gc.get_threshold()[:2], 100)
    # No test cuts the power. Tests of what follows a sync replace it; other processes have the real one.
    os.fsync = lambda _: None
    # argparse would look for translations of each of its messages, in the language of the machine.
    os.environ["LANGUAGE"] = "C"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of the files in PROOFS."""
    missing = [place for place in PROOFS if not (ROOT / "tests" / place).exists()]
    assert not missing, f"PROOFS in tests/conftest.py names files that do not exist: {missing}"
    for item in items:
        if (proof := proof_of(item.path)) is not None:
            item.add_marker(proof)
    if all(item.get_closest_marker("workflow") for item in items):
        # Their hundreds of processes are those of an installation without extras, which start faster.
        paths = [str(NO_EXTRAS), os.environ.get("PYTHONPATH", "")]
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out files and folders of which `-m` wants no test: to import all takes a minute."""
    if not (wanted := config.getoption("markexpr")):
        return None
    within = f"{place}/" if (place := _place(collection_path)) else ""
    proofs = {proof_of(collection_path)}
    proofs |= {proof for name, proof in PROOFS.items() if name.startswith(within)}
    expression = Expression.compile(wanted)
    return None if any(expression.evaluate({proof}.__contains__) for proof in proofs) else True


@pytest.fixture(autouse=True)
def _no_env_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that a test calls in its own process do not read the developer's `.env`."""
    monkeypatch.setattr(project, "ENV_FILE", Path("no.env"))


def _is_staged(data: Path) -> bool:
    outputs = [
        data / "release" / name
        for name in (release.WHEEL, "texts.json", "family_texts.json", "models.json")
    ]
    outputs += [entries_path(data, category) for category in CATEGORIES]
    return all(path.is_file() for path in outputs)


@pytest.fixture(scope="session")
def staged(pytestconfig: pytest.Config) -> Path:
    """A staged data folder: the repository's own, else one that is staged once for all test processes."""
    if _is_staged(ROOT / "data"):
        return ROOT / "data"
    folder = Path(pytestconfig.cache.mkdir("staged"))
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_staged(folder):
            stage(folder, log=lambda line: print(line, file=sys.stderr))
    return folder


@pytest.fixture(scope="session")
def staged_encoder(pytestconfig: pytest.Config) -> Path:
    """The folder of the sentence encoder: the repository's own, else one staged once for all processes."""
    if (ROOT / "data" / "encoder" / encoder.WEIGHTS).is_file():
        return ROOT / "data" / "encoder"
    folder = Path(pytestconfig.cache.mkdir("staged"))
    with (folder / "encoder.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "encoder" / encoder.WEIGHTS).is_file():
            stage_encoder(folder, log=lambda line: print(line, file=sys.stderr))
    return folder / "encoder"


@pytest.fixture(scope="session")
def entries(staged: Path) -> Callable[[str], list[Entry]]:
    """The entries of a category by its name, read once."""
    return cache(lambda category: read_entries(entries_path(staged, category)))


@pytest.fixture(scope="session")
def constants(staged: Path) -> Constants:
    """What the simulated world takes from the release."""
    return read_constants(staged)


@pytest.fixture(scope="session")
def setting_of(constants: Constants) -> Callable[[Entry], WorldConfig]:
    """The setting of an entry that needs neither an encoder nor a web."""
    return lambda entry: WorldConfig(constants)


@pytest.fixture
def transcript(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Transcript:
    """Compares what commands print with the files in `transcripts/` beside the test."""
    return Transcript(request.path.parent, request.config.getoption("--update"), capsys)


@pytest.fixture
def ended() -> int:
    """The id of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        return process.pid


@pytest.fixture(scope="session")
def api_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """The hosts of the web APIs, on this machine."""
    with web_server(tmp_path_factory.mktemp("hosts"), sorted(HOSTS)) as running:
        yield running


@pytest.fixture
def hosts(api_servers: WebServer) -> WebServer:
    """The hosts of the web APIs, without answers."""
    api_servers.forget()
    return api_servers
