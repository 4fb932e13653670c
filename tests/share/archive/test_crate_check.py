"""Archives under roc-validator: all required checks pass, and all recommended ones but the documented."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.share.archive.crate_check import OPEN
from tests.share.archive.repacked import repack
from tests.share.archive.small_run import SmallRun
from tests.support import ROOT
from tests.support.offline import offline, refused

PYTHON = ROOT / ".venv-crate" / "bin" / "python"
AUTHORED = {"ro-crate-1.1_30.2", "ro-crate-1.1_30.3"}  # open with --author only
ANONYMOUS = {"process-run-crate-0.5_8.6", "ro-crate-1.1_22.2"}  # open without it only


def check(file: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """`make check-crate`, in processes that refuse the network."""
    if not PYTHON.exists():
        advice = "`make test-workflow` installs roc-validator in .venv-crate, which is absent."
        if os.environ.get("BFCL_CRATE_REQUIRED") == "1":
            pytest.fail(advice)
        pytest.skip(advice)
    return subprocess.run(
        [PYTHON, "-m", "tests.share.archive.crate_check", file],
        cwd=ROOT,
        env={**offline(folder / "offline"), "PYTHONWARNINGS": "default"},
        capture_output=True,
        text=True,
        check=False,
    )


def open_checks(output: str) -> set[str]:
    return {line.split()[1] for line in output.splitlines() if line.startswith("open ")}


def test_an_archive_passes_all_required_checks(archived: Path, tmp_path: Path) -> None:
    """Offline, and of the recommended checks all but those of the list, which has no others."""
    done = check(archived, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "required     63 checks, 63 passed" in done.stdout
    assert "recommended  81 checks, 75 passed" in done.stdout
    assert open_checks(done.stdout) == OPEN.keys() - AUTHORED
    assert refused(done.stderr) == []


def test_authors_are_the_agents_of_the_run(small_run: SmallRun, tmp_path: Path) -> None:
    """With `--author`, author and agent are stated; only the affiliation is not."""
    out = tmp_path / "signed by Ada.crate.zip"
    options = ("--author", "Josiah Carberry <0000-0002-1825-0097>", "--author", "Ada")
    assert small_run.archive(out, *options) == 0
    done = check(out, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert open_checks(done.stdout) == OPEN.keys() - ANONYMOUS


def test_other_failures_are_errors(archived: Path, tmp_path: Path) -> None:
    """A required check that fails, and a recommended one of an entity that the list does not have."""

    def poorer(metadata: bytes) -> bytes:
        document = json.loads(metadata)
        entities = {entity["@id"]: entity for entity in document["@graph"]}
        del entities["./"]["datePublished"]
        entities["https://www.python.org"].pop("url")
        return json.dumps(document).encode()

    done = check(repack(archived, tmp_path / "x.zip", {}, poorer), tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert sum("https://www.python.org: The Application SHOULD have a url" in line for line in failed) == 1
    assert sum("ro-crate-1.1" in line and "datePublished" in line for line in failed) == len(failed) - 1 > 0
    assert "required     63 checks, 6" in done.stdout
    assert "63 passed" not in done.stdout


def test_the_documented_list_is_that_of_the_check() -> None:
    rows = [f"| `{name}` | {check.name} | {check.why} |" for name, check in OPEN.items()]
    lines = (ROOT / "docs/archive.md").read_text().splitlines()
    start = lines.index("| check | name | why it stays open |") + 2
    assert lines[start : start + len(rows) + 1] == [*rows, ""]
