"""`python -m tests.golden`: makes the six runs and compares every byte with the recorded hashes."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tests.golden.runs import make_all
from tests.support import ROOT
from tests.support.local_chat import local_chat

HASHES = ROOT / "tests/golden/hashes.txt"


def hashes(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and sha256 of each file of the results; of an archive, that of what it has of a run."""
    for path in sorted(folder.glob("results/**/*")):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".zip":
            yield name, _archived(path)
        elif path.is_file():
            yield name, hashlib.sha256(path.read_bytes()).hexdigest()


def _archived(path: Path) -> str:
    """Of the members that are no files of this project and do not state the time of the archive."""
    digest = hashlib.sha256()
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.startswith(("results/", "cache/", "config/")):
                digest.update(f"{name} {hashlib.sha256(archive.read(name)).hexdigest()}\n".encode())
    return digest.hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--write", action="store_true", help="record the hashes")
    parser.add_argument("--keep", type=Path, help="make the runs in this new folder and keep it")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        if arguments.keep:
            arguments.keep.mkdir(parents=True)
        folder = arguments.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(local_chat())
        os.chdir(folder)
        with contextlib.redirect_stdout(sys.stderr):
            make_all(ROOT / "data", server)
        found = dict(hashes(folder.resolve()))
    if arguments.write:
        HASHES.write_text("".join(f"{digest}  {name}\n" for name, digest in found.items()), "utf-8")
        return 0
    lines = (line.split("  ", 1) for line in HASHES.read_text(encoding="utf-8").splitlines())
    expected = {name: digest for digest, name in lines}
    differing = [name for name in sorted(expected | found) if expected.get(name) != found.get(name)]
    for name in differing:
        print(f"{'new' if name not in expected else 'missing' if name not in found else 'differs'}: {name}")
    print(f"{len(found)} files of the six runs, {len(differing)} differ from {HASHES.relative_to(ROOT)}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
