"""BFCL-Verified, the release with all proposed changes of the errata made, as data: how it is known.

`staging.verified_release` writes it.
"""

import json
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError, MalformedRelease
from bfcl_pipeline.benchmark.definition import release as pinned
from bfcl_pipeline.benchmark.errata.ledger import errata_digest

IDENTITY = "release.json"
"""The file of BFCL-Verified, and of data staged from it: `version`, `sha256` of the contents, `errata`."""


def is_verified(folder: Path) -> bool:
    """Whether a folder is one with BFCL-Verified, or has been staged from it."""
    return (folder / IDENTITY).is_file()


def read_identity(folder: Path) -> tuple[str, str]:
    """The version and the sha256 of the contents that such a folder says it has.

    Raises MalformedRelease if it does not say so, or was written with other errata than those of this
    version of the pipeline: their changes would be taken for made.
    """
    path = folder / IDENTITY
    try:
        found = json.loads(path.read_bytes())
        version, sha256, digest = found["version"], found["sha256"], found["errata"]
    except (ValueError, KeyError, TypeError):
        raise MalformedRelease(f"{path}: has no `version`, `sha256` and `errata`.") from None
    if version != pinned.verified_version(str(sha256)) or digest != errata_digest():
        raise MalformedRelease(
            f"{path}: written with other errata than those of this bfcl-pipeline. Write BFCL-Verified "
            "again (bfcl-pipeline audit --dataset DIR, on data staged without --source), and stage it."
        )
    return version, sha256


def staged_version(data: Path) -> str:
    """The version of the release that is staged in `data`. Raises MalformedRelease as `read_identity`."""
    return read_identity(data / "release")[0] if is_verified(data / "release") else pinned.VERSION


def check_staged(data: Path, version: str) -> None:
    """Raises ConfigError if a release is staged that has another name than the one with this version."""
    staged = staged_version(data)
    if (data / "release").is_dir() and pinned.benchmark_name(staged) != pinned.benchmark_name(version):
        raise ConfigError(
            f"{data} has {pinned.benchmark_name(staged)}, and the release of the config is {version}. "
            "Stage that one (bfcl-pipeline stage), or name the staged one in the config (release: version, "
            "sha256, source)."
        )
