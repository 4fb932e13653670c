"""Taking out of logs and records what only says where on a machine something was.

Whoever reads an archive needs none of it: absolute paths lose all but their last part, names of hosts go.
Only what tells of a run is treated so; its results are archived as they are.
"""

from __future__ import annotations

import re
from pathlib import Path

_HOME = re.compile(r"(?<![\w./~-])/(?:home|Users)/[^/\s'\":,;)\]}\\]+")
_PATH = re.compile(r"(?<![\w./~:<-])(?:/[^/\s'\":,;()\[\]{}<>\\]+)+/(?=[^/\s'\":,;()\[\]{}<>\\])")
_HOST = re.compile(r"^(host|hostname|nodename): .*$", re.IGNORECASE | re.MULTILINE)


def without_places(text: str) -> str:
    """`text` with `.../name` for absolute paths, and without the names of hosts that Snakemake tells."""
    return _HOST.sub(r"\1: ...", _PATH.sub(".../", _HOME.sub("/home/user", text)))


def write_without_places(source: Path, out: Path) -> None:
    """Writes the text at `source` to `out`, line by line, each as `without_places` has it."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with (
        source.open(encoding="utf-8", errors="replace", newline="") as lines,
        out.open("w", encoding="utf-8", newline="") as file,
    ):
        file.writelines(map(without_places, lines))
