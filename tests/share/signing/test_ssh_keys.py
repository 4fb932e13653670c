"""SSH keys of every kind sign and are checked, by the real ssh-keygen; what is missing is named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import BadSignature, NotCheckable, SigningError
from bfcl_pipeline.share.signing import ssh_keygen
from tests.support.ssh_keys import allow, fingerprint, make_key, needs_ssh

pytestmark = needs_ssh
DATA = b"what is signed"
SIGN = "import sys; from pathlib import Path; from bfcl_pipeline.share.signing import ssh_keygen as s; "
SIGN += "sys.stdout.write(s.signing_key(b'what is signed', s.sign(b'what is signed', Path(sys.argv[1]))))"


@pytest.mark.parametrize(
    "kind",
    [("-t", "ed25519"), ("-t", "ecdsa", "-b", "384"), ("-t", "rsa", "-b", "2048")],
    ids=lambda kind: kind[1],
)
def test_each_kind_of_key_signs(kind: tuple[str, ...], tmp_path: Path) -> None:
    """The signature is of the bytes and of the key; nothing is written beside the key."""
    key = make_key(tmp_path / "key", *kind)
    before = sorted(tmp_path.iterdir())
    signature = ssh_keygen.sign(DATA, key)
    assert signature.startswith(b"SSHSIG")
    assert ssh_keygen.signing_key(DATA, signature) == fingerprint(key)
    signers = allow(tmp_path / "signers", ("alice@example.org", key))
    assert ssh_keygen.owners(DATA, signature, signers) == (["alice@example.org"], "")
    with pytest.raises(BadSignature, match="incorrect signature"):
        ssh_keygen.signing_key(DATA + b".", signature)
    assert sorted(tmp_path.iterdir()) == [*before, signers]


def test_a_public_key_is_a_file_of_signers(tmp_path: Path) -> None:
    """Its owner has the name of the file, whatever letters that has; another key is not in it."""
    key, other = make_key(tmp_path / "key"), make_key(tmp_path / "other", "-t", "ecdsa", "-b", "256")
    signature = ssh_keygen.sign(DATA, key)
    named = (tmp_path / "key.pub").rename(tmp_path / 'Alice, "a*" key.pub')
    assert ssh_keygen.owners(DATA, signature, named) == (["Alice___a___key.pub"], "")
    public = other.with_suffix(".pub")
    assert ssh_keygen.owners(DATA, signature, public) == ([], f"which is not in {public}")


def test_an_agent_signs_for_a_public_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The private key is in an agent only; without the agent, the message says what ssh-keygen said."""
    key = make_key(tmp_path / "key")
    only_public = tmp_path / "elsewhere.pub"
    only_public.write_text(key.with_suffix(".pub").read_text())
    socket = tmp_path / "agent"
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.PIPE)
    try:
        assert agent.stdout is not None
        agent.stdout.readline()  # it listens then
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        subprocess.run(["ssh-add", "-q", str(key)], check=True, stderr=subprocess.DEVNULL)
        assert ssh_keygen.signing_key(DATA, ssh_keygen.sign(DATA, only_public)) == fingerprint(key)
    finally:
        agent.terminate()
        agent.wait()
        agent.stdout.close()
    with pytest.raises(SigningError, match="ssh-keygen did not sign with it: "):
        ssh_keygen.sign(DATA, only_public)


def test_a_passphrase_is_asked_for_in_the_terminal(tmp_path: Path) -> None:
    """The prompt is that of ssh-keygen; the passphrase passes through no code of ours."""
    key = make_key(tmp_path / "key", passphrase="correct horse")
    master, terminal = os.openpty()
    with subprocess.Popen(
        ["setsid", "--ctty", sys.executable, "-c", SIGN, str(key)],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env={name: value for name, value in os.environ.items() if name not in ("DISPLAY", "SSH_ASKPASS")},
    ) as signing:
        os.close(terminal)
        prompt = b""
        while not prompt.rstrip().endswith(b":"):
            prompt += os.read(master, 1000)
        os.write(master, b"correct horse\n")
        assert signing.communicate(timeout=300)[0].decode() == fingerprint(key)
    os.close(master)
    assert b"passphrase" in prompt


def test_what_cannot_sign_is_named(tmp_path: Path) -> None:
    with pytest.raises(SigningError, match="no such file"):
        ssh_keygen.sign(DATA, tmp_path / "absent")
    (tmp_path / "text").write_text("not a key")
    (tmp_path / "text").chmod(0o600)
    with pytest.raises(SigningError, match="text: ssh-keygen did not sign with it"):
        ssh_keygen.sign(DATA, tmp_path / "text")


@pytest.mark.parametrize(
    ("script", "what"),
    [
        (None, "ssh-keygen is not installed. Install OpenSSH 8.2 or newer"),
        ("echo 'unknown option -- Y' >&2; exit 1", "ssh-keygen is too old"),
        ("echo 'Unsupported operation for -Y: \"check-no\"' >&2; exit 255", "ssh-keygen is too old"),
    ],
)
def test_an_old_or_missing_ssh_keygen_is_named(
    script: str | None, what: str, keys: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the version that is needed; for signing and for checking."""
    signature = ssh_keygen.sign(DATA, keys[0])
    if script is not None:
        (tmp_path / "ssh-keygen").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "ssh-keygen").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SigningError, match=what):
        ssh_keygen.sign(DATA, keys[0])
    with pytest.raises(NotCheckable, match=what):
        ssh_keygen.signing_key(DATA, signature)


def test_a_file_of_signers_that_is_missing_is_named(keys: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(NotCheckable, match="absent: no such file"):
        ssh_keygen.owners(DATA, ssh_keygen.sign(DATA, keys[0]), tmp_path / "absent")
