"""Apptainer for tests: the installed one, else Debian's package from unstable, unpacked in a test folder.

Nothing is installed on the system: the package's two programs load the libraries of that folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.containers.base_image import mirror

KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
HOST = "/usr/lib/x86_64-linux-gnu"
PROGRAMS = ("usr/bin/apptainer", "usr/lib/x86_64-linux-gnu/apptainer/bin/starter")


class CannotInstallError(Exception):
    """Apptainer is not installed and cannot be downloaded."""


@dataclass(frozen=True, slots=True)
class Apptainer:
    """An Apptainer that keeps its cache, its settings and its temporary files in `folder`."""

    program: Path
    folder: Path

    @classmethod
    def find(cls, folder: Path) -> Apptainer:
        """Apptainer of this machine, else of `folder`, fetched if absent. Raises CannotInstallError."""
        for name in ("cache", "config", "tmp"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        here = shutil.which("apptainer")
        if here:
            return cls(Path(here), folder)
        program = folder / "apptainer" / PROGRAMS[0]
        if not program.exists():
            try:
                _fetch(folder)
            except (OSError, subprocess.CalledProcessError) as error:
                raise CannotInstallError(error) from error
        return cls(program, folder)

    @property
    def variables(self) -> dict[str, str]:
        """The environment in which any program finds this Apptainer."""
        variables = {
            **os.environ,
            "PATH": f"{self.program.parent}:{os.environ['PATH']}",
            "APPTAINER_CACHEDIR": str(self.folder / "cache"),
            "APPTAINER_CONFIGDIR": str(self.folder / "config"),
            "APPTAINER_TMPDIR": str(self.folder / "tmp"),
        }
        if os.getuid() == 0:  # root of a machine that lets it do little
            variables["APPTAINER_NO_PRIVS"] = "1"
        return variables

    def __call__(self, *words: str | Path, cwd: Path | None = None) -> str:
        """What `apptainer words...` prints; its errors are shown if it fails."""
        done = subprocess.run(
            [self.program, *words], cwd=cwd, env=self.variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"apptainer {words}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        return done.stdout


def _fetch(folder: Path) -> None:
    apt = folder / "apt"
    (apt / "lists/partial").mkdir(parents=True, exist_ok=True)
    (apt / "cache/archives/partial").mkdir(parents=True, exist_ok=True)
    (apt / "sources.list").write_text(f"deb [signed-by={KEYS}] {mirror()} unstable main\n")
    settings = {
        "Dir::Etc::sourcelist": apt / "sources.list",
        "Dir::Etc::sourceparts": apt / "none",
        "Dir::State::lists": apt / "lists",
        "Dir::Cache": apt / "cache",
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
    }
    options = [f"-o{key}={value}" for key, value in settings.items()]
    for words in (["update"], ["download", "apptainer", "libc6"]):
        subprocess.run(["apt-get", "-qq", *options, *words], cwd=apt, check=True, capture_output=True)
    for package in ("apptainer", "libc6"):
        (archive,) = apt.glob(f"{package}_*.deb")
        subprocess.run(["dpkg-deb", "--extract", archive, folder / package], check=True)
    _relocate(folder)


def _relocate(folder: Path) -> None:
    """Has the package of `folder` find its C library, its settings and its working folder there."""
    root, library = folder / "apptainer", folder / "libc6/usr/lib/x86_64-linux-gnu"
    loading = ["--set-interpreter", f"{library}/ld-linux-x86-64.so.2", "--set-rpath", f"{library}:{HOST}"]
    for program in PROGRAMS:
        subprocess.run(["patchelf", *loading, str(root / program)], check=True)
    (root / "usr/etc").symlink_to("../etc")
    (root / "usr/lib/var/lib/apptainer/mnt/session").mkdir(parents=True)
