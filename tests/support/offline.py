"""Runs Python without a network and without given packages, for commands that must work without both."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

_SITE = """
import sys

BLOCKED = {blocked!r}
NETWORK = {{
    "socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto",
    "socket.sendmsg",
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
