"""Archives signed with a key and with sigstore, by a local instance, and verified without a network."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.share.signing.signature import statements_path
from tests.share.archive.repacked import repack
from tests.share.archive.small_run import NAME
from tests.support.local_sigstore import IDENTITY, ISSUER, Instance, running
from tests.support.offline import offline, refused
from tests.support.ssh_keys import allow, make_key, needs_ssh

pytestmark = needs_ssh


@dataclass(frozen=True, slots=True)
class Signed:
    """An archive with two statements, and what a verifier needs to trust both."""

    file: Path
    trust: list[str]


@pytest.fixture(scope="module")
def signed(archived: Path, tmp_path_factory: pytest.TempPathFactory) -> Signed:
    """Signed with a key, then with sigstore; the instance is not running any more."""
    folder = tmp_path_factory.mktemp("signed")
    file = folder / f"{NAME}.crate.zip"
    shutil.copyfile(archived, file)
    key = make_key(folder / "alice")
    assert main(["sign", str(file), "--key", str(key)]) == 0
    with running(Instance()) as instance:
        token, config = folder / "token", folder / "sigstore.json"
        token.write_text(instance.token())
        config.write_text(json.dumps(instance.trust_config()))
        sigstore = ["--identity-token", str(token), "--sigstore-trust-config", str(config)]
        assert main(["sign", str(file), "--sigstore", *sigstore]) == 0
    signers = allow(folder / "signers", ("alice", key))
    trust = ["--signers", str(signers), "--sigstore-trust-config", str(config)]
    return Signed(file, [*trust, "--sigstore-identity", IDENTITY, "--sigstore-issuer", ISSUER])


def _statements(text: str) -> list[str]:
    return [line for line in text.splitlines() if " statement " in line]


@pytest.fixture
def verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, list[str]]]:
    """`verify` without the staged release: its status, and its lines about statements."""
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))

    def verify(file: Path, *options: str) -> tuple[int, list[str]]:
        capsys.readouterr()
        status = main(["verify", str(file), "--data", str(tmp_path), *options])
        return status, _statements(capsys.readouterr().out)

    return verify


def test_verified_without_a_network(signed: Signed, tmp_path: Path) -> None:
    """Both statements are checked; nothing is sent and no name is looked up."""
    options = ["--data", str(tmp_path), *signed.trust, "--require-signature", IDENTITY]
    done = subprocess.run(
        [sys.executable, "-m", "bfcl_pipeline.cli", "verify", signed.file, *options],
        env=offline(tmp_path / "site") | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert refused(done.stderr) == []
    assert done.returncode == 3  # the release is not staged
    key, identity = _statements(done.stdout)
    assert key.startswith("attested      statement  signed by alice (SHA256:")
    assert (
        f"attested      statement  signed by {IDENTITY}, confirmed by {ISSUER}; existed at 20" in identity
    )
    assert identity.endswith(", says the log log.local.test")


def test_nobody_is_trusted_unasked(signed: Signed, verified: Callable[..., tuple[int, list[str]]]) -> None:
    """Without options, the key is unknown, and so is the instance."""
    status, (key, missing, identity) = verified(signed.file, "--require-signature")
    assert status == 1
    assert key.startswith("unknown       statement  signed by SHA256:")
    assert "no valid statement" in missing
    assert identity.startswith("not verified  statement  line 2: its certificate is by CN=Local Fulcio")


def test_statements_of_another_archive(
    signed: Signed, tmp_path: Path, verified: Callable[..., tuple[int, list[str]]]
) -> None:
    """Valid statements beside an archive that they are not about differ, by key and by sigstore."""
    other = repack(signed.file, tmp_path / "other.zip", {f"results/{NAME}/logs/note.log": b"x"})
    shutil.copyfile(statements_path(signed.file), statements_path(other))
    status, lines = verified(other, *signed.trust)
    assert status == 1
    assert len(lines) == 2
    for line, name in zip(lines, ("alice", IDENTITY), strict=True):
        assert line.startswith("DIFFERS       statement")
        assert f"signed by {name}" in line
        assert "about another file" in line
