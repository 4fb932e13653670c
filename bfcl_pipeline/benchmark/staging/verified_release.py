"""BFCL-Verified: the release with the changes that the errata propose, in the release's own layout.

`bfcl-pipeline audit --dataset` writes it and `bfcl-pipeline stage --source` stages it.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import replace_folder
from bfcl_pipeline.benchmark.definition import release as pinned
from bfcl_pipeline.benchmark.errata import Erratum, alike, errata_digest
from bfcl_pipeline.benchmark.errata.page import fixes_page
from bfcl_pipeline.benchmark.errata.verified_data import IDENTITY, is_verified
from bfcl_pipeline.benchmark.staging.source import contents_sha256
from bfcl_pipeline.benchmark.staging.upstream_patch import edited_files, read_staged_wheel

FIXES = "FIXES.md"


def write_verified(folder: Path, data: Path, errata: Sequence[Erratum]) -> tuple[str, str]:
    """Writes BFCL-Verified to `folder`, completely or not at all, and returns its version and sha256.

    Args:
        folder: must not exist, be empty or be an earlier BFCL-Verified, which is replaced.
        data: the staged data, with the wheel of the pinned release.
        errata: all shipped records, whose changes are made.

    Raises:
        ConfigError: `folder` contains something else.
        ErrataError: an edit does not fit the release.
        StagingError: there is no wheel, or it is not the pinned one.
    """
    if folder.exists() and not (folder.is_dir() and (is_verified(folder) or not any(folder.iterdir()))):
        raise ConfigError(f"{folder}: contains something else. Name a new folder.")
    groups = alike(erratum for erratum in errata if erratum.confirmed)
    fixed = [records for records in groups if records[0][0].edits]
    files = dict(read_staged_wheel(data).files)
    for record in (record for records in fixed for record in records):
        files |= edited_files(files, record)
    sha256 = contents_sha256(files)
    version = pinned.verified_version(sha256)
    kept = [records for records in groups if not records[0][0].edits]
    identity = {"version": version, "sha256": sha256, "errata": errata_digest()}
    files[FIXES] = fixes_page(fixed, kept, version, sha256).encode()
    files[IDENTITY] = (json.dumps(identity, indent=1) + "\n").encode()
    replace_folder(folder, files)
    return version, sha256
