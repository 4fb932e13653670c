"""Runs Python without a network and without given packages, for commands that must work without both.

Python's sockets and name lookups are refused in every process (`offline`). Native code, which Python does
not see, is refused by the kernel (`without_network`), where this machine permits it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path

_SITE = """
import sys

BLOCKED = {blocked!r}
NETWORK = {{
    "socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr",
    "socket.getnameinfo", "socket.sendto", "socket.sendmsg",
}}


class Blocking:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"{{name}} is blocked", name=name)


def refuse(event, arguments):
    if event in NETWORK:
        print(f"OFFLINE: {{event}} {{arguments[1:]}}", file=sys.stderr)
        raise RuntimeError(f"{{event}}: there is no network")


sys.meta_path.insert(0, Blocking())
sys.addaudithook(refuse)
"""


def offline(folder: Path, blocked: Collection[str] = (), unset: Collection[str] = ()) -> dict[str, str]:
    """The environment in which every Python process refuses the network; writes into `folder`.

    blocked: top-level packages that cannot be imported. unset: variables that are left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(_SITE.format(blocked=sorted(blocked)))
    paths = [str(folder), os.environ.get("PYTHONPATH", "")]
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONWARNINGS": "error"}


NATIVE = """
import sys


class Client:
    def __init__(self, *_, **options):
        print(f"OFFLINE: {__name__}.{type(self).__name__}", file=sys.stderr)
        raise RuntimeError("there is no network")


AsyncClient = Client


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (Exception,), {})
"""
"""In the place of an HTTP client of native code: nothing of it is loaded, and using it is an error."""


def without_native(folder: Path, *modules: str) -> None:
    """Puts `NATIVE` in the place of modules, in the environment whose files `offline` wrote in `folder`."""
    for module in modules:
        (folder / f"{module}.py").write_text(NATIVE)


def refused(stderr: str) -> list[str]:
    """What processes of `offline` tried, but for the import of urllib3, which binds a port to test IPv6."""
    lines = [line for line in stderr.splitlines() if line.startswith("OFFLINE: ")]
    return [line for line in lines if line != "OFFLINE: socket.bind (('::1', 0),)"]


@cache
def without_network() -> tuple[str, ...]:
    """The command before a command that runs it in a network of its own, without any interface.

    Native code cannot reach anything there either, loopback included. Empty where it is not permitted.
    """
    command = ("unshare", "--map-root-user", "--net")
    try:
        done = subprocess.run([*command, sys.executable, "-c", ""], capture_output=True, check=False)
    except FileNotFoundError:
        return ()
    return command if done.returncode == 0 else ()
