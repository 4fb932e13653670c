"""The names that members of an archive may have: only those of the files of a run.

Covers single names and collisions between names. A name is a relative path with `/` between its parts, and
means the same file on every file system.
"""

import re
import unicodedata
from collections.abc import Iterable

from bfcl_pipeline.runs.archived.members import MAX_NAME_BYTES

METADATA = "ro-crate-metadata.json"
"""The first member: it describes all others."""

PREVIEW = "ro-crate-preview.html"
"""A page about the archive for a person."""

_PATTERNS = (
    f"{re.escape(METADATA)}|{re.escape(PREVIEW)}",
    r"README\.md|LICENSE|Snakefile|requirements\.lock",
    r"workflow/.+",
    r"results/[^/]+/(?:config\.yaml|models\.yaml|report\.html)",
    r"results/[^/]+/(?:responses|memory|verdicts|tables|logs|benchmarks)/.+",
    r"results/[^/]+/errata/[^/]+\.yaml",
    r"results/[^/]+/report/[a-z0-9]+\.js",
    r"results/[^/]+/figures/[a-z_]+\.(?:svg|png|md)",
    r"(?:cache|results/[^/]+)/exchanges/[^/]+/exchanges(?:\.[0-9]+)?\.jsonl",
    r"(?:cache|results/[^/]+)/exchanges/[^/]+/provenance/[0-9a-f]{64}\.json",
    r"cache/web/(?P<a>[0-9a-f]{2})/(?P<b>[0-9a-f]{2})/(?P=a)(?P=b)[0-9a-f]{60}(?:\.json|\.[0-9a-f]{12}\.yaml)",
    r"cache/encoder\.vectors",
    r"snakemake/jobs\.jsonl|snakemake/log/[^/]+\.log",
)
_ALLOWED = [re.compile(pattern) for pattern in _PATTERNS]
_MAX_PART_BYTES = 255


def rejection_reason(name: str) -> str | None:
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
        return "a control character in its name"
    if "{" in name or "}" in name:
        return "a brace in its name, which Snakemake would interpret"
    if len(name.encode()) > MAX_NAME_BYTES or any(len(part.encode()) > _MAX_PART_BYTES for part in parts):
        return "a name that is too long"
    if not any(pattern.fullmatch(name) for pattern in _ALLOWED):
        return "not a file that the archive of a run contains"
    return None


def name_collision(names: Iterable[str]) -> str | None:
    """Two names that are one file on some file system, for example one that ignores case; or None."""
    spellings: dict[str, str] = {}  # each path, by its normalized form
    files: set[str] = set()
    folders: set[str] = set()
    for name in names:
        path = ""
        parts = name.split("/")
        for depth, part in enumerate(parts):
            path = f"{path}/{part}" if path else part
            normalized = unicodedata.normalize("NFC", path).casefold()
            other = spellings.setdefault(normalized, path)
            last = depth == len(parts) - 1
            if (
                other != path
                or (last and normalized in files | folders)
                or (not last and normalized in files)
            ):
                return f"{other!r} and {name!r}"
            (files if last else folders).add(normalized)
    return None
