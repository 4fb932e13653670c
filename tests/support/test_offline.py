"""The environment without a network does what tests take for granted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.offline import offline


def said(env: dict[str, str], code: str) -> str:
    """The output of a process with that environment."""
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import socket; socket.getaddrinfo('example.org', 80)",
        "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
        "import subprocess, sys; subprocess.run([sys.executable, '-c', "
        "'import socket; socket.create_connection((\"127.0.0.1\", 9))'])",
    ],
)
def test_the_network_is_refused(code: str, tmp_path: Path) -> None:
    """Whoever connects or looks up a name is stopped, also in a process of the process."""
    assert "there is no network" in said(offline(tmp_path), code)


def test_named_packages_cannot_be_imported(tmp_path: Path) -> None:
    """Those that are not named can."""
    env = offline(tmp_path, blocked=["yaml"], unset=["HOME"])
    assert "yaml is blocked" in said(env, "import yaml")
    assert said(env, "import json, os; print('HOME' in os.environ)") == "False\n"
