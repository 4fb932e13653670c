"""SSH keys made by ssh-keygen for a test, and files of allowed signers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen (OpenSSH)")


def make_key(path: Path, *options: str, passphrase: str = "") -> Path:
    """A new private key at `path`, with its public key beside it; ed25519 unless `options` have another."""
    kind = options or ("-t", "ed25519")
    command = ["ssh-keygen", "-q", *kind, "-N", passphrase, "-C", "a test", "-f", str(path)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    return path


def public(key: Path) -> str:
    """The public key, as a line."""
    return key.with_name(f"{key.name}.pub").read_text().strip()


def fingerprint(key: Path) -> str:
    """SHA256:... of the key."""
    done = subprocess.run(["ssh-keygen", "-l", "-f", str(key)], check=True, capture_output=True, text=True)
    return done.stdout.split()[1]


def allow(path: Path, *signers: tuple[str, Path], options: str = "") -> Path:
    """A file of allowed signers, each a name and a key. options: of OpenSSH, such as valid-before."""
    lines = [f"{name} {options} {public(key)}".replace("  ", " ") for name, key in signers]
    path.write_text("".join(f"{line}\n" for line in lines))
    return path
