"""Proofs that CI leaves out: only while the files that they depend on are those on which they passed."""

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from tests.support import ROOT


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("proofs", ROOT / ".ci/proofs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_proof_is_left_out_until_its_files_change(script: ModuleType, tmp_path: Path) -> None:
    """A changed, new or deleted file of its folders changes the digest; another file does not."""
    kept, other = tmp_path / "containers/a/recipe", tmp_path / "README.md"
    kept.parent.mkdir(parents=True)
    kept.write_text("one")
    other.write_text("one")
    (tmp_path / ".ci").mkdir()

    def digest() -> str:
        subprocess.run(["git", "add", "--all"], cwd=tmp_path, check=True)
        found: str = script.files_digest("test-containers", tmp_path)
        return found

    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    first = digest()
    script.record_passed("test-containers", tmp_path)
    other.write_text("two")
    assert script.recorded_digests(tmp_path) == {"test-containers": first} == {"test-containers": digest()}
    kept.write_text("two")
    changed = digest()
    kept.rename(kept.with_name("other"))
    assert len({first, changed, digest()}) == 3
    kept.with_name("other").unlink()
    assert digest() != first


def test_each_file_that_a_proof_depends_on_exists(script: ModuleType) -> None:
    """A renamed folder would otherwise leave the digest as it is for ever."""
    for target, places in script.FILES.items():
        assert [place for place in places if not (ROOT / place).exists()] == [], target
        assert set(script.recorded_digests()) <= set(script.FILES)
