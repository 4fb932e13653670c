"""A minimal base image with Python, built by debootstrap on machines that cannot reach a registry.

Its packages are fetched from the mirror configured for this machine's apt.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

RELEASE = "bookworm"  # Debian 12, as the public base: Python 3.11
PACKAGES = "binutils,python3,python3-venv"
NOT_NEEDED = (
    "usr/share/doc",
    "usr/share/locale",
    "usr/share/man",
    "var/cache/apt",
    "var/lib/apt/lists",
    "var/log",
)


def make_base(archive: Path) -> None:
    """Writes the files of the base to `archive`, a tar file. Needs root; half a minute."""
    root = archive.with_suffix(".root")
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", RELEASE, root, mirror()],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    for folder in (*NOT_NEEDED, "dev"):  # the container engine creates its own device files
        for path in (root / folder).iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    unfinished = archive.with_suffix(".tmp")
    subprocess.run(
        ["tar", "--sort=name", "--mtime=@0", "--numeric-owner", "-C", root, "-cf", unfinished, "."],
        check=True,
    )
    shutil.rmtree(root)
    unfinished.rename(archive)


def mirror(release: str = RELEASE) -> str:
    """The mirror of Debian's main packages in this machine's apt configuration, else the public one."""
    listed = subprocess.run(
        [
            "apt-get",
            "indextargets",
            "--format",
            "$(REPO_URI)",
            "Created-By: Packages",
            f"Codename: {release}",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    return next(iter(listed.stdout.split()), "http://deb.debian.org/debian")
