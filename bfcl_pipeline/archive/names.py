"""Which names a file in an archive may have: those that a run's archive has, and no others.

Covers one name and the names together. A name is text with `/` between its parts, relative, and stands for
the same file on every file system.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from bfcl_pipeline.archive.bounds import MAX_NAME_BYTES

METADATA = "ro-crate-metadata.json"
"""The first member: what all others are."""

_PATTERNS = (
    re.escape(METADATA),
    r"README\.md|LICENSE|Snakefile|requirements\.lock",
    r"workflow/.+",
    r"results/[^/]+/(?:config\.yaml|models\.yaml|report\.html)",
    r"results/[^/]+/(?:responses|memory|verdicts|tables|logs|benchmarks)/.+",
    r"cache/exchanges/[^/]+/exchanges(?:\.[0-9]+)?\.jsonl",
    r"cache/web/(?P<a>[0-9a-f]{2})/(?P<b>[0-9a-f]{2})/(?P=a)(?P=b)[0-9a-f]{60}(?:\.json|\.[0-9a-f]{12}\.yaml)",
    r"cache/encoder\.vectors",
    r"snakemake/jobs\.jsonl|snakemake/log/[^/]+\.log",
)
_KNOWN = [re.compile(pattern) for pattern in _PATTERNS]
_MAX_PART_BYTES = 255


def refusal(name: str) -> str | None:
    """Why a member may not have this name; None if it may."""
    parts = name.split("/")
    if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:[\\/]", name):
        return "an absolute path"
    if ".." in parts:
        return "a path that leads out of the archive"
    if "\\" in name:
        return "a backslash in its name"
    if "" in parts or "." in parts:
        return "an empty part in its name"
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        return "a character in its name that is no text"
    if "{" in name or "}" in name:
        return "a brace in its name, which means something to Snakemake"
    if len(name.encode()) > MAX_NAME_BYTES or any(len(part.encode()) > _MAX_PART_BYTES for part in parts):
        return "too long a name"
    if not any(known.fullmatch(name) for known in _KNOWN):
        return "no file that the archive of a run has"
    return None


def clash(names: Iterable[str]) -> str | None:
    """Which two names stand for one file somewhere, as where case does not count; None if none do."""
    spelled: dict[str, str] = {}  # by what a file system may make of a path: how it is written
    files: set[str] = set()
    folders: set[str] = set()
    for name in names:
        path = ""
        parts = name.split("/")
        for depth, part in enumerate(parts):
            path = f"{path}/{part}" if path else part
            same = unicodedata.normalize("NFC", path).casefold()
            other = spelled.setdefault(same, path)
            last = depth == len(parts) - 1
            if other != path or (last and same in files | folders) or (not last and same in files):
                return f"{other!r} and {name!r}"
            (files if last else folders).add(same)
    return None
